/**
 * A second reader of declarations, for judging the first one (`src/surface`): the parser is TypeScript's own and not Babel's, and
 * texts are cut out of the source where the first one prints the tree. Both follow what `src/surface/declared.ts` says of paths.
 * Written apart on purpose: nothing is shared with the first one.
 */

import { SyntaxKind as K } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

const ROOT = '/release';
const SAME_PATH = ['Promise', 'PromiseLike', 'Awaited', 'Readonly', 'Partial', 'Required', 'NonNullable'];
const OF_MANY = [
  'Array',
  'ReadonlyArray',
  'Set',
  'ReadonlySet',
  'Iterable',
  'Iterator',
  'IterableIterator',
  'Generator',
];
const OF_MANY_LATER = ['AsyncIterable', 'AsyncIterator', 'AsyncIterableIterator', 'AsyncGenerator'];
const BY_KEY = ['Record', 'Map', 'ReadonlyMap'];
/** Their parts have facts of their own. */
const CUT_OUT = new Map([
  [K.UnionType, '…'],
  [K.TypeLiteral, '{…}'],
  [K.TupleType, '[…]'],
]);

/**
 * Reads declaration files.
 *
 * @returns {Map<string, {group: string, path: string, texts: Set<string>}>} by group and path, which is squeezed: see
 * `squeezed()`. A text tells only whether a declaration is another one now.
 */
export function readWithCompiler(files) {
  const paths = files.map(({ name }) => `${ROOT}/${name}`);
  const fs = createVirtualFileSystem(Object.fromEntries(files.map(({ text }, index) => [paths[index], text])));
  const api = new API({ cwd: ROOT, fs });
  try {
    const snapshot = api.updateSnapshot({ openFiles: paths });
    const found = new Map();
    for (const path of paths) {
      const { program } = snapshot.getDefaultProjectForFile(path) ?? snapshot.getProjects()[0];
      const [fault] = program.getSyntacticDiagnostics(path);
      if (fault !== undefined) throw new Error(`${path}: ${JSON.stringify(fault.text ?? fault)}`);
      new FileReader(program.getSourceFile(path), found).statements();
    }
    return found;
  } finally {
    api.close();
  }
}

/** Without what layout decides: spaces, parentheses, the kind of quotes, a comma before a bracket. */
export function squeezed(text) {
  return text
    .replace(/\\?["']/g, "'")
    .replace(/[\s();]/g, '')
    .replace(/,(?=[\]}>])/g, '');
}

class FileReader {
  #file;
  #text;
  #found;
  #counts = new Map();

  constructor(file, found) {
    this.#file = file;
    this.#text = file.text;
    this.#found = found;
  }

  statements() {
    for (const each of this.#file.statements) this.#statement(each, '');
  }

  #add(group, path, text) {
    const key = `${group} ${squeezed(path)}`;
    const known = this.#found.get(key) ?? { group, path: squeezed(path), texts: new Set() };
    known.texts.add(squeezed(text));
    this.#found.set(key, known);
  }

  #number(path) {
    const count = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, count);
    return count === 1 ? path : `${path}#${count}`;
  }

  /** Source of a node, without comments, and with `…` for `cut`. */
  #source(node, isCut = ({ kind }) => CUT_OUT.has(kind)) {
    const cuts = [];
    const look = (child) => {
      if (isCut(child)) cuts.push([this.#start(child), child.end, instead(child)]);
      else if (child.kind === K.Parameter) {
        cuts.push([this.#start(child), child.end, this.#parameterName(child)]);
      } else child.forEachChild(look);
    };
    if (isCut(node)) return instead(node);
    node.forEachChild(look);
    let text = '';
    let at = this.#start(node);
    for (const [from, to, replacement] of cuts) {
      text += withoutComments(this.#text.slice(at, from)) + replacement;
      at = to;
    }
    return text + withoutComments(this.#text.slice(at, node.end));
  }

  #start(node) {
    return node.pos + leadingTrivia(this.#text.slice(node.pos, node.end));
  }

  /** What a member says of itself, with the tag of its comment. */
  #declaration(node, isCut) {
    const trivia = this.#text.slice(node.pos, this.#start(node));
    const own = /^[ \t]*(?:\/\*.*?\*\/)?[ \t]*[\r\n]/.exec(trivia)?.[0] ?? '';
    const isDeprecated = /(?:\/\*\*|[\r\n])[\s*]*@deprecated\b/.test(trivia.slice(own.length));
    return this.#source(node, isCut).replace(/[;,]\s*$/, '') + (isDeprecated ? ' deprecated' : '');
  }

  #statement(node, prefix) {
    const path = prefix + (node.name?.text ?? 'default');
    switch (node.kind) {
      case K.TypeAliasDeclaration:
        this.#add('type', path, this.#declaration(node));
        this.#typeParameters(node, path);
        this.#visit(node.type, path);
        break;
      case K.InterfaceDeclaration:
      case K.ClassDeclaration:
        this.#add(
          'type',
          path,
          this.#declaration(node, (child) => CUT_OUT.has(child.kind) || (child.parent === node && isMember(child))),
        );
        this.#typeParameters(node, path);
        for (const clause of node.heritageClauses ?? []) for (const type of clause.types) this.#visit(type, path);
        this.#members(node.members, path);
        break;
      case K.EnumDeclaration:
        this.#add(
          'type',
          path,
          this.#declaration(node, ({ kind }) => kind === K.EnumMember),
        );
        for (const each of node.members) this.#add('member', `${path}.${each.name.text}`, this.#declaration(each));
        break;
      case K.FunctionDeclaration: {
        const own = this.#number(path);
        this.#add('function', `${own}()`, this.#declaration(node));
        this.#signature(node, own);
        break;
      }
      case K.VariableStatement:
        for (const each of node.declarationList.declarations)
          if (each.type) this.#visit(each.type, prefix + each.name.text);
        break;
      case K.ModuleDeclaration: {
        const isText = node.name.kind === K.StringLiteral;
        const inner = `${prefix}${isText ? `module '${node.name.text}'` : node.name.text}.`;
        if (node.body?.kind === K.ModuleBlock) for (const each of node.body.statements) this.#statement(each, inner);
        else if (node.body) this.#statement(node.body, inner);
      }
    }
  }

  #members(members, path) {
    for (const node of members) {
      const text = this.#declaration(node);
      if (/^private\b/.test(text) || node.name?.kind === K.PrivateIdentifier) continue;
      switch (node.kind) {
        case K.PropertySignature:
        case K.PropertyDeclaration:
        case K.GetAccessor:
        case K.SetAccessor: {
          const at = path + this.#name(node.name);
          this.#add('field', at, text.replace(/^get\s/, 'readonly ').replace(/^set\s/, ''));
          const type = node.kind === K.SetAccessor ? node.parameters[0]?.type : node.type;
          if (type) this.#visit(type, at);
          break;
        }
        case K.IndexSignature:
          this.#add('field', `${path}[*]`, text);
          this.#visit(node.parameters[0].type, `${path}<key>`);
          this.#visit(node.type, `${path}[*]`);
          break;
        case K.CallSignature:
        case K.ConstructSignature:
        case K.Constructor:
        case K.MethodSignature:
        case K.MethodDeclaration: {
          const isNew = node.kind === K.ConstructSignature || node.kind === K.Constructor;
          const own = this.#number(path + (isNew ? '.new' : node.name ? this.#name(node.name) : ''));
          this.#add('method', `${own}()`, text);
          this.#signature(node, own);
          break;
        }
        default:
          throw new Error(`${path}: a member of kind ${K[node.kind]}`);
      }
    }
  }

  #name(name) {
    if (name.kind === K.Identifier) return `.${name.text}`;
    if (name.kind === K.StringLiteral)
      return /^[A-Za-z_$][\w$]*$/.test(name.text) ? `.${name.text}` : `['${name.text}']`;
    const text = this.#text.slice(this.#start(name), name.end);
    return text.startsWith('[') ? text : `[${text}]`;
  }

  #parameterName(node) {
    const index = node.parent?.parameters?.indexOf(node) ?? 0;
    const name = node.name.kind === K.Identifier ? node.name.text : `arg${index}`;
    return `${node.dotDotDotToken ? '...' : ''}${name}`;
  }

  #signature(node, path) {
    this.#typeParameters(node, path);
    for (const each of node.parameters) {
      if (each.type) this.#visit(each.type, `${path}(${this.#parameterName(each).replace('...', '')})`);
    }
    if (node.type) this.#visit(node.type, `${path}()`);
  }

  #typeParameters(node, path) {
    for (const each of node.typeParameters ?? []) {
      if (each.constraint) this.#visit(each.constraint, `${path}<${each.name.text}>`);
      if (each.defaultType) this.#visit(each.defaultType, `${path}<${each.name.text}>=`);
    }
  }

  #visit(node, path) {
    switch (node.kind) {
      case K.UnionType:
        return this.#union(node, path);
      case K.TypeLiteral:
        return this.#members(node.members, path);
      case K.ArrayType:
        return this.#visit(node.elementType, `${path}[]`);
      case K.TupleType: {
        const isNames = node.elements.length > 0 && node.elements.every(({ kind }) => kind === K.LiteralType);
        for (const [index, each] of node.elements.entries()) {
          if (isNames) this.#add('member', `${path} | ${this.#source(each)}`, '');
          else if (each.kind === K.NamedTupleMember) this.#visit(each.type, `${path}[${each.name.text}]`);
          else this.#visit(each, `${path}[${index}]`);
        }
        return;
      }
      case K.FunctionType:
      case K.ConstructorType:
        return this.#signature(node, this.#number(path + (node.kind === K.ConstructorType ? '.new' : '')));
      case K.ConditionalType:
        this.#visit(node.checkType, `${path}<check>`);
        this.#visit(node.extendsType, `${path}<extends>`);
        this.#visit(node.trueType, `${path}<then>`);
        return this.#visit(node.falseType, `${path}<else>`);
      case K.IndexedAccessType:
        this.#visit(node.objectType, `${path}<object>`);
        return this.#visit(node.indexType, `${path}<index>`);
      case K.MappedType:
        this.#visit(node.typeParameter.constraint, `${path}<key>`);
        if (node.nameType) this.#visit(node.nameType, `${path}<as>`);
        if (node.type) this.#visit(node.type, `${path}[*]`);
        return;
      case K.InferType: {
        const { name, constraint } = node.typeParameter;
        if (constraint) this.#visit(constraint, `${path}<${name.text}>`);
        return;
      }
      case K.TemplateLiteralType:
        for (const [index, each] of node.templateSpans.entries()) this.#visit(each.type, `${path}<${index}>`);
        return;
    }
    if (node.typeArguments !== undefined) {
      const name = this.#source(node).split('<')[0].trim();
      for (const [index, each] of node.typeArguments.entries()) this.#visit(each, path + suffix(name, index));
      return;
    }
    // Parentheses, `keyof`, `readonly`, intersections, predicates: what is inside has the same path.
    node.forEachChild((child) => this.#visit(child, path));
  }

  #union(node, path) {
    const members = flat(node);
    const objects = members.filter((each) => properties(each) !== undefined);
    const literalsOf = (each) => this.#literals(properties(each));
    const withoutLiteral = objects.filter((each) => literalsOf(each).length === 0);
    for (const member of members) {
      if (!objects.includes(member)) {
        this.#add('member', `${path} | ${this.#source(member)}`, '');
        this.#visit(member, path);
        continue;
      }
      const literals = literalsOf(member);
      const isOnly = literals.length === 0 && withoutLiteral.length === 1;
      let label = `{${literals.join(', ')}}`;
      if (literals.length === 0) {
        const taken = withoutLiteral
          .filter((each) => each !== member)
          .flatMap((each) => requiredNames(properties(each)));
        const own = isOnly ? undefined : requiredNames(properties(member)).find((name) => !taken.includes(name));
        label = `{${own ?? '…'}}`;
      }
      const at = this.#number(`${path} | ${label}`);
      this.#add('member', at, this.#source(member));
      this.#visit(member, isOnly ? path : at);
    }
  }

  #literals(members) {
    const found = members.flatMap((each) => {
      if (!isRequired(each) || each.type?.kind !== K.LiteralType) return [];
      if (each.type.literal.kind === K.NoSubstitutionTemplateLiteral) return [];
      return [`${each.name.text}: ${this.#source(each.type)}`];
    });
    return [...new Set(found)].sort();
  }
}

function instead(node) {
  const isEmpty = node.kind === K.TypeLiteral && node.members.length === 0;
  return isEmpty ? '{}' : (CUT_OUT.get(node.kind) ?? '');
}

function suffix(name, index) {
  if (index === 0 && SAME_PATH.includes(name)) return '';
  if (index === 0 && [...OF_MANY, ...OF_MANY_LATER].includes(name)) return '[]';
  if (BY_KEY.includes(name)) return index === 0 ? '<key>' : '[*]';
  return `<${index}>`;
}

function flat(node) {
  if (node.kind === K.ParenthesizedType) return flat(node.type);
  return node.kind === K.UnionType ? node.types.flatMap(flat) : [node];
}

/** The members of an object type, or of those in an intersection; undefined for anything else. */
function properties(node) {
  if (node.kind === K.ParenthesizedType) return properties(node.type);
  if (node.kind === K.TypeLiteral) return node.members.length === 0 ? undefined : [...node.members];
  if (node.kind !== K.IntersectionType) return undefined;
  const all = node.types.flatMap((each) => properties(each) ?? []);
  return all.length === 0 ? undefined : all;
}

const isRequired = (node) =>
  node.kind === K.PropertySignature &&
  !(node.questionToken ?? node.postfixToken) &&
  node.name.kind !== K.ComputedPropertyName;
const requiredNames = (members) => members.filter(isRequired).map(({ name }) => name.text);

function isMember({ kind }) {
  return [
    K.PropertySignature,
    K.PropertyDeclaration,
    K.MethodSignature,
    K.MethodDeclaration,
    K.Constructor,
    K.GetAccessor,
    K.SetAccessor,
    K.IndexSignature,
    K.CallSignature,
    K.ConstructSignature,
  ].includes(kind);
}

/** Length of the spaces and comments that a text begins with. */
function leadingTrivia(text) {
  return /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*)*/.exec(text)[0].length;
}

/** Texts in quotes may look like comments. */
function withoutComments(text) {
  return text.replace(
    /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`)|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g,
    (_all, quoted) => quoted ?? ' ',
  );
}
