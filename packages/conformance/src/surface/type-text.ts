import type { TSEntityName, TSMappedType, TSTupleType, TSType, TSTypeParameter, TSTypeReference } from '@babel/types';
import { type Place, plainText, quoted, UnknownSyntaxError, within } from './fact-sink.js';
import { objectType } from './object-type.js';
import { signatureText } from './signature.js';
import { unionMembers } from './union-members.js';

const KEYWORD = /^TS(\w+)Keyword$/;
/** What is inside of these has the path of the whole: `Promise<{ a }>` has `.a`. */
const TRANSPARENT = /^(?:Awaited|NonNullable|Partial|Promise|PromiseLike|Readonly|Required)$/;
const LISTS =
  /^(?:Array|Async(?:Generator|Iterable|IterableIterator|Iterator)|Generator|Iterable|IterableIterator|Iterator|ReadonlyArray|ReadonlySet|Set)$/;
const RECORDS = /^(?:Map|ReadonlyMap|Record)$/;

/**
 * The text of a type in one form, whatever its layout. With a sink it is the part that no other fact says, and the facts of
 * what it leaves out are gathered: so nothing that is left out can be lost.
 *
 * @throws UnknownSyntaxError a construct of a newer TypeScript.
 */
export function typeText(node: TSType, place: Place): string {
  const keyword = KEYWORD.exec(node.type)?.[1];
  if (keyword !== undefined) return keyword.toLowerCase();
  switch (node.type) {
    case 'TSThisType':
      return 'this';
    case 'TSParenthesizedType':
      return typeText(node.typeAnnotation, place);
    case 'TSLiteralType':
      return literalText(node.literal, place);
    case 'TSTemplateLiteralType':
      return templateText(node.quasis, node.types, place);
    case 'TSUnionType':
      return unionText(node, place);
    case 'TSIntersectionType':
      return node.types.map((each) => operand(each, place)).join(' & ');
    case 'TSTypeLiteral':
      return objectType(node.members, place);
    case 'TSArrayType':
      return `${operand(node.elementType, within(place, '[]'))}[]`;
    case 'TSTupleType':
      return tupleText(node, place);
    case 'TSOptionalType':
      return `${typeText(node.typeAnnotation, place)}?`;
    case 'TSRestType':
      return `...${typeText(node.typeAnnotation, place)}`;
    case 'TSTypeOperator':
      return `${node.operator} ${operand(node.typeAnnotation, place)}`;
    case 'TSIndexedAccessType':
      return `${operand(node.objectType, within(place, '<object>'))}[${typeText(node.indexType, within(place, '<index>'))}]`;
    case 'TSTypeReference':
      return referenceText(nameText(node.typeName), node.typeParameters, place);
    case 'TSExpressionWithTypeArguments':
      return referenceText(nameText(node.expression), node.typeParameters, place);
    case 'TSTypeQuery': {
      const { exprName: name, typeParameters } = node;
      const text = name.type === 'TSImportType' ? typeText(name, place) : nameText(name);
      return `typeof ${referenceText(text, typeParameters, place)}`;
    }
    case 'TSImportType': {
      const { qualifier, typeParameters } = node;
      const name = `import(${quoted(node.argument.value)})${qualifier ? `.${nameText(qualifier)}` : ''}`;
      return referenceText(name, typeParameters, place);
    }
    case 'TSFunctionType':
    case 'TSConstructorType':
      return functionTypeText(node, place);
    case 'TSTypePredicate': {
      const type = node.typeAnnotation ? ` is ${typeText(node.typeAnnotation.typeAnnotation, place)}` : '';
      return `${node.asserts ? 'asserts ' : ''}${plainText(node.parameterName, place.source)}${type}`;
    }
    case 'TSInferType':
      return `infer ${typeParameterText(node.typeParameter, place)}`;
    case 'TSConditionalType': {
      const part = (which: string, type: TSType): string => operand(type, within(place, `<${which}>`));
      const test = `${part('check', node.checkType)} extends ${part('extends', node.extendsType)}`;
      return `${test} ? ${part('then', node.trueType)} : ${part('else', node.falseType)}`;
    }
    case 'TSMappedType':
      return mappedText(node, place);
    default:
      throw new UnknownSyntaxError(node);
  }
}

const COMPOUND = /^TS(?:(?:Conditional|Constructor|Function|Infer|Intersection|Union)Type|TypeOperator)$/;

/** A type inside of another one: in parentheses where it would be read differently. */
function operand(node: TSType, place: Place): string {
  const bare = withoutParentheses(node);
  const text = typeText(bare, place);
  return text !== '…' && COMPOUND.test(bare.type) ? `(${text})` : text;
}

function withoutParentheses(node: TSType): TSType {
  return node.type === 'TSParenthesizedType' ? withoutParentheses(node.typeAnnotation) : node;
}

function unionText(node: TSType, place: Place): string {
  const { sink, path } = place;
  const members = unionMembers(node, place.source);
  const spelled = (each: TSType): string => operand(each, { ...place, sink: undefined });
  if (sink === undefined) return [...new Set(members.map((each) => spelled(each.node)))].sort().join(' | ');
  for (const { node: member, label, isOnly } of members) {
    if (label === undefined) {
      const ownType = operand(member, place);
      sink.add(`${path} | ${ownType}`, 'member', { type: spelled(member), ownType });
    } else {
      const memberPath = sink.numbered(`${path} | ${label}`);
      const ownType = operand(member, isOnly === true ? place : { ...place, path: memberPath });
      sink.add(memberPath, 'member', { type: spelled(member), ownType });
    }
  }
  return '…';
}

function tupleText({ elementTypes }: TSTupleType, place: Place): string {
  const { sink, path } = place;
  const text = (each: TSTupleType['elementTypes'][number], at: Place): string => {
    if (each.type !== 'TSNamedTupleMember') return typeText(each, at);
    return `${each.label.name}${each.optional ? '?' : ''}: ${typeText(each.elementType, at)}`;
  };
  const spelled = elementTypes.map((each) => text(each, { ...place, sink: undefined }));
  if (sink === undefined) return `[${spelled.join(', ')}]`;
  // A list of names is a set to its readers: positions would report every name after a new one.
  const isNames = elementTypes.length > 0 && elementTypes.every(({ type }) => type === 'TSLiteralType');
  for (const [index, each] of elementTypes.entries()) {
    const type = spelled[index] ?? '';
    if (isNames) sink.add(`${path} | ${type}`, 'member', { type });
    else {
      const at = within(place, `[${each.type === 'TSNamedTupleMember' ? each.label.name : index}]`);
      sink.add(at.path, 'element', { type, ownType: text(each, at) });
    }
  }
  return '[…]';
}

function referenceText(name: string, given: TSTypeReference['typeParameters'], place: Place): string {
  if (!given) return name;
  const suffix = (index: number): string => {
    if (index === 0 && TRANSPARENT.test(name)) return '';
    if (index === 0 && LISTS.test(name)) return '[]';
    if (RECORDS.test(name)) return index === 0 ? '<key>' : '[*]';
    return `<${index}>`;
  };
  return `${name}<${given.params.map((each, index) => typeText(each, within(place, suffix(index)))).join(', ')}>`;
}

function functionTypeText(
  node: Extract<TSType, { type: 'TSFunctionType' | 'TSConstructorType' }>,
  place: Place,
): string {
  const isNew = node.type === 'TSConstructorType';
  const prefix = isNew ? `${node.abstract ? 'abstract ' : ''}new ` : '';
  const path = `${place.path}${isNew ? '.new' : ''}`;
  return prefix + signatureText(node, { ...place, path: place.sink?.numbered(path) ?? path });
}

/** `<T extends A = B>`, or nothing. */
export function typeParametersText(parameters: readonly TSTypeParameter[], place: Place): string {
  return parameters.length === 0 ? '' : `<${parameters.map((each) => typeParameterText(each, place)).join(', ')}>`;
}

function typeParameterText(node: TSTypeParameter, place: Place): string {
  const at = within(place, `<${node.name}>`);
  const words = [node.const && 'const', node.in && 'in', node.out && 'out', node.name].filter(Boolean).join(' ');
  const constraint = node.constraint ? ` extends ${typeText(node.constraint, at)}` : '';
  return `${words}${constraint}${node.default ? ` = ${typeText(node.default, within(at, '='))}` : ''}`;
}

function mappedText(
  { typeParameter, nameType, typeAnnotation, optional, readonly }: TSMappedType,
  place: Place,
): string {
  const sign = (mark: typeof optional, word: string): string => (mark ? `${mark === true ? '' : mark}${word}` : '');
  const keys = typeParameter.constraint ? typeText(typeParameter.constraint, within(place, '<key>')) : '';
  const name = nameType ? ` as ${typeText(nameType, within(place, '<as>'))}` : '';
  const value = typeAnnotation ? typeText(typeAnnotation, within(place, '[*]')) : 'any';
  return `{ ${sign(readonly, 'readonly ')}[${typeParameter.name} in ${keys}${name}]${sign(optional, '?')}: ${value} }`;
}

type LiteralNode = Extract<TSType, { type: 'TSLiteralType' }>['literal'];

function literalText(node: LiteralNode, place: Place): string {
  if (node.type === 'StringLiteral') return quoted(node.value);
  // The expressions of a template in a type are types.
  if (node.type === 'TemplateLiteral') return templateText(node.quasis, node.expressions as TSType[], place);
  return plainText(node, place.source);
}

interface Quasi {
  readonly value: { readonly raw: string };
}

function templateText(quasis: readonly Quasi[], types: readonly TSType[], place: Place): string {
  const parts = quasis.map(({ value }, index) => {
    const type = types[index];
    return value.raw + (type === undefined ? '' : `\${${typeText(type, within(place, `<${index}>`))}}`);
  });
  return `\`${parts.join('')}\``;
}

function nameText(name: TSEntityName | { readonly type: 'ThisExpression' }): string {
  if (name.type === 'TSQualifiedName') return `${nameText(name.left)}.${name.right.name}`;
  return name.type === 'Identifier' ? name.name : 'this';
}
