import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from './helpers/built-package.js';

/** A static import, with the module in its group. */
const IMPORT = /^(?:import|export)\b(?:[\s\w$*{},]*\bfrom)?\s*["']([^"']+)["']/gm;
/** Also the other ways to load a module by its name. */
const ANY_IMPORT =
  /(?:^(?:import|export)\b(?:[\s\w$*{},]*\bfrom)?\s*|(?<![.\w])(?:import|require)\()["']([^"']+)["']/gm;

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
const manifest = read('package.json') as {
  exports: Record<string, string | { default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};
const official = read('test/fixtures/official-entries.json') as { runTimeNames: Record<string, string[]> };

let dist: string;
beforeAll(() => {
  dist = buildPackage('build-test');
});

const node = (...args: string[]): string => execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();

describe('the built package', () => {
  test('every entry can be imported and required, and both give the same names', () => {
    const files = Object.fromEntries(
      Object.entries(manifest.exports).flatMap(([entry, target]) =>
        typeof target === 'string' ? [] : [[entry, join(dist, '..', target.default)]],
      ),
    );
    const namesIn = `console.log(JSON.stringify(Object.fromEntries(await Promise.all(
      Object.entries(${JSON.stringify(files)}).map(async ([entry, file]) => [entry, Object.keys(await load(file)).sort()])))))`;
    const imported = JSON.parse(
      node('--input-type=module', '-e', `const load = (file) => import(file);${namesIn}`),
    ) as Record<string, string[]>;
    const required = JSON.parse(
      node(
        '--input-type=commonjs',
        '--no-warnings',
        '-e',
        `(async () => { const load = async (file) => require(file);${namesIn} })()`,
      ),
    ) as Record<string, string[]>;
    expect(imported['.']).toContain('query');
    for (const [entry, names] of Object.entries(imported)) {
      expect(
        required[entry]?.filter((name) => name !== '__esModule'),
        entry,
      ).toEqual(names);
    }
  });

  for (const [entry, names] of Object.entries(official.runTimeNames)) {
    test(`"${entry}" has every run-time name of the official entry`, async () => {
      const target = manifest.exports[entry];
      if (target === undefined || typeof target === 'string') throw new Error(`no ${entry}`);
      const ours = Object.keys(await import(join(dist, '..', target.default)));
      expect(names.filter((name) => !ours.includes(name))).toEqual([]);
    });
  }

  test('the browser entry loads nothing of Node, and nothing else', () => {
    expect(staticImports(join(dist, 'browser.js'))).toEqual([]);
    expect(readFileSync(join(dist, 'browser.js'), 'utf8')).not.toMatch(/\brequire\(|\bprocess\./);
  });

  test('stack traces lead to the TypeScript', () => {
    const program = `import { query } from ${JSON.stringify(join(dist, 'index.js'))};
      try { query({ prompt: 1 }); } catch (error) { console.log(error.stack); }`;
    const stack = node('--enable-source-maps', '--input-type=module', '-e', program);
    expect(stack).toMatch(/^InvalidOptionError: /m);
    expect(stack).toMatch(/ at query \(.*src[\\/]query[\\/][\w-]+\.ts:\d+:\d+\)/);
  });

  test('the source maps hold the sources', () => {
    const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.map'))
      .map((file) => JSON.parse(readFileSync(join(dist, file), 'utf8')) as SourceMap);
    expect(maps.length).toBeGreaterThan(10);
    const sources = maps.flatMap((map) => map.sources);
    expect(sources.some((source) => source.endsWith('src/transport/subprocess.ts'))).toBe(true);
    expect(maps.filter((map) => map.sourcesContent?.length !== map.sources.length)).toEqual([]);
  });

  test('the code is readable: functions and methods are called and written as in the source', () => {
    const code = readFileSync(chunkOf('src/transport/subprocess.ts'), 'utf8');
    expect(code).toMatch(/^const createSubprocessTransport = \(function\(spec\) \{$/m);
    expect(code).toMatch(/^function adaptTransport\(/m);
    expect(code).toMatch(/^\tconstructor\(options\) \{$/m);
  });

  test('V8 compiles what every session calls before it starts the CLI when it reads the file', async () => {
    const { href } = new URL('../scripts/bundler-plugins.mjs', import.meta.url);
    const { BEFORE_THE_CLI } = (await import(href)) as { BEFORE_THE_CLI: readonly string[] };
    const source = BEFORE_THE_CLI.map((file) => readFileSync(new URL(`../src/${file}.ts`, import.meta.url), 'utf8'));
    const called = source.flatMap((text) =>
      [...text.matchAll(/^(?:export )?(?:async )?function\*? (\w+)/gm)].map(([, name]) => name),
    );
    const log = join(dist, '..', 'v8.log');
    const program = `import ${JSON.stringify(join(dist, 'index.js'))};`;
    node('--log-function-events', '--no-logfile-per-isolate', `--logfile=${log}`, '--input-type=module', '-e', program);
    const events = readFileSync(log, 'utf8');
    const compiled = new Set([...events.matchAll(/^function,interpreter,.*,(\w+)$/gm)].map(([, name]) => name));
    expect(called).toContain('planLaunch');
    expect(called.filter((name) => !compiled.has(name))).toEqual([]);
    // Of any other function V8 has only looked for the end.
    expect(compiled).not.toContain('setModel');
    expect(compiled).not.toContain('adaptTransport');
  });

  test.each(['index.js', 'adapter/index.js', 'testing/index.js'])(
    'the classes of %s are called what they are exported as',
    async (entry) => {
      const classes = Object.entries(await import(join(dist, entry))).filter(
        (each): each is [string, () => void] => typeof each[1] === 'function' && /^class\b/.test(String(each[1])),
      );
      expect(classes.length).toBeGreaterThan(2);
      // Some have a second name.
      const names = new Map<unknown, string[]>();
      for (const [name, value] of classes) names.set(value, [...(names.get(value) ?? []), name]);
      const wrong = classes.filter(([, value]) => !names.get(value)?.includes(value.name));
      expect(wrong.map(([name, value]) => `${name} is ${value.name}`)).toEqual([]);
    },
  );

  test('imports its dependencies only when they are needed', () => {
    const names = staticImports(join(dist, 'index.js'));
    expect(names).toContain('node:child_process');
    const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
    expect(names.filter((name) => !builtins.has(name))).toEqual([]);
  });

  test('the executable starts without what only some of its commands load', () => {
    const atStart = filesLoaded(join(dist, 'bin/claudewire.js'));
    expect(atStart.size).toBeGreaterThan(1);
    for (const source of ['testing/scripted-cli.ts', 'adapter/doctor/check-adapter.ts', 'src/doctor/mcp-servers.ts']) {
      expect(atStart, source).not.toContain(chunkOf(source));
    }
  });

  test('imports no package that is not a dependency', () => {
    const packages = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.[cm]?js$/.test(file))
      .flatMap((file) => [...readFileSync(join(dist, file), 'utf8').matchAll(ANY_IMPORT)])
      .map(([, name = '']) => name)
      .filter((name) => !/^(?:\.|node:)/.test(name))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    const { dependencies, peerDependencies } = manifest;
    expect(packages).toContain('commander');
    const known = Object.keys({ ...dependencies, ...peerDependencies });
    expect(packages.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('the player is one file that imports nothing but Node', () => {
    const source = readFileSync(join(dist, 'player.mjs'), 'utf8');
    const imports = [...source.matchAll(IMPORT)].map(([, name]) => name);
    expect(imports.length).toBeGreaterThan(0);
    const builtins = new Set(builtinModules.map((name) => `node:${name}`));
    expect(imports.filter((name) => !builtins.has(String(name)))).toEqual([]);
    expect(source).not.toContain('import(');
  });

  for (const file of ['bin/claudewire.js', 'player.mjs']) {
    test(`${file} is executable and has one shebang`, () => {
      const source = readFileSync(join(dist, file), 'utf8');
      expect(source.match(/^#!.*$/gm)).toEqual(['#!/usr/bin/env node']);
      expect(statSync(join(dist, file)).mode & 0o111).not.toBe(0);
    });
  }

  test('the player says in one line what it is', () => {
    const [about = '', usage = ''] = node(join(dist, 'player.mjs'), '--help').split('\n');
    expect(about).toMatch(/^Plays a scenario file /);
    expect(usage).toBe('usage: player.mjs SCENARIO [arguments of the CLI]');
  });

  test('carries the scenarios of the demo', () => {
    expect(readdirSync(join(dist, 'demo'))).toContain('tools.jsonl');
  });

  test('holds no code of other packages', () => {
    const ours = /^(?:\.\.\/)+(?:src|packages\/cli\/src)\//;
    const sources = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.map'))
      .flatMap((file) => (JSON.parse(readFileSync(join(dist, file), 'utf8')) as SourceMap).sources);
    expect(sources.filter((source) => !ours.test(source))).toEqual([]);
  });

  // Without `query`, and with the adapter, which loads the same files later: esbuild left out that the first are run.
  test.each(['esm', 'cjs'] as const)('esbuild puts all that is loaded late into a bundle (%s)', async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-bundle-'));
    try {
      symlinkSync(join(dist, '..'), join(folder, 'claudewire'), 'junction');
      const outfile = join(folder, format === 'esm' ? 'program.mjs' : 'program.cjs');
      const contents = `import { createSdkMcpServer } from './claudewire/sdk.mjs';
        import { defineType } from './claudewire/dist/adapter/index.js';
        console.log(createSdkMcpServer({ name: 'x' }).instance.isConnected(), typeof defineType({ type: 'object' }));`;
      const { warnings } = await build({
        stdin: { contents, resolveDir: folder },
        ...{ outfile, format, bundle: true, platform: 'node', logLevel: 'silent' },
        logOverride: { 'empty-import-meta': 'silent' },
      });
      expect(warnings).toEqual([]);
      expect(node(outfile)).toBe('false object');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  // esbuild keeps the names at the top of our files, and a banner stands before it all.
  test('a bundle that is not minified takes the banners that declare what CommonJS has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-banner-'));
    try {
      symlinkSync(join(dist, '..'), join(folder, 'claudewire'), 'junction');
      const outfile = join(folder, 'program.mjs');
      const contents = `import { query } from './claudewire/sdk.mjs';
        import { defineType } from './claudewire/dist/adapter/index.js';
        import { scriptedCli } from './claudewire/dist/testing/index.js';
        console.log(typeof query, typeof defineType({ type: 'object' }), typeof scriptedCli, typeof require, __dirname);`;
      await build({
        stdin: { contents, resolveDir: folder },
        ...{ outfile, format: 'esm', bundle: true, platform: 'node', logLevel: 'silent', banner: { js: BANNER } },
      });
      expect(node(outfile)).toBe(`function object function function ${realpathSync(folder)}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('nothing at the top of a file has a name that a banner declares', () => {
    const names = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.js$/.test(file))
      .flatMap((file) => namesAtTop(readFileSync(join(dist, file), 'utf8')).map((name) => `${name} in ${file}`));
    expect(names.length).toBeGreaterThan(1000);
    const ofCommonJs = ['require', 'module', 'exports', '__filename', '__dirname', '__require'];
    const ofNode = ['createRequire', 'fileURLToPath', 'dirname', 'join', 'readFileSync', 'Buffer', 'webcrypto'];
    const modules = ['path', 'fs', 'url', 'os', 'util', 'process', 'crypto', 'http', 'https', 'stream', 'events'];
    const taken = new Set([...ofCommonJs, ...ofNode, ...modules]);
    expect(names.filter((name) => taken.has(name.replace(/ in .*/, '')))).toEqual([]);
    // What is imported from Node, whichever name it has there.
    expect(names).toContainEqual(expect.stringMatching(/^dirname\$node in /));
  });

  test('carries the schema of a run report as the export has it', async () => {
    const { RUN_REPORT_SCHEMA } = await import(join(dist, 'adapter/index.js'));
    const file = readFileSync(join(dist, 'schemas/run-report.schema.json'), 'utf8');
    expect(JSON.parse(file)).toEqual(RUN_REPORT_SCHEMA);
  });
});

/** What programs put before their bundle, with the names that are in use for it. */
const BANNER = `
import { createRequire } from 'module'; const require = createRequire(import.meta.url);
import { fileURLToPath } from 'node:url'; import { dirname } from 'node:path';
const __filename = fileURLToPath(import.meta.url); const __dirname = dirname(__filename);
import path from 'path'; import fs, { readFileSync, existsSync } from 'fs'; import url from 'url'; import { join } from 'path';`;

/** The names that the statements of a module declare: no line of a function begins so. */
function namesAtTop(code: string): readonly string[] {
  const declared = [...code.matchAll(/^(?:export )?(?:const|let|var|class|(?:async )?function\*?) ([\w$]+)/gm)];
  const imported = [...code.matchAll(/^import ([^"]*) from "/gm)].flatMap(([, list = '']) => list.split(/[{},]/));
  return [
    ...declared.map(([, name = '']) => name),
    ...imported.map((each) => each.trim().replace(/^.* as /, '')).filter((name) => name !== ''),
  ];
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly string[];
}

/** The file of the build that a source went into. */
function chunkOf(source: string): string {
  const map = readdirSync(dist, { recursive: true, encoding: 'utf8' }).find(
    (file) => file.endsWith('.map') && readFileSync(join(dist, file), 'utf8').includes(source),
  );
  return join(dist, String(map).replace(/\.map$/, ''));
}

/** Packages and built-ins that loading this file loads, through the chunks it imports. */
function staticImports(file: string): readonly string[] {
  return [...filesLoaded(file)].flatMap(importedBy).filter((name) => !name.startsWith('.'));
}

/** The file, and the chunks that loading it loads. */
function filesLoaded(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const name of importedBy(file)) if (name.startsWith('.')) filesLoaded(join(file, '..', name), seen);
  return seen;
}

function importedBy(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, name]) => String(name));
}
