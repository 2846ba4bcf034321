import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../../test/helpers/built-package.js';

const NAME = '@anthropic-ai/claude-agent-sdk';
const TARBALL = 'claude-agent-sdk-0.3.330.tgz';
const LINE = `file:./vendor/claude-agent-sdk/${TARBALL}`;

/** A project that has claudewire, as package managers put it there. In the checkout, which has what claudewire needs. */
let project: string;
/** The package as it was built, outside of any node_modules. */
let built: string;
beforeAll(() => {
  built = join(buildPackage('drop-in'), '..');
  project = mkdtempSync(join(built, '..', 'drop-in-project-'));
  cpSync(built, join(project, 'node_modules', 'claudewire'), { recursive: true });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function dropIn(args: readonly string[], root = join(project, 'node_modules', 'claudewire'), cwd = project): Ended {
  const program = join(root, 'dist', 'bin', 'claudewire.js');
  return spawnSync(process.execPath, [program, 'drop-in', ...args], { cwd, encoding: 'utf8' });
}

const WITH_CLAUDEWIRE = { dependencies: { claudewire: '^0.1.0' } };

function writeProject(manifest: object = WITH_CLAUDEWIRE): void {
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module', ...manifest }));
}

const read = (...path: readonly string[]): string => readFileSync(join(project, ...path), 'utf8');
const own = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as Record<
  string,
  unknown
>;

test('the twin has the official name and version, cannot be published, and says what it is (D-2)', () => {
  writeProject();
  expect(dropIn([])).toMatchObject({ status: 0, stderr: '' });
  const folder = ['vendor', 'claude-agent-sdk'];
  const manifest = JSON.parse(read(...folder, 'package.json')) as Record<string, unknown>;
  expect(manifest).toMatchObject({
    name: NAME,
    version: '0.3.330',
    private: true,
    main: './sdk.mjs',
    peerDependencies: { claudewire: `>=${String(own.version)}`, zod: '^4.0.0' },
    claudeCodeVersion: own.claudeCodeVersion,
  });
  expect(manifest).not.toHaveProperty('dependencies');
  expect(Object.keys(manifest.optionalDependencies as object)).toHaveLength(8);
  const { status, stderr } = spawnSync((manifest.scripts as { prepublishOnly: string }).prepublishOnly, {
    shell: true,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('never publish it');
  expect(read(...folder, 'README.md')).toContain("This is not Anthropic's package.");
  expect(JSON.parse(read(...folder, 'manifest.json'))).toEqual({ version: own.claudeCodeVersion, platforms: {} });
});

test('every official entry of an installed twin is claudewire, found where the official package has it (D-1, D-2)', () => {
  writeProject();
  const { tarball } = JSON.parse(dropIn(['--json']).stdout) as { tarball: string };
  const installed = join(project, 'node_modules', NAME);
  unpack(tarball, installed);
  writeFileSync(
    join(project, 'program.mjs'),
    `import * as own from 'claudewire';
    import { createRequire } from 'node:module';
    import * as sdk from '${NAME}';
    const { runTimeNames } = JSON.parse(process.argv[2]);
    const missing = [];
    for (const [entry, names] of Object.entries(runTimeNames)) {
      const loaded = await import('${NAME}' + entry.slice(1));
      missing.push(...names.filter((name) => !(name in loaded)).map((name) => entry + ' ' + name));
    }
    const entry = createRequire(import.meta.url).resolve('${NAME}');
    const source = String(sdk.query);
    console.log(JSON.stringify({ missing, entry, same: sdk.AbortError === own.AbortError, source }));`,
  );
  const entries = readFileSync(new URL('../../../test/fixtures/official-entries.json', import.meta.url), 'utf8');
  const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs', entries], { cwd: project, encoding: 'utf8' });
  expect(stderr).toBe('');
  const said = JSON.parse(stdout) as { missing: string[]; entry: string; same: boolean; source: string };
  expect(said).toMatchObject({ missing: [], entry: join(installed, 'sdk.mjs'), same: true });
  // Tracers rewrite a function of this very file; a re-export would leave them nothing.
  expect(read('node_modules', NAME, 'sdk.mjs')).toContain(said.source);
});

test('the same command writes the same bytes, in place of an older twin, and follows no link', () => {
  writeProject();
  expect(dropIn(['--out', 'again']).status).toBe(0);
  const before = readFileSync(join(project, 'again', TARBALL));
  const names = readdirSync(join(project, 'again'));
  writeFileSync(join(project, 'again', 'claude-agent-sdk-0.3.329.tgz'), 'old');
  writeFileSync(join(project, 'precious.txt'), 'mine');
  rmSync(join(project, 'again', 'sdk.mjs'));
  symlinkSync(join(project, 'precious.txt'), join(project, 'again', 'sdk.mjs'));
  expect(dropIn(['--out', 'again']).status).toBe(0);
  expect(readFileSync(join(project, 'again', TARBALL))).toEqual(before);
  expect(readdirSync(join(project, 'again'))).toEqual(names);
  expect(read('precious.txt')).toBe('mine');
});

test.each([
  { about: 'a folder that is something else', files: { 'package.json': '{"name":"app"}' } },
  { about: 'a twin to which a file was added', files: { 'notes.txt': 'mine' }, isTwin: true },
  { about: 'a twin with a tarball of another name', files: { 'claude-agent-sdk-notes.tgz': 'mine' }, isTwin: true },
  {
    about: 'a folder whose package.json only quotes what a twin says of itself',
    files: { 'package.json': '{"name":"app","description":"Made by `claudewire drop-in`"}' },
  },
])('$about is left alone, with exit code 2', ({ files, isTwin }) => {
  writeProject();
  rmSync(join(project, 'other'), { recursive: true, force: true });
  if (isTwin === true) dropIn(['--out', 'other']);
  else mkdirSync(join(project, 'other'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, 'other', name), text);
  const before = readdirSync(join(project, 'other'));
  const { status, stdout, stderr } = dropIn(['--out', 'other']);
  const [name = ''] = Object.keys(files);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^error: .*other has files that this command did not write: .*Name another folder with --out/);
  expect(stderr).toContain(name);
  expect(readdirSync(join(project, 'other'))).toEqual(before);
  expect(read('other', name)).toBe(files[name as keyof typeof files]);
});

test('a write that fails leaves the old twin, and nothing beside it', () => {
  writeProject();
  expect(dropIn(['--out', 'kept']).status).toBe(0);
  const before = readFileSync(join(project, 'kept', TARBALL));
  const program = join(project, 'node_modules', 'claudewire', 'dist', 'bin', 'claudewire.js');
  const failing = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { renameSync } = fs;
    fs.renameSync = (from, to) => {
      if (from.endsWith('.new')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      renameSync(from, to);
    };
    syncBuiltinESMExports();`;
  const hook = `data:text/javascript,${encodeURIComponent(failing)}`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', hook, program, 'drop-in', '--out', 'kept'], {
    cwd: project,
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: cannot write .*kept: the disk is full\n$/);
  expect(readFileSync(join(project, 'kept', TARBALL))).toEqual(before);
  expect(readdirSync(project).filter((name) => name.startsWith('kept.'))).toEqual([]);
});

test('a file in the place of the folder is named, with exit code 2', () => {
  writeProject();
  const { status, stderr } = dropIn(['--out', 'package.json']);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: cannot write .*package\.json: ENOTDIR\n$/);
});

test.each([
  { about: 'has none', manifest: {} },
  {
    about: 'has it under the official name only',
    manifest: { dependencies: { [NAME]: 'file:./claudewire-0.1.0.tgz' } },
  },
  { about: 'has a field that is no object', manifest: { dependencies: 'claudewire' } },
])('a project that $about is refused: the twin would lead to what a registry has', ({ manifest }) => {
  writeProject(manifest);
  const { status, stdout, stderr } = dropIn(['--out', 'refused']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^error: .*package\.json has no dependency `claudewire`\. .*install claudewire/);
  expect(readdirSync(project)).not.toContain('refused');
});

test('outside of a project nothing is written', () => {
  const outside = mkdtempSync(join(tmpdir(), 'drop-in-outside-'));
  try {
    const { status, stderr } = dropIn([], undefined, outside);
    expect(status).toBe(2);
    expect(stderr).toContain(`error: There is no package.json in ${realpathSync(outside)} or above.`);
    expect(readdirSync(outside)).toEqual([]);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test('in a subfolder it is the project that gets the twin', () => {
  writeProject({ devDependencies: { claudewire: 'file:./claudewire-0.1.0.tgz' } });
  const below = join(project, 'src', 'deep');
  mkdirSync(below, { recursive: true });
  const said = JSON.parse(dropIn(['--json'], undefined, below).stdout) as Record<string, unknown>;
  expect(said).toMatchObject({ project, folder: join(project, 'vendor', 'claude-agent-sdk') });
  expect(said.lines).toMatchObject({ npm: { add: { 'package.json': { dependencies: { [NAME]: LINE } } } } });
});

test('prints what each package manager needs, and how to undo it', () => {
  writeProject();
  const path = { [NAME]: LINE };
  const { lines } = JSON.parse(dropIn(['--json']).stdout) as { lines: Record<string, object> };
  expect(lines).toEqual({
    npm: {
      add: { 'package.json': { dependencies: path, overrides: path } },
      undo: `npm install && npm update ${NAME}`,
    },
    pnpm: {
      add: { 'package.json': { dependencies: path }, 'pnpm-workspace.yaml': { overrides: path } },
      undo: 'pnpm install',
    },
    yarn: { add: { 'package.json': { dependencies: path, resolutions: path } }, undo: 'yarn install' },
    bun: { add: { 'package.json': { dependencies: path, overrides: path } }, undo: 'bun install --force' },
  });
  const { stdout } = dropIn([]);
  for (const manager of Object.keys(lines)) expect(stdout).toMatch(new RegExp(`^${manager}\n  package.json: {`, 'm'));
  expect(stdout).toContain(`  undo: npm install && npm update ${NAME}\n`);
});

test('a path outside of the project is absolute', () => {
  writeProject();
  mkdirSync(join(project, 'below'), { recursive: true });
  const { stdout } = dropIn(['--json', '--out', '../../outside'], undefined, join(project, 'below'));
  expect(stdout).toContain(JSON.stringify(`file:${join(project, '..', 'outside', TARBALL)}`));
});

/** As npm does: what is in `package/`. Checks that `tar` could read it, where there is one. */
function unpack(tarball: string, folder: string): void {
  const bytes = gunzipSync(readFileSync(tarball));
  mkdirSync(folder, { recursive: true });
  for (let at = 0; bytes[at] !== 0; ) {
    const name = bytes.toString('latin1', at, bytes.indexOf(0, at));
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8);
    const sum = Number.parseInt(bytes.toString('latin1', at + 148, at + 154), 8);
    const header = Buffer.from(bytes.subarray(at, at + 512)).fill(' ', 148, 156);
    expect(sum).toBe(header.reduce((total, byte) => total + byte, 0));
    expect(name).toMatch(/^package\/[\w.-]+$/);
    writeFileSync(join(folder, name.slice('package/'.length)), bytes.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
