/**
 * Finds what a name of the source stands for, wherever its file is: `query`, `EXIT_MS`, `Transport.close`, `Transport.#send`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from './syntax.mjs';

/**
 * @typedef {import('./syntax.mjs').Node} Node
 * @typedef {{ file: string, text: string, node: Node }} Place A file of the source, and where in it the symbol is.
 */

/** The symbols of a source folder. A file is parsed when it may have what is looked for. */
export class SourceIndex {
  /** @type {Map<string, string>} */
  #texts = new Map();
  /** Files by the names they seem to declare. @type {Map<string, Set<string>>} */
  #declaring = new Map();
  /** @type {Map<string, Node>} */
  #trees = new Map();

  /** @param {string} folder absolute */
  constructor(folder) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8');
      this.#texts.set(file, text);
      for (const [, name] of text.matchAll(DECLARATION)) {
        const files = this.#declaring.get(name) ?? new Set();
        this.#declaring.set(name, files.add(file));
      }
    }
  }

  /**
   * @param {string} symbol
   * @returns {readonly Place[]} all declarations of that name
   */
  find(symbol) {
    const [name, member] = symbol.split('.');
    return [...(this.#declaring.get(name) ?? [])].flatMap((file) => {
      const text = this.#texts.get(file);
      const declared = declarationsOf(this.#tree(file, text), name);
      const nodes = member === undefined ? declared : declared.flatMap((one) => members(one, member));
      return nodes.map((node) => ({ file, text, node }));
    });
  }

  #tree(file, text) {
    const tree = this.#trees.get(file) ?? parse(text);
    this.#trees.set(file, tree);
    return tree;
  }
}

/** At the begin of a line, as a formatted module has it. */
const DECLARATION = /^(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\*?|class|const|let) (\w+)/gm;

/** Declarations at the top of a module. */
function declarationsOf(program, name) {
  return program.body.flatMap((statement) => {
    const inner = statement.declaration ?? statement;
    const nodes = inner.type === 'VariableDeclaration' ? inner.declarations : [inner];
    return nodes.filter((node) => node.id?.name === name && DECLARATIONS.has(node.type));
  });
}

/** The implementation of a method, accessor or field; signatures of overloads are left out. */
function members(declaration, name) {
  if (declaration.type !== 'ClassDeclaration') return [];
  return declaration.body.body.filter(
    ({ type, key, value }) =>
      (type === 'MethodDefinition' ? value.body !== null : type === 'PropertyDefinition') &&
      name === (key.type === 'PrivateIdentifier' ? `#${key.name}` : (key.name ?? key.value)),
  );
}

const DECLARATIONS = new Set(['FunctionDeclaration', 'ClassDeclaration', 'VariableDeclarator']);
