import type { Condition, Exception, Policy } from '../model/policy.ts';
import type { DocumentProblem } from '../model/taxonomy.ts';

/** Rules that can never fire: one of the two places that each problem names is not what was meant. */
export function contradictions(
  rules: readonly Exception[],
  findings: Policy['findings'],
  categoryOf: (code: string) => string | undefined = () => undefined,
): DocumentProblem[] {
  const earlierRules = createEarlierRules(categoryOf);
  return rules.flatMap(({ when }, i) => {
    const path = `rules[${i}]`;
    const earlier = earlierRules.coveringOf(when);
    earlierRules.add(when);
    const never = neverHolds(when);
    if (never !== null) return [{ path: `${path}.when`, expected: never, got: shown(when) }];
    const ruled = when.finding?.every((name) => findings.has(name)) === true ? when.finding[0] : undefined;
    if (ruled !== undefined)
      return [
        {
          path: `${path}.when.finding`,
          otherPath: `findings.${ruled}`,
          expected: 'a class that findings does not decide already, whatever the rules say',
          got: ruled,
        },
      ];
    if (earlier === null) return [];
    const expected = `a case that rules[${earlier}] does not decide already`;
    return [{ path, otherPath: `rules[${earlier}]`, expected, got: shown(when) }];
  });
}

const LISTS = ['code', 'category', 'system', 'env', 'run', 'finding', 'attribution'] as const;

function neverHolds(when: Condition): string | null {
  const empty = LISTS.find((key) => when[key]?.length === 0);
  if (empty !== undefined) return `at least one ${empty}`;
  const { infraShareAbove, infraShareAtMost } = when;
  if (infraShareAbove !== undefined && infraShareAbove >= (infraShareAtMost ?? 1))
    return `infra_share_above below ${infraShareAtMost ?? 1}`;
  return null;
}

/** The condition by its names in the document. */
function shown({ infraShareAbove, infraShareAtMost, ...same }: Condition): string {
  const shares = { infra_share_above: infraShareAbove, infra_share_at_most: infraShareAtMost };
  return JSON.stringify({ ...same, ...shares }).slice(0, 200);
}

type List = (typeof LISTS)[number];
type Names = ReadonlyMap<List, ReadonlySet<string>>;
interface Earlier {
  readonly index: number;
  readonly when: Condition;
  readonly names: Names;
}

/**
 * The rules before one, by a name of the first list of each: a rule that covers another names all that the other does, so only those
 * that share its rarest name are compared, in place of all.
 */
function createEarlierRules(categoryOf: (code: string) => string | undefined) {
  const byName = new Map<string, Earlier[]>();
  const unlisted: Earlier[] = [];
  let added = 0;
  const keyOf = (list: List, name: string) => `${list} ${name}`;
  return {
    add(when: Condition): void {
      const names = namesOf(when);
      const rule = { index: added, when, names };
      added += 1;
      const [first] = names;
      if (first === undefined) unlisted.push(rule);
      for (const name of first?.[1] ?? []) {
        const key = keyOf(first?.[0] ?? 'code', name);
        const others = byName.get(key);
        if (others === undefined) byName.set(key, [rule]);
        else others.push(rule);
      }
    },
    /** Index of the first that holds wherever `when` does. */
    coveringOf(when: Condition): number | null {
      const names = namesOf(when);
      const ofCodes = new Set([...(names.get('code') ?? [])].map((code) => categoryOf(code) ?? ''));
      const shared = LISTS.flatMap((list) => {
        const asked = names.get(list) ?? (list === 'category' ? ofCodes : []);
        const named = [...asked].map((name) => byName.get(keyOf(list, name)) ?? []);
        return named.length === 0
          ? []
          : [named.reduce((least, rules) => (rules.length < least.length ? rules : least))];
      });
      const covering = [unlisted, ...shared].flatMap(
        (rules) => rules.find((wide) => covers(wide, { when, names, ofCodes }))?.index ?? [],
      );
      return covering.length === 0 ? null : Math.min(...covering);
    },
  };
}

function namesOf(when: Condition): Names {
  return new Map(
    LISTS.flatMap((list): [List, ReadonlySet<string>][] => {
      const named = when[list];
      return named === undefined ? [] : [[list, new Set<string>(named)]];
    }),
  );
}

interface Narrow {
  readonly when: Condition;
  readonly names: Names;
  /** Categories of its codes. */
  readonly ofCodes: ReadonlySet<string>;
}

/** `wide` holds wherever `narrow` does: it asks for nothing that `narrow` does not ask for more narrowly. */
function covers(
  { when: wide, names }: Omit<Earlier, 'index'>,
  { when: narrow, names: named, ofCodes }: Narrow,
): boolean {
  for (const [list, allowed] of names) {
    const asked = named.get(list) ?? (list === 'category' && named.has('code') ? ofCodes : undefined);
    if (asked === undefined || asked.size > allowed.size) return false;
    for (const name of asked) if (!allowed.has(name)) return false;
  }
  const above =
    wide.infraShareAbove === undefined ||
    (narrow.infraShareAbove !== undefined && narrow.infraShareAbove >= wide.infraShareAbove);
  const atMost =
    wide.infraShareAtMost === undefined ||
    (narrow.infraShareAtMost !== undefined && narrow.infraShareAtMost <= wide.infraShareAtMost);
  return above && atMost && (wide.scored === undefined || wide.scored === narrow.scored);
}
