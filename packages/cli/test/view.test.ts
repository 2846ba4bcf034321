import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../test/helpers/built-package.js';

const RECORDING = fileURLToPath(new URL('../../../test/fixtures/recordings/tool-errors.jsonl', import.meta.url));

let program: string;
let dir: string;
beforeAll(() => {
  program = join(buildPackage('view'), 'bin/claudewire.js');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-view-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

function view(args: readonly string[], input = '') {
  return spawnSync(process.execPath, [program, 'view', ...args], { input, encoding: 'utf8', cwd: dir });
}

test('the built program writes the page of a recording beside nothing else', () => {
  const { status, stdout, stderr } = view([RECORDING, '--no-open']);
  expect([status, stdout, stderr]).toEqual([
    0,
    'tool-errors.view.html: recording, 26 frames, 5 errors, 0 warnings\n',
    '',
  ]);
  const html = readFileSync(join(dir, 'tool-errors.view.html'), 'utf8');
  expect(html.match(/<script>/g)).toHaveLength(1);
  expect(html).not.toMatch(/<link|src=|sourceMappingURL/);
});

test('standard input as JSON', () => {
  const { status, stdout } = view(['-', '--json'], readFileSync(RECORDING, 'utf8'));
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ format: 1, source: { kind: 'recording', name: 'stdin', lines: 26 } });
});

test.each([
  [['none.jsonl'], 'error: cannot read none.jsonl: there is no such file or folder\n'],
  [[RECORDING, '--out', '.'], 'error: . is a folder: name a file\n'],
  [['-', '--follow', '--json'], 'error: --follow cannot be combined with --json\n'],
])('what cannot be used is one line, exit code 2 and no page: %j', (args, line) => {
  const { status, stderr, stdout } = view(args);
  expect([status, stderr, stdout]).toEqual([2, line, '']);
  expect(existsSync(join(dir, 'tool-errors.view.html'))).toBe(false);
});

test('--follow says where it serves, and Ctrl-C ends it with 130', async () => {
  const child = spawn(process.execPath, [program, 'view', RECORDING, '--follow', '--no-open'], { cwd: dir });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  expect(said.toString()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\n$/);
  expect((await fetch(said.toString().trim())).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
});
