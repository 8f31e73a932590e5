/** An Avro schema with its names resolved. avsc's own types would do, but they drop the default of an enum. */
export type AvroNode = Primitive | RecordNode | EnumNode | Fixed | ArrayNode | MapNode | Union;

interface Primitive {
  readonly kind: 'primitive';
  readonly name: string;
  readonly logicalType: string;
}
export interface RecordNode {
  readonly kind: 'record';
  readonly name: string;
  /** Filled after the node exists: a record may contain itself. */
  readonly fields: Map<string, FieldNode>;
}
export interface FieldNode {
  readonly type: AvroNode;
  /** JSON text; null: no default (the default `null` is the text `null`). */
  readonly defaultJson: string | null;
}
export interface EnumNode {
  readonly kind: 'enum';
  readonly name: string;
  readonly symbols: readonly string[];
  readonly default: string | null;
}
interface Fixed {
  readonly kind: 'fixed';
  readonly name: string;
  readonly size: number;
}
interface ArrayNode {
  readonly kind: 'array';
  readonly items: AvroNode;
}
interface MapNode {
  readonly kind: 'map';
  readonly values: AvroNode;
}
interface Union {
  readonly kind: 'union';
  readonly branches: readonly AvroNode[];
}

const PRIMITIVES = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'string', 'bytes']);

/** Throws a TypeError for what is not a schema. `json` is the parsed .avsc. */
export function avroNodeOf(json: unknown): AvroNode {
  return parse(json, '', new Map());
}

function parse(json: unknown, namespace: string, named: Map<string, AvroNode>): AvroNode {
  if (typeof json === 'string') return primitiveOr(json, '', () => named.get(qualified(json, namespace)));
  if (Array.isArray(json)) return { kind: 'union', branches: json.map((branch) => parse(branch, namespace, named)) };
  if (!isObject(json)) throw new TypeError(`not an Avro schema: ${JSON.stringify(json)}`);
  if (typeof json.type !== 'string') return parse(json.type, namespace, named);

  if (json.type === 'array') return { kind: 'array', items: parse(json.items, namespace, named) };
  if (json.type === 'map') return { kind: 'map', values: parse(json.values, namespace, named) };
  const logicalType = typeof json.logicalType === 'string' ? json.logicalType : '';
  if (json.type !== 'record' && json.type !== 'enum' && json.type !== 'fixed') {
    const { type } = json;
    return primitiveOr(type, logicalType, () => named.get(qualified(type, namespace)));
  }

  const name = qualified(text(json.name), typeof json.namespace === 'string' ? json.namespace : namespace);
  const inner = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '';
  if (json.type === 'record') {
    const record: RecordNode = { kind: 'record', name, fields: new Map() };
    named.set(name, record);
    for (const field of list(json.fields)) {
      if (!isObject(field)) throw new TypeError(`${name}: a field that is no object`);
      const defaultJson = field.default === undefined ? null : JSON.stringify(field.default);
      record.fields.set(text(field.name), { type: parse(field.type, inner, named), defaultJson });
    }
    return record;
  }
  const node: AvroNode =
    json.type === 'enum'
      ? {
          kind: 'enum',
          name,
          symbols: list(json.symbols).map(text),
          default: typeof json.default === 'string' ? json.default : null,
        }
      : { kind: 'fixed', name, size: Number(json.size) };
  named.set(name, node);
  return node;
}

function primitiveOr(name: string, logicalType: string, lookUp: () => AvroNode | undefined): AvroNode {
  if (PRIMITIVES.has(name)) return { kind: 'primitive', name, logicalType };
  const node = lookUp();
  if (node === undefined) throw new TypeError(`unknown Avro type ${name}`);
  return node;
}

function qualified(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`a name that is no string: ${JSON.stringify(value)}`);
  return value;
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`not a list: ${JSON.stringify(value)}`);
  return value;
}
