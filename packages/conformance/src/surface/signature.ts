import type { Node, TSType, TSTypeAnnotation, TSTypeParameter } from '@babel/types';
import { type Place, UnknownSyntaxError, within } from './fact-sink.js';
import { typeParametersText, typeText } from './type-text.js';

/** Functions, methods and their types: the parser has three names for each part. */
export interface Signature {
  readonly typeParameters?: Node | null;
  readonly params?: readonly Node[];
  readonly parameters?: readonly Node[];
  readonly returnType?: Node | null;
  readonly typeAnnotation?: Node | null;
}

/**
 * `<T>(a: A, b?: B) => R`. With a sink the parameters are facts, as `path(a)`, and only their names stay in the text. `place` is
 * the callable's own path, without parentheses.
 */
export function signatureText(node: Signature, place: Place): string {
  const parameters = (node.params ?? node.parameters ?? []).map((each, index) => parameter(each, index, place));
  const types = typeParametersText(typeParametersOf(node.typeParameters), place);
  const returned = typeOf(node.returnType ?? node.typeAnnotation);
  const result = returned === undefined ? 'any' : typeText(returned, within(place, '()'));
  return `${types}(${parameters.join(', ')}) => ${result}`;
}

function parameter(node: Node, index: number, place: Place): string {
  const { name, type, isOptional, isRest } = parameterParts(node, index);
  const text = (at: Place): string => (type === undefined ? 'any' : typeText(type, at));
  const spelled = text({ ...place, sink: undefined });
  const dots = isRest ? '...' : '';
  const at = within(place, `(${name})`);
  if (place.sink === undefined) return `${dots}${name}${isOptional ? '?' : ''}: ${spelled}`;
  place.sink.add(at.path, 'parameter', {
    type: spelled,
    ownType: text(at),
    marks: [isOptional && 'optional', isRest && 'rest'],
  });
  return dots + name;
}

interface ParameterParts {
  readonly name: string;
  readonly type: TSType | undefined;
  readonly isOptional: boolean;
  readonly isRest: boolean;
}

function parameterParts(node: Node, index: number): ParameterParts {
  switch (node.type) {
    case 'TSParameterProperty':
      return parameterParts(node.parameter, index);
    case 'Identifier':
      return { name: node.name, type: typeOf(node.typeAnnotation), isOptional: node.optional === true, isRest: false };
    case 'RestElement': {
      const inner = parameterParts(node.argument, index);
      return { ...inner, type: typeOf(node.typeAnnotation) ?? inner.type, isRest: true };
    }
    // A pattern has no name that a caller sees.
    case 'ObjectPattern':
    case 'ArrayPattern': {
      const isOptional = 'optional' in node && node.optional === true;
      return { name: `arg${index}`, type: typeOf(node.typeAnnotation), isOptional, isRest: false };
    }
    default:
      throw new UnknownSyntaxError(node);
  }
}

export function typeParametersOf(node: Node | null | undefined): readonly TSTypeParameter[] {
  return node?.type === 'TSTypeParameterDeclaration' ? node.params : [];
}

/** The type of an annotation. */
export function typeOf(node: Node | null | undefined): TSType | undefined {
  // The parser's types allow other languages here; a declaration file has none of them.
  return node?.type === 'TSTypeAnnotation' ? (node as TSTypeAnnotation).typeAnnotation : undefined;
}
