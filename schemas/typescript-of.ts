/** An Avro schema as TypeScript: one interface a record as it is read, one `…Init` as it may be written (defaults left out). */

interface Field {
  name: string;
  type: AvroType;
  doc?: string;
  default?: unknown;
}
type AvroType = string | AvroType[] | Complex;
interface Complex {
  type: string;
  name?: string;
  doc?: string;
  fields?: Field[];
  symbols?: string[];
  items?: AvroType;
  values?: AvroType;
}

const PRIMITIVES: Record<string, string> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  string: 'string',
  bytes: 'Buffer',
};

export function typescriptOf(file: string, source: string): string {
  const schema: Complex = JSON.parse(source);
  const declarations: string[] = [];
  const records = new Set<string>();

  const nameOf = (type: AvroType, init: boolean): string => {
    if (typeof type === 'string') return PRIMITIVES[type] ?? (init && records.has(type) ? `${type}Init` : type);
    if (Array.isArray(type)) return type.map((branch) => nameOf(branch, init)).join(' | ');
    if (type.type === 'array') return `${bracketed(nameOf(type.items ?? 'null', init))}[]`;
    if (type.type === 'map') return `Record<string, ${nameOf(type.values ?? 'null', init)}>`;
    if (type.type === 'record') return declareRecord(type, init);
    if (type.type === 'enum') return declareEnum(type);
    return PRIMITIVES[type.type] ?? 'never';
  };

  const declareEnum = (type: Complex): string => {
    const name = type.name ?? 'never';
    const symbols = (type.symbols ?? []).map((symbol) => `'${symbol}'`).join(' | ');
    const text = `${docOf(type.doc, '')}export type ${name} = ${symbols};\n`;
    if (!declarations.includes(text)) declarations.push(text);
    return name;
  };

  const declareRecord = (type: Complex, init: boolean): string => {
    const name = type.name ?? 'never';
    if (!records.has(name)) {
      records.add(name);
      const fields = type.fields ?? [];
      const read = fields.map((field) => `${docOf(field.doc, '  ')}  ${field.name}: ${nameOf(field.type, false)};\n`);
      const write = fields.map(
        (field) => `  ${field.name}${field.default === undefined ? '' : '?'}: ${nameOf(field.type, true)};\n`,
      );
      declarations.push(`${docOf(type.doc, '')}export interface ${name} {\n${read.join('')}}\n`);
      declarations.push(`export interface ${name}Init {\n${write.join('')}}\n`);
    }
    return init ? `${name}Init` : name;
  };

  nameOf(schema, false);
  const constant = `${(schema.name ?? '').charAt(0).toLowerCase()}${(schema.name ?? '').slice(1)}Schema`;
  return [
    `// Generated from schemas/${file} by \`npm run schemas\`. Do not edit.`,
    "import type { Schema } from 'avsc';",
    '',
    ...declarations,
    `export const ${constant}: Schema = ${JSON.stringify(schema)};`,
    '',
  ].join('\n');
}

function bracketed(type: string): string {
  return type.includes(' ') ? `(${type})` : type;
}

function docOf(doc: string | undefined, indent: string): string {
  return doc === undefined ? '' : `${indent}/** ${doc.replaceAll('*/', '* /')} */\n`;
}
