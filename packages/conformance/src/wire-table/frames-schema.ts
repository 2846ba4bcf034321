import type { KindShape } from '../drift/shapes.js';
import type { JsonObject } from '../util/json.js';

/** As far as the runs show: every frame of one release, as a JSON Schema (2020-12). Unknown fields are allowed. */
export function framesSchema(version: string, kinds: Readonly<Record<string, KindShape>>): JsonObject {
  const names = Object.keys(kinds).sort();
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:claudewire:wire:${version}`,
    title: `Frames that Claude Code ${version} wrote in the live scenarios`,
    anyOf: names.map((name) => ({ $ref: `#/$defs/${pointer(name)}` })),
    $defs: Object.fromEntries(names.map((name) => [name, frameSchema(name, kinds[name] ?? {})])),
  };
}

function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

interface Node {
  types: readonly string[];
  readonly fields: Map<string, Node>;
  entries?: Node;
}

const newNode = (): Node => ({ types: [], fields: new Map() });

function frameSchema(kind: string, shape: KindShape): JsonObject {
  const root = newNode();
  root.types = ['object'];
  for (const [path, types] of Object.entries(shape)) nodeAt(root, path).types = types.split('|');
  const schema = schemaOf(root);
  const properties = schema.properties as JsonObject | undefined;
  const [type, subtype] = kind.split('/');
  if (properties === undefined) return schema;
  // The name of a frame is its type, and its subtype where it has one.
  if ('type' in properties) properties.type = { const: type };
  if ('subtype' in properties) properties.subtype = { const: subtype };
  return schema;
}

function nodeAt(root: Node, path: string): Node {
  let node = root;
  for (const part of path.split('.')) {
    const [name = '', ...lists] = part.split('[]');
    const next = node.fields.get(name) ?? newNode();
    node.fields.set(name, next);
    node = next;
    for (const _ of lists) {
      node.entries ??= newNode();
      node = node.entries;
    }
  }
  return node;
}

const JSON_TYPES: Readonly<Record<string, string>> = { list: 'array' };

function schemaOf(node: Node): JsonObject {
  const types = node.types.filter((type) => type !== 'absent').map((type) => JSON_TYPES[type] ?? type);
  const named = [...node.fields].filter(([name]) => name !== '*');
  const required = named.filter(([, { types }]) => types.length > 0 && !types.includes('absent')).map(([name]) => name);
  const other = node.fields.get('*');
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
    ...(named.length === 0
      ? {}
      : { properties: Object.fromEntries(named.map(([name, each]) => [name, schemaOf(each)])) }),
    ...(required.length === 0 ? {} : { required }),
    ...(other === undefined ? {} : { additionalProperties: schemaOf(other) }),
    ...(node.entries === undefined ? {} : { items: schemaOf(node.entries) }),
  };
}
