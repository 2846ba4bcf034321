import type { ClassBody, Node, TSIndexSignature, TSTypeElement } from '@babel/types';
import { isDeprecated } from './deprecated.js';
import { type FactParts, type Place, plainText, quoted, UnknownSyntaxError, within } from './fact-sink.js';
import { type Signature, signatureText, typeOf } from './signature.js';
import { typeText } from './type-text.js';

type ObjectMember = TSTypeElement | ClassBody['body'][number];

/** The members as facts; the text says only that there is an object type. */
export function objectType(members: readonly ObjectMember[], place: Place): string {
  if (members.length === 0) return '{}';
  if (place.sink !== undefined) for (const member of members) readMember(member, place);
  return '{…}';
}

function readMember(node: ObjectMember, place: Place): void {
  const marks = marksOf(node, place.source);
  if (marks === undefined) return;
  switch (node.type) {
    case 'TSPropertySignature':
    case 'ClassProperty':
    case 'ClassAccessorProperty': {
      const initial = 'value' in node && node.value ? node.value : undefined;
      field(typeOf(node.typeAnnotation), memberPlace(node, place), marks, initial);
      break;
    }
    case 'TSMethodSignature':
    case 'TSDeclareMethod':
    case 'ClassMethod':
      if (node.kind === 'get') getter(node, memberPlace(node, place), marks);
      else if (node.kind === 'set') setter(node, memberPlace(node, place), marks);
      else method(node, node.kind === 'constructor' ? within(place, '.new') : memberPlace(node, place), marks);
      break;
    case 'TSCallSignatureDeclaration':
      method(node, place, marks);
      break;
    case 'TSConstructSignatureDeclaration':
      method(node, within(place, '.new'), marks);
      break;
    case 'TSIndexSignature':
      index(node, place, marks);
      break;
    default:
      throw new UnknownSyntaxError(node);
  }
}

function index({ parameters, typeAnnotation }: TSIndexSignature, place: Place, marks: FactParts['marks']): void {
  const at = within(place, '[*]');
  const key = typeOf(parameters[0]?.typeAnnotation);
  const keyText = key === undefined ? 'string' : typeText(key, within(place, '<key>'));
  const { type, ownType } = typeParts(typeOf(typeAnnotation), at);
  place.sink?.add(at.path, 'field', {
    type: `[${keyText}]: ${type}`,
    ownType: `[${keyText}]: ${ownType}`,
    marks: marks ?? [],
  });
}

function field(type: ReturnType<typeof typeOf>, place: Place, marks: FactParts['marks'], initial?: Node): void {
  const value = initial === undefined ? '' : ` = ${plainText(initial, place.source)}`;
  const { type: text, ownType } = typeParts(type, place);
  place.sink?.add(place.path, 'field', { type: text + value, ownType: ownType + value, marks: marks ?? [] });
}

function method(node: Signature, place: Place, marks: FactParts['marks']): void {
  const path = place.sink?.numbered(place.path) ?? place.path;
  const spelled = signatureText(node, { ...place, path, sink: undefined });
  place.sink?.add(`${path}()`, 'method', {
    type: spelled,
    ownType: signatureText(node, { ...place, path }),
    marks: marks ?? [],
  });
}

/** A getter and a setter are a field to a user. */
function getter(node: Signature, place: Place, marks: FactParts['marks'] = []): void {
  field(typeOf(node.returnType ?? node.typeAnnotation), place, [...marks, 'readonly']);
}

function setter(node: Signature, place: Place, marks: FactParts['marks']): void {
  const [value] = node.params ?? node.parameters ?? [];
  field(value?.type === 'Identifier' ? typeOf(value.typeAnnotation) : undefined, place, marks);
}

/** Both texts of a type; `any` without one. */
export function typeParts(
  node: ReturnType<typeof typeOf>,
  place: Place,
): { readonly type: string; readonly ownType: string } {
  if (node === undefined) return { type: 'any', ownType: 'any' };
  return { type: typeText(node, { ...place, sink: undefined }), ownType: typeText(node, place) };
}

/** Undefined for what nobody outside of the class can use. */
function marksOf(node: ObjectMember, source: string): FactParts['marks'] | undefined {
  // Each kind of member has some of these.
  const has = (name: string): boolean => Reflect.get(node, name) === true;
  const access = 'accessibility' in node ? node.accessibility : undefined;
  if (access === 'private' || node.type === 'ClassPrivateProperty' || node.type === 'ClassPrivateMethod')
    return undefined;
  if ('key' in node && node.key.type === 'PrivateName') return undefined;
  return [
    has('optional') && 'optional',
    has('readonly') && 'readonly',
    has('static') && 'static',
    has('abstract') && 'abstract',
    access === 'protected' && 'protected',
    isDeprecated(node, source) && 'deprecated',
  ];
}

interface Keyed {
  readonly key: Node;
  readonly computed?: boolean | null;
}

function memberPlace({ key, computed }: Keyed, place: Place): Place {
  const name = computed === true ? `[${plainText(key, place.source)}]` : plainKey(key, place.source);
  return within(place, name.startsWith('[') ? name : `.${name}`);
}

/** `name`, or in brackets what is not an identifier. */
export function plainKey(key: Node, source: string): string {
  if (key.type === 'Identifier') return key.name;
  if (key.type !== 'StringLiteral') return `[${plainText(key, source)}]`;
  return /^[\w$]+$/.test(key.value) && !/^\d/.test(key.value) ? key.value : `[${quoted(key.value)}]`;
}
