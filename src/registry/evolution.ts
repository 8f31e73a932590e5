import { type AvroNode, avroNodeOf, type EnumNode, type RecordNode } from './avro-node.ts';

/**
 * What a schema must not do from one version to a later one (schemas/README.md has the reasons):
 * the first three are Avro's BACKWARD, the others evolve badly although Avro would read them.
 */
export const RULES = {
  field_without_default: 'a new field needs a default, or older records cannot be read',
  type_changed: 'the type does not hold every value of the older one',
  renamed: 'a record, enum or fixed keeps its name',
  required_field_removed: 'a field without a default stays, or the build before cannot read new records',
  default_changed: 'a default stays, or older records change their meaning',
  enum_default_removed: 'an enum keeps its default, or a newer symbol makes the record unreadable',
  symbol_removed: 'an enum keeps its symbols, or older records change their meaning',
  symbol_without_default: 'an enum without a default gains no symbol: the build before could not read it',
  logical_type_changed: 'a unit stays: the same number would mean another time',
  unreadable: 'the Avro library cannot resolve the two',
} as const;

export type Rule = keyof typeof RULES;

export interface Problem {
  readonly rule: Rule;
  /** Where, such as `StepEvent.model_call.call_id`. */
  readonly path: string;
  readonly detail: string;
}

/** Conversions that lose nothing. Avro knows more: a long as a double, or text as bytes, would lose or change values. */
const LOSSLESS = new Set(['int>long', 'int>double', 'float>double']);

/** What is wrong with `later` where `earlier` was released. Both are parsed .avsc files. */
export function evolutionProblems(later: unknown, earlier: unknown): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<AvroNode>();

  const report = (rule: Rule, path: string, detail = ''): void => {
    problems.push({ rule, path, detail });
  };

  const compare = (reader: AvroNode, writer: AvroNode, path: string): void => {
    if (writer.kind === 'union' || reader.kind === 'union') {
      const candidates = reader.kind === 'union' ? reader.branches : [reader];
      for (const branch of writer.kind === 'union' ? writer.branches : [writer]) {
        const match =
          candidates.find((candidate) => labelOf(candidate) === labelOf(branch)) ??
          candidates.find((candidate) => converts(branch, candidate)) ??
          candidates.find((candidate) => candidate.kind === branch.kind && candidate.kind !== 'primitive');
        if (match === undefined) report('type_changed', path, `${labelOf(branch)} is not among ${labelOf(reader)}`);
        else compare(match, branch, path);
      }
    } else if (reader.kind === 'record' && writer.kind === 'record') compareRecords(reader, writer, path);
    else if (reader.kind === 'enum' && writer.kind === 'enum') compareEnums(reader, writer, path);
    else if (reader.kind === 'array' && writer.kind === 'array') compare(reader.items, writer.items, `${path}[]`);
    else if (reader.kind === 'map' && writer.kind === 'map') compare(reader.values, writer.values, `${path}{}`);
    else if (reader.kind === 'fixed' && writer.kind === 'fixed') {
      if (reader.name !== writer.name) report('renamed', path, `${writer.name} to ${reader.name}`);
      if (reader.size !== writer.size) report('type_changed', path, `${writer.size} bytes to ${reader.size}`);
    } else if (reader.kind === 'primitive' && writer.kind === 'primitive' && reader.name === writer.name) {
      if (reader.logicalType !== writer.logicalType) {
        report('logical_type_changed', path, `${writer.logicalType || 'none'} to ${reader.logicalType || 'none'}`);
      }
    } else if (!converts(writer, reader)) report('type_changed', path, `${labelOf(writer)} to ${labelOf(reader)}`);
  };

  const compareRecords = (reader: RecordNode, writer: RecordNode, path: string): void => {
    if (reader.name !== writer.name) report('renamed', path, `${writer.name} to ${reader.name}`);
    // A record that is used twice, or in itself, is reported once.
    if (seen.has(reader)) return;
    seen.add(reader);
    for (const [name, field] of reader.fields) {
      const before = writer.fields.get(name);
      if (before === undefined) {
        if (field.defaultJson === null) report('field_without_default', `${path}.${name}`);
        continue;
      }
      if (before.defaultJson !== null && before.defaultJson !== field.defaultJson) {
        report('default_changed', `${path}.${name}`, `${before.defaultJson} to ${field.defaultJson ?? 'none'}`);
      }
      compare(field.type, before.type, `${path}.${name}`);
    }
    for (const [name, field] of writer.fields) {
      if (!reader.fields.has(name) && field.defaultJson === null) report('required_field_removed', `${path}.${name}`);
    }
  };

  const compareEnums = (reader: EnumNode, writer: EnumNode, path: string): void => {
    if (reader.name !== writer.name) report('renamed', path, `${writer.name} to ${reader.name}`);
    if (writer.default !== null && reader.default !== writer.default) {
      report('enum_default_removed', path, `${writer.default} to ${reader.default ?? 'none'}`);
    }
    for (const symbol of writer.symbols) if (!reader.symbols.includes(symbol)) report('symbol_removed', path, symbol);
    if (writer.default !== null) return;
    for (const symbol of reader.symbols) {
      if (!writer.symbols.includes(symbol)) report('symbol_without_default', path, symbol);
    }
  };

  const reader = avroNodeOf(later);
  compare(reader, avroNodeOf(earlier), reader.kind === 'record' ? reader.name.replace(/^.*\./, '') : '');
  return problems;
}

function labelOf(node: AvroNode): string {
  if (node.kind === 'union') return `[${node.branches.map(labelOf).join(', ')}]`;
  return 'name' in node ? node.name : node.kind;
}

function converts(writer: AvroNode, reader: AvroNode): boolean {
  return writer.kind === 'primitive' && reader.kind === 'primitive' && LOSSLESS.has(`${writer.name}>${reader.name}`);
}
