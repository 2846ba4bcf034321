/**
 * What rolldown cannot do by itself: compile the start of a session early, keep a `require`, leave out an import of
 * nothing, import from Node under names that are ours alone.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RolldownMagicString } from 'rolldown';

/** Every session calls about half of the functions of these files, most of them before it starts the CLI. */
export const BEFORE_THE_CLI = [
  'control/envelope',
  'control/inbound-router',
  'query/launch/argv',
  'query/launch/callbacks',
  'query/launch/environment',
  'query/launch/initialize',
  'query/launch/plan-launch',
  'query/launch/policy',
  'query/launch/validate-options',
  'query/execute-plan',
  'query/initialize-check',
  'query/logging',
  'query/open-session',
  'query/prompt',
  'query/query',
  'transport/chunk-reader',
  'transport/command',
  'transport/command-host',
  'transport/subprocess',
  'util/deferred',
  'util/host-places',
  'util/json',
  'util/on-abort',
  'util/timer-limit',
];

const ROOT = fileURLToPath(new URL('../src/', import.meta.url));
const found = new Set();
const EARLY = new Set(BEFORE_THE_CLI.map((file) => normalize(`${ROOT}${file}.ts`)));

/**
 * Puts the functions of those files in parentheses. V8 compiles such a function while it reads the file, any other one
 * when it is first called, which would be between `query()` and the start of the CLI. It has no such sign for methods.
 * Stack traces and maps lead to the same names, lines and columns as without. Works as long as `src` has no import cycle
 * (`test/layering.test.ts`): a function that is a constant cannot be called before its module has run.
 */
export const compileEarly = {
  name: 'compile-early',
  transform: {
    filter: { id: /\.ts$/ },
    handler(code, id) {
      const file = normalize(id);
      if (!EARLY.has(file)) return null;
      found.add(file);
      const edited = new RolldownMagicString(code);
      for (const statement of this.parse(code, { lang: 'ts' }).body) {
        const fn = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
        if (fn?.type === 'TSDeclareFunction')
          this.error(`${id}: ${fn.id.name}() has overloads, which only a declaration can`);
        if (fn?.type !== 'FunctionDeclaration') continue;
        const keyword = code.slice(fn.start, fn.id.start).trimEnd();
        edited.overwrite(fn.start, fn.id.end, `const ${fn.id.name} = (${keyword}`);
        edited.overwrite(fn.end - 1, fn.end, '});');
        // Unlike a declared function, a constant cannot be used above its line.
        if (statement.start > 0) edited.move(statement.start, statement.end, 0);
      }
      return { code: edited.toString(), map: edited.generateMap({ hires: true }).toString() };
    },
  },
  buildEnd(error) {
    const missing = [...EARLY].filter((file) => !found.has(file));
    if (error === undefined && missing.length > 0) this.error(`not in the build: ${missing.join(', ')}`);
  },
};

/** Its helpers have no effect of their own, and esbuild warns of an import without a name where the package is linked. Lines stay. */
export const withoutBareRuntime = {
  name: 'without-bare-runtime',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    for (const chunk of chunks) chunk.code = chunk.code.replace(/^import "[^"]*rolldown-runtime[^"]*";$/m, '');
  },
};

/** As long as `require`, so that the source maps fit. */
const HIDDEN = '_equire';

/**
 * Leaves what `src/util/load-now.ts` requires to the bundlers of users, and puts the file beside the chunks. rolldown
 * would make a function of its own of `require`, which no other bundler follows.
 */
export const keepRequire = {
  name: 'keep-require',
  transform: {
    filter: { id: /\bload-now\.ts$/ },
    handler(code, id) {
      const source = readFileSync(join(dirname(id), 'late.cjs'));
      this.emitFile({ type: 'asset', fileName: 'chunks/late.cjs', source });
      return { code: code.replace(/\brequire\b/g, HIDDEN), map: null };
    },
  },
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (!chunk.code?.includes(HIDDEN)) continue;
      if (dirname(chunk.fileName) !== 'chunks') this.error(`${chunk.fileName} is not beside chunks/late.cjs`);
      chunk.code = chunk.code.replaceAll(HIDDEN, 'require');
    }
  },
};

/**
 * Imports `dirname` of Node as `dirname$node`. A bundler that does not minify keeps our names at the top of its output,
 * where a banner may import the same from Node. Every variable of that name in the chunk is renamed, also one of a function
 * that hides the import: so nothing has to be known of scopes.
 */
export const nodeNames = {
  name: 'node-names',
  renderChunk(code, chunk) {
    const program = this.parse(code);
    const imports = program.body.filter(({ type, source }) => type === 'ImportDeclaration' && isBuiltin(source.value));
    const names = new Set(imports.flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)));
    if (names.size === 0) return null;
    if (code.includes('$node')) this.error(`${chunk.fileName} has names that end with $node`);
    const edited = new RolldownMagicString(code);
    for (const { name, start, end, parent } of variablesIn(program)) {
      if (!names.has(name)) continue;
      if (isNamed(parent, start)) this.error(`${chunk.fileName}: ${name}() would lose its name to an import from Node`);
      const renamed = `${name}$node`;
      const isBoth = parent.shorthand === true || parent.imported?.start === start || parent.exported?.start === start;
      const both = { Property: `${name}: `, ImportSpecifier: `${name} as ` }[parent.type] ?? '';
      const after = parent.type === 'ExportSpecifier' ? ` as ${name}` : '';
      edited.overwrite(start, end, isBoth ? `${both}${renamed}${after}` : renamed);
    }
    return { code: edited.toString(), map: edited.generateMap({ hires: true }).toString() };
  },
};

/** What is an identifier and no variable, by the type of the node around it. */
const NO_VARIABLES = {
  ...{ MemberExpression: ['property'], Property: ['key'], MethodDefinition: ['key'], PropertyDefinition: ['key'] },
  ...{ LabeledStatement: ['label'], BreakStatement: ['label'], ContinueStatement: ['label'] },
  ...{ ImportSpecifier: ['imported'], ExportSpecifier: ['exported'], ExportAllDeclaration: ['exported'] },
  ...{ MetaProperty: ['meta', 'property'], ImportAttribute: ['key'] },
};

/** The identifiers that are variables, each with the node around it; `{ a }` and `{ a = 1 }` once, with their property. */
function* variablesIn(node, parent, short) {
  if (node.type === 'Identifier') yield { name: node.name, start: node.start, end: node.end, parent: short ?? parent };
  // Its names are those of another module.
  if (node.type === 'ExportNamedDeclaration' && node.source !== null) return;
  for (const [field, value] of Object.entries(node)) {
    if (node.computed !== true && NO_VARIABLES[node.type]?.includes(field)) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each?.type !== 'string') continue;
      const isShort = each.start === (node.shorthand === true ? node : short)?.start;
      yield* variablesIn(each, node, isShort ? (short ?? node) : undefined);
    }
  }
}

/** Functions and classes keep their names. */
function isNamed({ type, id, init }, start) {
  return id?.start === start && /^(?:Arrow)?(?:Function|Class)/.test(init?.type ?? type);
}
