import { parseAst } from 'rolldown/parseAst';

/*
 * A value of each form that the type `Settings` of the official SDK allows: both booleans, each literal, an array with each
 * form of its elements, an object with each form of each member beside those that it must have.
 */

/** Texts for members that do not take any text, by the end of their path. */
const TEXTS = [
  [/\.(?:allow|deny|ask)\[\]$/, ['Read(x)']],
  [/(?:url|\.registry)$/i, ['https://x.example.com/x']],
  // A path in a folder that settings do not have.
  [/plugins\[\]\.source$/, []],
  [/\.repo$/, ['a/b']],
  [/\.sha$/, ['a'.repeat(40)]],
  [/\.sha256$/, ['a'.repeat(64)]],
  [/Version$/, ['2.0.0']],
];
const ANYTHING = ['x', 1, true, ['x'], { a: 'x' }];

/**
 * @param {string} declarations the text of `sdk.d.ts`
 * @returns {{ name: string, value: Record<string, unknown> }[]} settings with one key each, and names that are unique
 */
export function settingForms(declarations) {
  const { body } = parseAst(declarations, { lang: 'dts' }, 'sdk.d.ts');
  const settings = body
    .map(({ declaration }) => declaration)
    .find((each) => each?.type === 'TSInterfaceDeclaration' && each.id.name === 'Settings');
  const forms = membersOf(settings.body.body).flatMap(({ key, type }) =>
    formsOf(type, key).map((value) => ({ [key]: value })),
  );
  return [...new Map(forms.map((value) => [nameOf(value), { name: nameOf(value), value }])).values()];
}

/** Keys of records are numbered, so that forms can be tried together. */
function nameOf(value) {
  return JSON.stringify(value).replace(/"(\w+)":/g, (whole, key) => (/^entry\d+$/.test(key) ? '"entry":' : whole));
}

let entries = 0;

function formsOf(type, path) {
  switch (type.type) {
    case 'TSUnionType':
      return type.types.flatMap((each) => formsOf(each, path));
    case 'TSArrayType':
      return [[], ...formsOf(type.elementType, `${path}[]`).map((each) => [each])];
    case 'TSTupleType':
      return formsOf(type.elementTypes[0], `${path}[]`).map((each) => [each]);
    case 'TSTypeLiteral':
      return objectsOf(type.members, path);
    case 'TSLiteralType':
      return type.literal.value === 'unsupported' ? [] : [type.literal.value];
    case 'TSStringKeyword':
      return TEXTS.find(([end]) => end.test(path))?.[1] ?? ['x'];
    case 'TSNumberKeyword':
      return [1];
    case 'TSBooleanKeyword':
      return [true, false];
    case 'TSUnknownKeyword':
      return ANYTHING;
    default:
      throw new Error(`${path}: a type of an unknown kind: ${type.type}`);
  }
}

function objectsOf(members, path) {
  const known = membersOf(members).map((each) => ({ ...each, forms: formsOf(each.type, `${path}.${each.key}`) }));
  const needed = known.filter(({ isOptional }) => !isOptional);
  if (needed.some(({ forms }) => forms.length === 0)) return [];
  const required = Object.fromEntries(needed.map(({ key, forms }) => [key, forms[0]]));
  const own = known.flatMap(({ key, forms }) => forms.map((value) => ({ ...required, [key]: value })));
  // What stands beside named members is unknown to every release, and settings-kept.mjs has that.
  const values = known.length > 0 ? undefined : members.find(({ type }) => type === 'TSIndexSignature');
  const records =
    values === undefined
      ? []
      : formsOf(values.typeAnnotation.typeAnnotation, `${path}.*`).map((value) => ({ [keyOf(path)]: value }));
  return [...(needed.length > 0 ? [] : [{}]), ...own, ...records];
}

/** Events of hooks are tried in settings-kept.mjs. */
function keyOf(path) {
  return path === 'hooks' ? 'PostToolUse' : `entry${++entries}`;
}

function membersOf(members) {
  return members
    .filter(({ type }) => type === 'TSPropertySignature')
    .map(({ key, optional, typeAnnotation }) => ({
      key: key.name ?? key.value,
      type: typeAnnotation.typeAnnotation,
      isOptional: optional,
    }));
}

/** The forms in as few settings as may be, so that no form takes another's place. */
export function batchesOf(forms) {
  const batches = [];
  for (const form of forms) {
    const at = batches.findIndex(({ settings }) => merged(settings, form.value) !== undefined);
    if (at < 0) batches.push({ settings: form.value, forms: [form] });
    else batches[at] = { settings: merged(batches[at].settings, form.value), forms: [...batches[at].forms, form] };
  }
  return batches;
}

/** Both values in one. `undefined`: they cannot be. */
function merged(a, b) {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (typeof a !== 'object' || typeof b !== 'object' || Array.isArray(a) !== Array.isArray(b)) return undefined;
  if (Object.keys(a).length === 0 || Object.keys(b).length === 0) return undefined;
  if (Array.isArray(a)) return [...a, ...b];
  const both = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const together = key in a ? merged(a[key], value) : value;
    if (together === undefined) return undefined;
    both[key] = together;
  }
  return both;
}
