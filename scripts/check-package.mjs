#!/usr/bin/env node
/**
 * Proves the package as a stranger gets it: packed, installed into an empty project, loaded from ESM and
 * from require(), type-checked without skipLibCheck and without the DOM lib, linted by publint and attw. Then as it stands in
 * for the official package: under that name, with every name that has, in Node and in bundles.
 * Last line: `N passed, N failed`.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { disagreements, LIMITS, pack, sizesOf } from './sizes.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const work = mkdtempSync(join(tmpdir(), 'claudewire-package-'));
const project = join(work, 'project');
const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const counts = { passed: 0, failed: 0 };

async function check(name, action) {
  try {
    await action();
    counts.passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    counts.failed += 1;
    // For a command, the message has what it printed.
    console.log(`FAILED  ${name}\n${error.message}`);
  }
}

/** What a command prints. Those of our dependencies are found by their name. */
async function run(file, args, cwd = root) {
  const { stdout } = await execa(file, args, { cwd, preferLocal: true, localDir: root, stdin: 'ignore' });
  return stdout;
}

function atMost(limit, bytes) {
  if (bytes > limit) throw new Error(`${bytes} bytes, at most ${limit} are allowed`);
}

/** Files that README.md links to or shows, and that were not packed. */
function missingLinks(folder) {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const targets = [...readme.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => (link ?? attribute).replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
  return [...new Set(targets)].filter((target) => !existsSync(join(folder, target)));
}

/** Optional peers stay outside, as they do in the program of anybody who does not install them. */
async function bundle(folder, entry, platform) {
  await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    outdir: 'out',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform,
    external: platform === 'node' ? ['zod'] : [],
    banner:
      platform === 'node'
        ? { js: "import { createRequire as __r } from 'node:module';\nconst require = __r(import.meta.url);" }
        : {},
    logLevel: 'silent',
  });
}

async function typecheck(name, compilerOptions, folder = project, files = ['consumer.ts', 'entries.ts']) {
  const config = join(folder, `tsconfig.${name}.json`);
  writeFileSync(
    config,
    JSON.stringify({
      compilerOptions: {
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2022',
        lib: ['es2022'],
        types: ['node'],
        ...compilerOptions,
      },
      files,
    }),
  );
  await run('tsc', ['-p', config], folder);
}

try {
  await run('npm', ['run', '--silent', 'build']);
  const packed = pack(work);
  const { tarball } = packed;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  await check('the package is at most 6.2 MB unpacked', () => atMost(LIMITS.unpacked, packed.unpackedBytes));
  await check('the code that runs is at most 1.72 MB', () => atMost(LIMITS.code, packed.codeBytes));
  await check('publint', () => run('publint', ['--strict', tarball]));
  // Of ES modules alone; the schema is data. `moduleResolution: node10` is asked too.
  const exceptions = [
    '--ignore-rules',
    'cjs-resolves-to-esm',
    '--exclude-entrypoints',
    './schemas/run-report.schema.json',
  ];
  await check('attw', () => run('attw', [tarball, ...exceptions]));

  mkdirSync(project);
  cpSync(join(root, 'test', 'fixtures', 'consumer'), project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  const typesVersion = JSON.parse(
    readFileSync(join(root, 'node_modules', '@types', 'node', 'package.json'), 'utf8'),
  ).version;
  await run('npm', ['install', '--no-audit', '--no-fund', tarball, `@types/node@${typesVersion}`], project);

  // Not ours: the project is type-checked too.
  const sizes = sizesOf(packed, project, ['@types/node', 'undici-types']);
  await check('the installed tree is at most 27 MB', () => atMost(LIMITS.tree, sizes.tree * 1_000_000));
  await check('README.md and docs/reference/performance.md say the sizes as measured, within 5 %', () => {
    const wrong = disagreements(sizes);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });
  await check('every link of README.md resolves inside the package', () => {
    const missing = missingLinks(join(project, 'node_modules', 'claudewire'));
    if (missing.length > 0) throw new Error(`no such file: ${missing.join(', ')}`);
  });
  await check('a stack trace leads to the TypeScript', async () => {
    const said = await run(process.execPath, ['--enable-source-maps', 'stack.mjs'], project);
    if (!/ at query \(.*src[\\/]query[\\/][\w-]+\.ts:\d+/.test(said)) throw new Error(said);
  });
  await check('installs into an empty project and loads from ESM', async () => {
    const names = await run(process.execPath, ['esm.mjs'], project);
    if (!names.includes('query')) throw new Error(`unexpected exports: ${names}`);
  });
  await check('loads from require()', () => run(process.execPath, ['require.cjs'], project));
  await check('the installed executable says its version', async () => {
    const said = await run(join(project, 'node_modules', '.bin', 'claudewire'), ['--version'], project);
    if (said !== version) throw new Error(`said ${said}, package is ${version}`);
  });
  await check('the installed executable plays its demo', async () => {
    const said = await run(join(project, 'node_modules', '.bin', 'claudewire'), ['demo', '--json'], project);
    if (!said.includes('"result"')) throw new Error(said);
  });
  await check('types under nodenext, no DOM lib, skipLibCheck false', () =>
    typecheck('nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }),
  );
  await check('types under bundler, no DOM lib, skipLibCheck false', () =>
    typecheck('bundler', { module: 'esnext', moduleResolution: 'bundler' }),
  );
  await check('types with the newest @types/node, skipLibCheck false', async () => {
    await run('npm', ['install', '--no-audit', '--no-fund', '@types/node@latest'], project);
    await typecheck('newest', { module: 'nodenext', moduleResolution: 'nodenext' });
  });

  // The official name, as "npm:" alias and as override of what a dependency of the program asks for.
  const alias = join(work, 'alias');
  const dependent = join(work, 'dependent');
  cpSync(join(root, 'test', 'fixtures', 'consumer'), alias, { recursive: true });
  mkdirSync(dependent);
  writeFileSync(
    join(dependent, 'package.json'),
    JSON.stringify({
      name: 'dependent',
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      dependencies: { [OFFICIAL]: '^0.3.0' },
    }),
  );
  writeFileSync(join(dependent, 'index.js'), `export * from '${OFFICIAL}';\n`);
  writeFileSync(
    join(alias, 'package.json'),
    JSON.stringify({
      name: 'alias',
      private: true,
      type: 'module',
      dependencies: { [OFFICIAL]: `file:${tarball}`, dependent: `file:${dependent}` },
      overrides: { [OFFICIAL]: `$${OFFICIAL}` },
    }),
  );
  await run('npm', ['install', '--no-audit', '--no-fund', '--install-links'], alias);
  const names = join(root, 'test', 'fixtures', 'official-entries.json');
  await check('under the official name every entry loads with every name', async () => {
    const said = await run(process.execPath, ['alias.mjs', names], alias);
    if (said !== 'ok') throw new Error(said);
  });
  await check('a dependency that asks for the official package gets this one', async () => {
    const code = `import * as a from 'dependent'; import * as b from '${OFFICIAL}'; console.log(a.query === b.query && a.VERSION)`;
    const said = await run(process.execPath, ['--input-type=module', '-e', code], alias);
    if (said !== version) throw new Error(said);
  });
  await check('a program that looks beside the resolved entry finds what the official package has there', async () => {
    const said = JSON.parse(await run(process.execPath, ['beside.mjs'], alias));
    if (said.problems.length > 0) throw new Error(said.problems.join('\n'));
  });

  // The twin, made by the installed executable and installed as it says.
  const twin = join(work, 'twin');
  mkdirSync(twin);
  cpSync(join(root, 'test', 'fixtures', 'consumer'), twin, { recursive: true });
  const manifest = {
    name: 'twin',
    private: true,
    type: 'module',
    dependencies: { claudewire: `file:${tarball}`, dependent: `file:${dependent}` },
  };
  writeFileSync(join(twin, 'package.json'), JSON.stringify(manifest));
  const installer = ['install', '--no-audit', '--no-fund', '--omit=optional', '--install-links'];
  await check('the twin installs with npm, by the lines that drop-in prints', async () => {
    const program = join(project, 'node_modules', 'claudewire', 'dist', 'bin', 'claudewire.js');
    const { lines } = JSON.parse(await run(process.execPath, [program, 'drop-in', '--json'], twin));
    const { dependencies, ...fields } = lines.npm.add['package.json'];
    Object.assign(manifest, fields, { dependencies: { ...manifest.dependencies, ...dependencies } });
    writeFileSync(join(twin, 'package.json'), JSON.stringify(manifest));
    await run('npm', [...installer, `@types/node@${typesVersion}`], twin);
  });
  await check('under the twin every entry loads with every name', async () => {
    const said = await run(process.execPath, ['alias.mjs', names, 'twin'], twin);
    if (said !== 'ok') throw new Error(said);
  });
  await check('a program finds beside the twin what it finds beside the official package', async () => {
    const { problems, version: found } = JSON.parse(await run(process.execPath, ['beside.mjs'], twin));
    const { claudeAgentSdkVersion } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    if (problems.length > 0 || found !== claudeAgentSdkVersion) throw new Error([found, ...problems].join('\n'));
  });
  await check('a dependency that asks for the official package gets the twin, which is this package', async () => {
    const code = `import * as a from 'dependent'; import * as b from '${OFFICIAL}'; import * as c from 'claudewire'; console.log(a.query === b.query && b.AbortError === c.AbortError)`;
    const said = await run(process.execPath, ['--input-type=module', '-e', code], twin);
    if (said !== 'true') throw new Error(said);
  });
  await check('types over the twin, no DOM lib, skipLibCheck false', () =>
    typecheck('twin', { module: 'nodenext', moduleResolution: 'nodenext' }, twin, ['official.ts']),
  );
  await check('esbuild bundles a program for Node, which runs', async () => {
    await bundle(alias, 'alias-bundle.mjs', 'node');
    const said = await run(process.execPath, [join(alias, 'out', 'alias-bundle.mjs')], alias);
    if (said !== 'function AbortError sdk') throw new Error(said);
  });
  await check('esbuild bundles the browser entry without anything of Node', async () => {
    await bundle(alias, 'alias-browser.mjs', 'browser');
    const said = await run(process.execPath, [join(alias, 'out', 'alias-browser.mjs')], alias);
    if (said !== 'function undefined t') throw new Error(said);
  });
} finally {
  rmSync(work, { recursive: true, force: true });
}

console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
