import type { TSType, TSTypeElement } from '@babel/types';
import { plainText, quoted } from './fact-sink.js';
import { plainKey } from './object-type.js';

export interface UnionMember {
  readonly node: TSType;
  /** Of a member with an object type: what tells it from the others. */
  readonly label?: string;
  /** Its fields have the path of the union: `field?: { a } | null` has `.a`. */
  readonly isOnly?: boolean;
}

/**
 * The members of a union, with those of unions inside of it. A label does not move when other members come:
 * `{type: 'text'}` has the required fields with one literal as their type, `{text}` the first required field that no other
 * member without a literal has.
 */
export function unionMembers(node: TSType, source: string): readonly UnionMember[] {
  const nodes = flat(node);
  const unlabelled = nodes.filter((each) => partsOf(each).length > 0 && literals(each, source).length === 0);
  return nodes.map((each): UnionMember => {
    if (partsOf(each).length === 0) return { node: each };
    const fields = literals(each, source);
    if (fields.length > 0) return { node: each, label: `{${fields.join(', ')}}` };
    if (unlabelled.length === 1) return { node: each, label: '{…}', isOnly: true };
    const others = new Set(unlabelled.filter((other) => other !== each).flatMap((other) => required(other, source)));
    const own = required(each, source).find((name) => !others.has(name));
    return { node: each, label: own === undefined ? '{…}' : `{${own}}` };
  });
}

function flat(node: TSType): readonly TSType[] {
  if (node.type === 'TSParenthesizedType') return flat(node.typeAnnotation);
  return node.type === 'TSUnionType' ? node.types.flatMap(flat) : [node];
}

/** The members of the object types of a type, through intersections. */
function partsOf(node: TSType): readonly TSTypeElement[] {
  if (node.type === 'TSParenthesizedType') return partsOf(node.typeAnnotation);
  if (node.type === 'TSIntersectionType') return node.types.flatMap(partsOf);
  return node.type === 'TSTypeLiteral' ? node.members : [];
}

function required(node: TSType, source: string): readonly string[] {
  return partsOf(node).flatMap((each) => (isNamed(each) && !each.optional ? [plainKey(each.key, source)] : []));
}

function literals(node: TSType, source: string): readonly string[] {
  const found = partsOf(node).flatMap((each) => {
    if (!isNamed(each) || each.optional) return [];
    const type = each.typeAnnotation?.typeAnnotation;
    if (type?.type !== 'TSLiteralType' || type.literal.type === 'TemplateLiteral') return [];
    const value = type.literal.type === 'StringLiteral' ? quoted(type.literal.value) : plainText(type.literal, source);
    return [`${plainKey(each.key, source)}: ${value}`];
  });
  return [...new Set(found)].sort();
}

type NamedMember = Extract<TSTypeElement, { type: 'TSPropertySignature' }>;

function isNamed(member: TSTypeElement): member is NamedMember {
  return member.type === 'TSPropertySignature' && member.computed !== true;
}
