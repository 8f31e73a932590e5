/** A JSON value as it was written: numbers keep their text, keys their order, lone surrogates stay. */
export type StrictValue = null | boolean | string | StrictNumber | StrictList | StrictObject;

export interface StrictNumber {
  readonly kind: 'number';
  readonly text: string;
}

export interface StrictList {
  readonly kind: 'list';
  readonly items: StrictValue[];
}

export interface StrictObject {
  readonly kind: 'object';
  readonly entries: Map<string, StrictValue>;
}

/** The value is an object. */
export function isStrictObject(value: StrictValue | undefined): value is StrictObject {
  return typeof value === 'object' && value !== null && value.kind === 'object';
}
