/**
 * What a mutant does to the code of its symbol. Each change finds one place by its structure (see `syntax.mjs`) and fails
 * when there is none, or more than one. In new code, `$name` is what the pattern captured under that name.
 *
 * @typedef {import('./syntax.mjs').Node} Node
 * @typedef {{ start: number, end: number, code: string }} Edit
 * @typedef {{ what: string, edit: (symbol: Node, text: string) => Edit }} Change
 */
import { matches, WRAPPERS, walk } from './syntax.mjs';

/** Replaces the code that matches the pattern. @returns {Change} */
export function replace(pattern, code) {
  return {
    what: `the code ${pattern}`,
    edit(symbol, text) {
      const { node, captures } = only(matches(symbol, pattern));
      const filled = [...captures].reduce(
        (filling, [name, { start, end }]) => filling.replaceAll(name, () => text.slice(start, end)),
        code,
      );
      return { start: node.start, end: node.end, code: filled };
    },
  };
}

/** Removes a statement, a call that is one, an element of a list, or one side of `&&`, `||` or `??`. @returns {Change} */
export function remove(pattern) {
  return {
    what: `the code ${pattern}`,
    edit(symbol, text) {
      const { node, parents } = only(matches(symbol, pattern));
      return removal(node, parents, text);
    },
  };
}

/** Removes a property from the object literal that has it. @returns {Change} */
export function removeProperty(name) {
  return {
    what: `the property ${name} in an object`,
    edit(symbol, text) {
      const { node, parents } = only(properties(symbol, name));
      return removal(node, parents, text);
    },
  };
}

/** Gives a property of an object literal another value. @returns {Change} */
export function setProperty(name, code) {
  return {
    what: `the property ${name} in an object`,
    edit(symbol) {
      const { start, end } = only(properties(symbol, name)).node;
      return { start, end, code: `${name}: ${code}` };
    },
  };
}

/** Gives a property of an object literal another name. @returns {Change} */
export function renameProperty(name, newName) {
  return {
    what: `the property ${name} in an object`,
    edit(symbol, text) {
      const { start, end, value } = only(properties(symbol, name)).node;
      return { start, end, code: `${newName}: ${text.slice(value.start, value.end)}` };
    },
  };
}

/** What a `case` of a switch does; `test` is its expression, or `default`. @returns {Change} */
export function setCase(test, code) {
  return {
    what: `the case ${test} of a switch`,
    edit(symbol) {
      const { node } = only(
        test === 'default'
          ? [...walk(symbol)].filter((one) => one.node.type === 'SwitchCase' && !one.node.test)
          : matches(symbol, test)
              .map(({ node: found, parents }) => ({ node: parents.at(-1), found }))
              .filter(({ node: clause, found }) => clause.type === 'SwitchCase' && clause.test === found),
      );
      const label = test === 'default' ? 'default' : `case ${test}`;
      return { start: node.start, end: node.end, code: `${label}: { ${code} }` };
    },
  };
}

/** The whole body of a function or method. @returns {Change} */
export function setBody(code) {
  return {
    what: 'a body',
    edit(symbol) {
      const { start, end } = bodyOf(symbol);
      return { start, end, code: `{ ${code} }` };
    },
  };
}

/** Code in front of the body of a function or method. @returns {Change} */
export function prepend(code) {
  return {
    what: 'a body',
    edit(symbol) {
      const { start } = bodyOf(symbol);
      return { start, end: start + 1, code: `{ ${code};` };
    },
  };
}

/** The value of a constant or a field. @returns {Change} */
export function setValue(code) {
  return {
    what: 'a value',
    edit(symbol) {
      const value = symbol.type === 'VariableDeclarator' ? symbol.init : symbol.value;
      if (symbol.type === 'MethodDefinition' || !value) throw new NotOnce(0);
      return { start: value.start, end: value.end, code };
    },
  };
}

/** A pattern that is not in the symbol exactly once. */
export class NotOnce extends Error {
  constructor(count) {
    super(`${count} times`);
    this.count = count;
  }
}

function only(found) {
  if (found.length !== 1) throw new NotOnce(found.length);
  return found[0];
}

function properties(symbol, name) {
  return [...walk(symbol)].filter(
    ({ node, parents }) =>
      node.type === 'Property' &&
      parents.at(-1).type === 'ObjectExpression' &&
      !node.computed &&
      (node.key.name ?? node.key.value) === name,
  );
}

function bodyOf(symbol) {
  const callable = symbol.type === 'FunctionDeclaration' ? symbol : (symbol.value ?? symbol.init);
  if (callable?.body?.type !== 'BlockStatement') throw new NotOnce(0);
  return callable.body;
}

function removal(node, parents, text) {
  const parent = parents.at(-1);
  const outer = parents.slice(0, -1);
  const isWrapped =
    WRAPPERS.has(parent.type) || ['AwaitExpression', 'UnaryExpression', 'ExpressionStatement'].includes(parent.type);
  if (isWrapped) return removal(parent, outer, text);
  if (parent.type === 'LogicalExpression') {
    const { start, end } = parent.left === node ? parent.right : parent.left;
    return { start: parent.start, end: parent.end, code: text.slice(start, end) };
  }
  const list = Object.values(parent).find((value) => Array.isArray(value) && value.includes(node));
  if (list === undefined) return { start: node.start, end: node.end, code: '{}' };
  if (node.type.endsWith('Statement') || node.type.endsWith('Declaration')) {
    return { start: node.start, end: node.end, code: '' };
  }
  // With the comma behind it, or the one in front of the last.
  const at = list.indexOf(node);
  const next = list[at + 1];
  if (next !== undefined) return { start: node.start, end: next.start, code: '' };
  return { start: list[at - 1]?.end ?? node.start, end: node.end, code: '' };
}
