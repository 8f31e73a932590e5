import { type Row, textOf } from '../../api/row.ts';

/** What keeps a member out of the loss, the baseline or the size of its group, in words; empty: it is in all three. */
export function leftOut(member: Row): string {
  const why = Array.isArray(member.why) ? member.why.map(String) : [];
  const said = why.join(', ');
  const [inLoss, inBaseline, counts] = [member.in_loss, member.in_baseline, member.counts_for_size].map(Boolean);
  if (inLoss && inBaseline && counts) return '';
  switch (textOf(member, 'disposition')) {
    case 'superseded':
      return `a higher try took its place: ${said}`;
    case 'retry':
      return `to be run again: ${said}`;
    case 'drop':
      return `dropped: ${said}`;
    case 'quarantine':
      return `kept back: ${said}`;
    case 'train_masked':
      return `no token of it trains: ${said}`;
    default:
      return inBaseline ? said : `trains, but its reward is not in the baseline: ${said}`;
  }
}
