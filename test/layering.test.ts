import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../packages/', import.meta.url));

const STATIC = /^(?:import|export)\s(type\s)?(?:[\w*{][^;'"()=]*?\sfrom\s)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g;

/** Leaves: anyone may import them. */
const LEAVES = ['errors', 'diagnostics', 'util', 'version', 'constants'];

/** Which layers a layer may import besides itself and the leaves (docs/architecture.md). */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  diagnostics: [],
  util: [],
  version: [],
  constants: [],
  transport: [],
  control: ['transport'],
  parser: [],
  mcp: ['control'],
  transcripts: [],
  query: ['transcripts', 'mcp', 'control', 'parser', 'transport'],
  // The types of settings are options of a run.
  settings: ['control', 'query'],
  'tool-types': [],
  unsupported: ['query', 'mcp', 'control', 'parser'],
  adapter: ['index', 'query', 'mcp', 'control', 'parser'],
  // `query`: where the CLI is.
  testing: ['index', 'query'],
  index: ['unsupported', 'query', 'transcripts', 'settings', 'mcp', 'control', 'parser', 'transport'],
  core: ['index', 'query', 'transcripts', 'settings', 'mcp', 'control', 'parser', 'transport'],
  browser: ['unsupported', 'query', 'mcp', 'control', 'parser'],
  bridge: ['unsupported'],
  extract: [],
};

const BOTTOM = ['errors', 'limits', 'logging', 'options', 'schema'];

/** Which folders of the adapter a folder may import values of, besides itself and the bottom. */
const ADAPTER_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  limits: [],
  logging: [],
  options: [],
  schema: [],
  runtime: [],
  state: [],
  prompt: ['state'],
  report: ['state'],
  isolation: ['workspace'],
  workspace: ['state', 'prompt'],
  output: ['prompt'],
  hooks: ['state', 'isolation'],
  tools: ['state', 'prompt', 'hooks'],
  doctor: ['isolation', 'runtime'],
  agent: ['isolation', 'runtime'],
  evaluate: [
    ...['runtime', 'state', 'prompt', 'report', 'isolation', 'workspace', 'output', 'hooks'],
    ...['tools', 'doctor'],
  ],
};

/**
 * Toolkits that know nothing of adapters. Other folders import their `index.ts`, which is public, and their
 * `internal.ts`, which is not.
 */
const TOOLKITS = ['prompt', 'schema', 'state', 'workspace'];

/** A toolkit inside of isolation. Its files other than this one are its own. */
const POLICY_PROXY = 'adapter/isolation/proxy/policy-proxy.js';

/**
 * What packages/cli takes of `src` besides the public entry points: the build puts it into the main package, so that it
 * needs no copies of its own. No other package takes anything.
 */
const CLI_TAKES = [
  // Leaves.
  ...[
    'util/assert-never.js',
    'util/cli-versions.js',
    'util/config-folder.js',
    'util/error-code.js',
    'util/error-text.js',
    'util/json.js',
  ],
  ...['util/lines.js', 'util/write-whole.js', 'version.js'],
  // `doctor`: the checks of the adapter, in the words of a command line, and MCP servers that end with it.
  ...['util/host-exit.js', 'util/race.js'],
  ...['adapter/doctor/check-adapter.js', 'adapter/doctor/check-report.js', 'adapter/evaluate/adapter-config.js'],
  'adapter/options/read-fields.js',
  // `run`: the CLI that would be started, and the moment when it is gone.
  ...['query/locate-executable.js', 'query/supervised-query.js'],
  // The player, a program: what a launcher tells it, and the play itself.
  ...['testing/player/play.js', 'testing/player/play-io.js', 'testing/player/player-config.js'],
  ...['testing/player/player-folder.js', 'testing/scenario/parse-scenario.js'],
  // `record` and the recorder, a program: what a launcher tells it, and the rules of scrubbing.
  ...['testing/recorder/check-writable.js', 'testing/recorder/launcher.js'],
  ...['testing/recorder/recorder-config.js', 'testing/recorder/scrub/held-lines.js'],
  ...['testing/recorder/scrub/rules.js', 'testing/recorder/scrub/scrubber.js'],
];

interface Import {
  readonly from: string;
  readonly to: string;
  /** Erased by the compiler. */
  readonly isType: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:ts|mjs)$/.test(file))
  .map((file) => file.replaceAll('\\', '/'));

const imports: readonly Import[] = files.flatMap((file) =>
  importsOf(readFileSync(resolve(SRC, file), 'utf8')).map((each) => ({ from: file, ...each })),
);

/** Every `import`, `export ... from` and `import()` with a literal. */
function importsOf(text: string): Omit<Import, 'from'>[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
  return [
    ...[...code.matchAll(STATIC)].map(([, type, to = '']) => ({ to, isType: type !== undefined })),
    ...[...code.matchAll(DYNAMIC)].map(({ 1: to = '', index }) => ({
      to,
      isType: /\btype \w+ = $/.test(code.slice(Math.max(0, index - 80), index)),
    })),
  ];
}

function layerOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.\w+$/, '');
}

/** The folder of the adapter; `undefined` for other layers and for the door. */
function folderOf(file: string): string | undefined {
  return /^adapter\/([^/]+)\//.exec(file)?.[1];
}

function targetOf({ from, to }: Pick<Import, 'from' | 'to'>): string | undefined {
  if (!to.startsWith('.')) return undefined;
  return relative(SRC, resolve(SRC, dirname(from), to)).replaceAll('\\', '/');
}

/** What the packages import by a path that leaves their own `src`: the package, and the path from our `src`. */
function importsOfPackages(): readonly { readonly of: string; readonly from: string; readonly to: string }[] {
  const sources = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /^[^/]+\/src\/.*\.(?:ts|mjs)$/.test(file));
  return sources.flatMap((file) => {
    const [of = ''] = file.split('/');
    const own = resolve(PACKAGES, of, 'src');
    return importsOf(readFileSync(resolve(PACKAGES, file), 'utf8'))
      .filter(({ to }) => to.startsWith('.'))
      .map(({ to }) => resolve(PACKAGES, dirname(file), to))
      .filter((target) => relative(own, target).startsWith('..'))
      .map((target) => ({ of, from: `packages/${file}`, to: relative(SRC, target).replaceAll('\\', '/') }));
  });
}

const show = ({ from, to }: Pick<Import, 'from' | 'to'>): string => `${from} imports ${to}`;

describe('layering', () => {
  test('the import lines are found', () => {
    const sample = [
      "import a from './a.js';",
      "import type { B } from './b.js';",
      "import {\n  c,\n  d,\n} from './c.js';",
      "export { e } from './e.js';",
      "const f = await import('./f.js');",
      "type G = import('./g.js').G;",
      "import './h.js';",
      "export const Z = 'z';",
      "export type Y =\n  | 'y'\n  | 'z';",
      "/** `import z from './z.js'` */",
    ].join('\n');
    const found = importsOf(sample);
    expect(found.map(({ to }) => to).sort()).toEqual(['a', 'b', 'c', 'e', 'f', 'g', 'h'].map((name) => `./${name}.js`));
    expect(found.filter(({ isType }) => isType).map(({ to }) => to)).toEqual(['./b.js', './g.js']);
    expect(imports.length).toBeGreaterThan(20);
  });

  test('every file is in a layer that the table knows', () => {
    expect(files.filter((file) => !Object.hasOwn(MAY_IMPORT, layerOf(file)))).toEqual([]);
  });

  test('imports point down', () => {
    const offenders = imports.filter((each) => {
      const target = targetOf(each);
      if (target === undefined) return false;
      const [from, to] = [layerOf(each.from), layerOf(target)];
      return from !== to && !LEAVES.includes(to) && MAY_IMPORT[from]?.includes(to) !== true;
    });
    expect(offenders.map(show)).toEqual([]);
  });

  test('packages use public entry points, and the executable a few modules by name', () => {
    const taken = importsOfPackages();
    expect(taken.filter(({ of }) => of !== 'cli').map(show)).toEqual([]);
    expect([...new Set(taken.map(({ to }) => to))].sort()).toEqual([...CLI_TAKES].sort());
  });

  test('control sees the contract of the transport layer and nothing else of it', () => {
    const offenders = imports.filter(
      (each) =>
        layerOf(each.from) === 'control' &&
        targetOf(each)?.startsWith('transport/') === true &&
        targetOf(each) !== 'transport/transport.js',
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test('settings takes types of the query layer and nothing else of it', () => {
    const offenders = imports.filter(
      (each) => layerOf(each.from) === 'settings' && targetOf(each)?.startsWith('query/') === true && !each.isType,
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test('adapter takes types of the SDK; its runtime alone loads it, when first needed', () => {
    const offenders = imports.filter(
      (each) =>
        layerOf(each.from) === 'adapter' &&
        ['index', 'query'].includes(layerOf(targetOf(each) ?? '')) &&
        !each.isType &&
        each.from !== 'adapter/runtime/load-runtime.ts',
    );
    expect(offenders.map(show)).toEqual([]);
    expect(
      readFileSync(resolve(SRC, 'adapter/runtime/load-runtime.ts'), 'utf8'),
      'the runtime must not load it at once',
    ).not.toMatch(/^import (?!type\b)[^;]*'\.\.\/\.\.\/(?:index|query\/)/m);
  });

  test('only transport starts processes', () => {
    const offenders = imports.filter(
      ({ from, to }) =>
        /^(?:node:)?child_process$|^execa$/.test(to) &&
        !['transport', 'testing'].includes(layerOf(from)) &&
        // Tries whether a sandbox starts; the CLI itself is transport's.
        from !== 'adapter/isolation/run-command.ts',
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test('what users test with is for any test runner', () => {
    const offenders = imports.filter(
      ({ from, to }) => layerOf(from) === 'testing' && /^(?:node:test|vitest|jest)/.test(to),
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test('inside the adapter, values are imported downwards', () => {
    const offenders = imports.filter((each) => {
      const target = targetOf(each);
      if (each.isType || target === undefined) return false;
      const [from, to] = [folderOf(each.from), folderOf(target)];
      if (from === undefined || to === undefined || from === to || BOTTOM.includes(to)) return false;
      return ADAPTER_MAY_IMPORT[from]?.includes(to) !== true;
    });
    expect(offenders.map(show)).toEqual([]);
  });

  test('the toolkits of the adapter are imported by their entry files', () => {
    const offenders = imports.filter((each) => {
      const target = targetOf(each);
      const folder = target === undefined ? undefined : folderOf(target);
      if (folder === undefined || folder === folderOf(each.from)) return false;
      return TOOLKITS.includes(folder) && !/^adapter\/\w+\/(?:index|internal)\.js$/.test(target ?? '');
    });
    expect(offenders.map(show)).toEqual([]);
  });

  test('the policy proxy is imported by its entry file', () => {
    const isInside = (path: string) => path.startsWith('adapter/isolation/proxy/');
    const offenders = imports.filter((each) => {
      const target = targetOf(each) ?? '';
      return isInside(target) && !isInside(each.from) && target !== POLICY_PROXY;
    });
    expect(offenders.map(show)).toEqual([]);
  });

  test('the adapter loads the SDK in one place, and when it is needed', () => {
    const values = imports.filter((each) => {
      const target = targetOf(each);
      if (each.isType || target === undefined || layerOf(each.from) !== 'adapter') return false;
      // Pure, and a leaf: the events of an agent end by the same books as its input.
      if (target === 'control/task-ledger.js') return false;
      // So is the parser: what a message says is read in one place.
      return !['adapter', 'mcp', 'parser', ...LEAVES].includes(layerOf(target));
    });
    expect(new Set(values.map(({ from }) => from))).toEqual(new Set(['adapter/runtime/load-runtime.ts']));
    const text = readFileSync(resolve(SRC, 'adapter/runtime/load-runtime.ts'), 'utf8');
    expect(text).not.toMatch(/^import (?!type)[^;]*(?:index|query\/)/m);
  });

  test('the parser does no I/O', () => {
    const offenders = imports.filter(
      ({ from, to, isType }) => layerOf(from) === 'parser' && !isType && !to.startsWith('.'),
    );
    expect(offenders.map(show)).toEqual([]);
  });
});

test('files do not import one another in circles, not for their types either', () => {
  const targets = new Map<string, string[]>();
  for (const each of imports) {
    const target = targetOf(each)?.replace(/\.js$/, '.ts');
    if (target !== undefined) targets.set(each.from, [...(targets.get(each.from) ?? []), target]);
  }
  const reachable = (file: string): Set<string> => {
    const seen = new Set<string>();
    const open = [...(targets.get(file) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(targets.get(next) ?? []));
    }
    return seen;
  };
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => reachable(file).has(file))).toEqual([]);
});
