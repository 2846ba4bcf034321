import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../src/program.js';

/** Clears the screen, sets the clipboard, turns the text around, and C1. */
const EVIL = '\u001b[2J\u001b]52;c;aGk=\u0007\u202e\u009b2J';
const STEERS = /[^\P{Cc}\n\t]|\p{Cf}/u;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-evil-'));
  const write = (name: string, ...lines: readonly unknown[]): void =>
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const name of ['demo', 'launcher/spawns']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'launcher', 'spawns', '1'), '1');
  const failure = { message: EVIL, got: [{ EVIL }], where: EVIL };
  write('launcher/verdict-1.json', { scenario: EVIL, spawn: 1, passed: false, failure });
  write('named', { scenario: EVIL, version: 1 }, { spawn: {} });
  write('bad-field', { scenario: 's', version: 1 }, { [EVIL]: 1 });
  write('bad-version', { scenario: 's', version: EVIL });
  const meta = { event: 'scrubbed', items: [{ kind: EVIL, count: 1, where: [EVIL] }, { kind: 1 }, null] };
  const about = { scenario: EVIL, cli_version: EVIL, argv: ['claude', EVIL], dirs: {} };
  const process = [
    { t: 0, dir: 'meta', data: { event: 'spawn', argv: ['claude'], env: [], proc: 1 } },
    { t: 1, dir: 'in', data: { type: 'user', message: { role: 'user', content: EVIL } } },
    { t: 2, dir: 'out', data: { type: EVIL } },
    { t: 2, dir: 'err', data: EVIL },
    { t: 3, dir: 'meta', data: { event: EVIL } },
    { t: 3, dir: 'meta', data: meta },
    { t: 4, dir: 'meta', data: { event: 'exit', code: 0, signal: null } },
  ];
  write('recording', { t: 0, dir: 'meta', data: about }, ...process);
  write('not-items', { t: 0, dir: 'meta', data: about }, { t: 1, dir: 'meta', data: { ...meta, items: EVIL } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['scenario check ./named', 0, /good/],
  ['scenario check ./bad-field', 1, /bad-field:2/],
  ['scenario check ./bad-version', 1, /must be 1/],
  ['scenario from ./recording', 0, /"scenario":/],
  ['scenario from ./named', 2, /error: /],
  ['record --scrubbed ./recording', 0, /scrubbed:/],
  ['record --scrubbed ./not-items', 0, /scrubbed: nothing/],
  ['replay ./named --report ./launcher', 1, /process 1: /],
  ['replay ./bad-field --report ./launcher', 2, /error: /],
])('%s says nothing that a terminal obeys', async (args, code, says) => {
  let said = '';
  const exitCode = await runProgram({
    argv: args.split(' ').map((each) => each.replace(/^\.\//, `${folder}/`)),
    version: '0.0.0',
    assets: folder,
    stdout: { write: (text) => (said += text) },
    stderr: { write: (text) => (said += text) },
    env: {},
    abortController: new AbortController(),
  });
  expect(said).toMatch(says);
  expect(STEERS.exec(said)).toBeNull();
  expect(exitCode).toBe(code);
});
