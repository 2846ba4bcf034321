/**
 * Finds code by its structure: a pattern matches the same syntax tree, however it is formatted.
 *
 * In a pattern `$name` stands for any expression, and `$$name` for the rest of a list. A pattern that ends with `;` or `}` is a
 * statement, one that begins with `...` an element of a list, any other an expression. Types and parentheses do not count.
 */
import { parseAst } from 'rolldown/parseAst';

/** @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node */

/** @returns {Node} @throws Error the text is not TypeScript */
export function parse(text) {
  return /** @type {Node} */ (parseAst(text, { lang: 'ts' }));
}

/** Every node of a tree, each with its parents, the nearest last. */
export function* walk(node, parents = []) {
  yield { node, parents };
  const inner = [...parents, node];
  for (const [key, value] of Object.entries(node)) {
    if (IGNORED_KEYS.has(key)) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* walk(child, inner);
    }
  }
}

/**
 * The places in a tree that a pattern matches.
 *
 * @returns {{ node: Node, parents: Node[], captures: Map<string, Node> }[]}
 */
export function matches(root, pattern) {
  const wanted = parsePattern(pattern);
  const found = [];
  for (const { node, parents } of walk(root)) {
    if (WRAPPERS.has(node.type)) continue;
    const captures = new Map();
    if (isSame(wanted, node, captures)) found.push({ node, parents, captures });
  }
  return found;
}

/** Parentheses, casts and the like, which do not change what an expression is. */
export const WRAPPERS = new Set([
  'ParenthesizedExpression',
  'ChainExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
]);

const IGNORED_KEYS = new Set([
  'start',
  'end',
  'raw',
  'directive',
  'decorators',
  'returnType',
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
]);

function isNode(value) {
  return typeof value === 'object' && value !== null && typeof value.type === 'string';
}

function parsePattern(pattern) {
  const isElement = pattern.startsWith('...');
  // A generator of a class: `this.#x`, `return`, `await` and `yield` are all allowed in it.
  const body = parse(`class _ { async *_() { ${isElement ? `[${pattern}]` : pattern} } }`);
  const statements = body.body[0].body.body[0].value.body.body;
  if (statements.length !== 1) throw new Error(`A pattern is one piece of code: ${pattern}`);
  const [statement] = statements;
  if (isElement) return statement.expression.elements[0];
  const isExpression = statement.type === 'ExpressionStatement' && !pattern.endsWith(';');
  return isExpression ? statement.expression : statement;
}

function isSame(pattern, node, captures) {
  if (Array.isArray(pattern)) return Array.isArray(node) && isSameList(pattern, node, captures);
  if (!isNode(pattern)) return pattern === node;
  const wanted = unwrapped(pattern);
  if (wanted.type === 'Identifier' && wanted.name.startsWith('$')) {
    return isNode(node) && isSameCapture(wanted.name, node, captures);
  }
  if (!isNode(node)) return false;
  const given = unwrapped(node);
  if (wanted.type !== given.type) return false;
  return Object.keys(wanted).every((key) => IGNORED_KEYS.has(key) || isSame(wanted[key], given[key], captures));
}

function isSameList(patterns, nodes, captures) {
  const rest = patterns.findIndex(isRest);
  if (rest === -1 && patterns.length !== nodes.length) return false;
  const fixed = rest === -1 ? patterns : patterns.slice(0, rest);
  return fixed.every((pattern, at) => isSame(pattern, nodes[at], captures));
}

/** `$$name`, as an expression or as a statement. */
function isRest(pattern) {
  const inner = pattern?.type === 'ExpressionStatement' ? pattern.expression : pattern;
  return inner?.type === 'Identifier' && inner.name.startsWith('$$');
}

/** The same name twice in a pattern stands for the same code. */
function isSameCapture(name, node, captures) {
  const known = captures.get(name);
  if (known !== undefined) return isSame(known, node, new Map());
  captures.set(name, node);
  return true;
}

function unwrapped(node) {
  return WRAPPERS.has(node.type) ? unwrapped(node.expression) : node;
}
