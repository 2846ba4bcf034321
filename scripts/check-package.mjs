#!/usr/bin/env node
/**
 * Proves the package as a stranger gets it: packed, installed into an empty project, loaded from ESM and
 * from require(), type-checked without skipLibCheck and without the DOM lib, linted by publint and attw.
 * Last line: `N passed, N failed`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const work = mkdtempSync(join(tmpdir(), 'claudewire-package-'));
const project = join(work, 'project');
const counts = { passed: 0, failed: 0 };

/** Runs one check; what it printed is shown only when it fails. */
function check(name, action) {
  try {
    action();
    counts.passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED  ${name}\n${error.stdout ?? ''}${error.stderr ?? ''}${error.message}`);
  }
}

function run(file, args, cwd = root) {
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const bin = (name) => join(root, 'node_modules', '.bin', name);

function typecheck(name, compilerOptions) {
  const config = join(project, `tsconfig.${name}.json`);
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
      files: ['consumer.ts'],
    }),
  );
  run(bin('tsc'), ['-p', config], project);
}

try {
  run('npm', ['run', '--silent', 'build']);
  const said = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work]);
  const report = JSON.parse(said);
  // An array in npm 10, an object by package name since npm 11.
  const [packed] = Array.isArray(report) ? report : Object.values(report);
  const tarball = join(work, packed.filename);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  check(`the package is at most 1 MB unpacked (${packed.unpackedSize} bytes)`, () => {
    if (packed.unpackedSize > 1_000_000) throw new Error('too large');
  });
  check('publint', () => run(bin('publint'), ['--strict', tarball]));
  check('attw --profile esm-only', () => run(bin('attw'), [tarball, '--profile', 'esm-only']));

  mkdirSync(project);
  cpSync(join(root, 'test', 'fixtures', 'consumer'), project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  const typesVersion = JSON.parse(
    readFileSync(join(root, 'node_modules', '@types', 'node', 'package.json'), 'utf8'),
  ).version;
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', tarball, `@types/node@${typesVersion}`],
    project,
  );

  check('installs into an empty project and loads from ESM', () => {
    const names = run(process.execPath, ['esm.mjs'], project).trim();
    if (!names.includes('query')) throw new Error(`unexpected exports: ${names}`);
  });
  check('loads from require()', () => run(process.execPath, ['require.cjs'], project));
  check('the installed executable says its version', () => {
    const said = run(join(project, 'node_modules', '.bin', 'claudewire'), ['--version'], project);
    if (said.trim() !== version) throw new Error(`said ${said.trim()}, package is ${version}`);
  });
  check('the installed executable plays its demo', () => {
    const said = run(
      join(project, 'node_modules', '.bin', 'claudewire'),
      ['demo', '--json'],
      project,
    );
    if (!said.includes('"result"')) throw new Error(said);
  });
  check('types under nodenext, no DOM lib, skipLibCheck false', () =>
    typecheck('nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }),
  );
  check('types under bundler, no DOM lib, skipLibCheck false', () =>
    typecheck('bundler', { module: 'esnext', moduleResolution: 'bundler' }),
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
