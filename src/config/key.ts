/** A value that a key refuses: what is allowed instead. */
export class KeyFault {
  readonly allowed: string;
  constructor(allowed: string) {
    this.allowed = allowed;
  }
}

/** One configuration key. */
export interface Key<T> {
  /** Dotted, as in YAML. */
  readonly name: string;
  readonly default: T;
  /** The default as a person reads it. */
  readonly defaultText: string;
  /** What may stand there. */
  readonly allowed: string;
  /** What it is, and what it costs to raise or lower it; one line. */
  readonly doc: string;
  /** Never printed or logged. */
  readonly secret: boolean;
  /** `text` is from a flag or the environment, where everything is text; otherwise the value is as YAML typed it. */
  parse(value: unknown, text: boolean): T | KeyFault;
}

interface Facts<T> {
  readonly name: string;
  readonly default: T;
  readonly doc: string;
}

/** `ROLLSTREAM_HTTP_PORT` for `http.port`. */
export function environmentNameOf(name: string): string {
  return `ROLLSTREAM_${name.replaceAll('.', '_').toUpperCase()}`;
}

export function textKey<T extends string | null>(
  facts: Facts<T> & { readonly allowed?: string; readonly pattern?: RegExp; readonly secret?: boolean },
): Key<T | string> {
  const allowed = facts.allowed ?? 'text';
  return {
    ...facts,
    allowed,
    secret: facts.secret ?? false,
    defaultText: facts.default === null ? 'none' : facts.default === '' ? "''" : facts.default,
    parse: (value) =>
      typeof value === 'string' && (facts.pattern?.test(value) ?? true) ? value : new KeyFault(allowed),
  };
}

export function choiceKey<T extends string>(facts: Facts<T> & { readonly choices: readonly T[] }): Key<T> {
  const allowed = facts.choices.join(', ');
  return {
    ...facts,
    allowed,
    secret: false,
    defaultText: facts.default,
    parse: (value) => facts.choices.find((choice) => choice === value) ?? new KeyFault(allowed),
  };
}

export function integerKey<T extends number | null>(
  facts: Facts<T> & { readonly min: number; readonly max: number; readonly unit: string },
): Key<T | number> {
  const allowed = `a whole number from ${facts.min} to ${facts.max}${facts.unit === '' ? '' : ` (${facts.unit})`}`;
  return {
    ...facts,
    allowed,
    secret: false,
    defaultText: facts.default === null ? 'none' : String(facts.default),
    parse(value, text) {
      const number = text && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
      const fits = typeof number === 'number' && Number.isInteger(number) && number >= facts.min && number <= facts.max;
      return fits ? number : new KeyFault(allowed);
    },
  };
}

export function flagKey(facts: Facts<boolean>): Key<boolean> {
  const allowed = 'true or false';
  return {
    ...facts,
    allowed,
    secret: false,
    defaultText: String(facts.default),
    parse(value, text) {
      if (typeof value === 'boolean') return value;
      return text && (value === 'true' || value === 'false') ? value === 'true' : new KeyFault(allowed);
    },
  };
}

/** A list in YAML; in flags and the environment, and in YAML too if that is easier, text with commas. */
export function listKey(
  facts: Facts<readonly string[]> & { readonly pattern: RegExp; readonly items: string },
): Key<readonly string[]> {
  const allowed = `a list of ${facts.items}, or text with commas between them`;
  return {
    ...facts,
    allowed,
    secret: false,
    defaultText: facts.default.length === 0 ? 'none' : facts.default.join(','),
    parse(value) {
      const items: unknown[] =
        typeof value === 'string' ? value.split(',').map((item) => item.trim()) : Array.isArray(value) ? value : [];
      const fits = items.length > 0 && items.every((item) => typeof item === 'string' && facts.pattern.test(item));
      return fits ? items.map(String) : new KeyFault(allowed);
    },
  };
}

/** Of each secret: the same from a file, as orchestrators mount it, so that it stands in no environment. */
export function secretFileKey(secret: Key<unknown>): Key<string | null> {
  return textKey<string | null>({
    name: `${secret.name}_file`,
    default: null,
    pattern: /./,
    allowed: 'a file',
    doc: `File that holds ${secret.name}; a line break at its end is left out.`,
  });
}

const DURATION_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SIZE_BYTES = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 } as const;

/** Milliseconds; written as `30s`, `10m`, `1h`. A bare number is refused: nobody remembers its unit. */
export function durationKey(facts: Facts<string> & { readonly min: string; readonly max: string }): Key<number> {
  return quantityKey(facts, DURATION_MS, 'a duration');
}

/** Bytes; written as `64KB`, `256MB` (powers of 1024). */
export function sizeKey(facts: Facts<string> & { readonly min: string; readonly max: string }): Key<number> {
  return quantityKey(facts, SIZE_BYTES, 'a size');
}

/** The same where nothing is the default; `example` is one that fits. */
export function optionalSizeKey({
  example,
  ...facts
}: Omit<Facts<null>, 'default'> & { readonly example: string; readonly min: string; readonly max: string }): Key<
  number | null
> {
  return { ...sizeKey({ ...facts, default: example }), default: null, defaultText: 'none' };
}

function quantityKey(
  facts: Facts<string> & { readonly min: string; readonly max: string },
  units: Readonly<Record<string, number>>,
  noun: string,
): Key<number> {
  const parse = (value: unknown): number | null => {
    const match = typeof value === 'string' ? /^(\d+) ?([A-Za-z]+)$/.exec(value) : null;
    const unit = units[match?.[2] ?? ''];
    return match === null || unit === undefined ? null : Number(match[1]) * unit;
  };
  const [min, max, preset] = [facts.min, facts.max, facts.default].map((text) => parse(text) ?? Number.NaN);
  if (min === undefined || max === undefined || preset === undefined || !(min <= preset && preset <= max)) {
    throw new Error(`key ${facts.name}: its default does not lie between its bounds`);
  }
  const allowed = `${noun} from ${facts.min} to ${facts.max}, in ${Object.keys(units).join(', ')} (such as ${facts.default})`;
  return {
    name: facts.name,
    doc: facts.doc,
    default: preset,
    defaultText: facts.default,
    allowed,
    secret: false,
    parse(value) {
      const quantity = parse(value);
      return quantity !== null && quantity >= min && quantity <= max ? quantity : new KeyFault(allowed);
    },
  };
}
