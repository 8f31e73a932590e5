import { type FlatTokens, IN_LOSS, SAMPLED } from './flat-tokens.ts';
import { belowText, shadeOf, type TokenLooks } from './token-looks.ts';

interface TokenBoxProps {
  readonly position: number;
  readonly flat: FlatTokens;
  readonly looks: TokenLooks;
  readonly isCursor: boolean;
}

/** A token: its text, its id or number below; shade: logprob; lines: sampled, in the loss; a corner: a finding. */
export function TokenBox({ position, flat, looks, isCursor }: TokenBoxProps) {
  const masks = flat.masks[position] ?? 0;
  const shade = shadeOf(flat.logprobs[position] ?? Number.NaN);
  const pinned = looks.pinnedAt.get(position);
  const classes = [
    'token',
    shade === null ? '' : `shade-${shade}`,
    (masks & SAMPLED) === 0 ? 'given' : 'sampled',
    (masks & IN_LOSS) === 0 ? '' : 'in-loss',
    pinned === undefined ? '' : `pinned ${pinned}`,
    isCursor ? 'cursor' : '',
  ];
  const below = belowText(flat, position, looks.below);
  const text = looks.textOf(position);
  return (
    <span class={classes.filter((name) => name !== '').join(' ')} id={`token-${position}`} data-at={position}>
      <bdi>{text === '' ? String(flat.ids[position]) : text}</bdi>
      {below === '' || (text === '' && looks.below === 'id') ? null : <small>{below}</small>}
    </span>
  );
}
