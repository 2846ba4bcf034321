import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../../../test/helpers/built-package.js';
import { runProgram } from '../../src/program.js';
import { EXIT_CODES } from '../../src/run/exit-codes.js';

const page = readFileSync(new URL('../../../../docs/reference/command-line.md', import.meta.url), 'utf8');

let assets: string;
beforeAll(() => {
  assets = buildPackage('command-line-doc');
});

async function help(...argv: readonly string[]): Promise<string> {
  let said = '';
  await runProgram({
    argv: [...argv, '--help'],
    version: '0.0.0',
    assets,
    stdout: { write: (text) => (said += text) },
    stderr: { write: () => true },
    env: {},
    abortController: new AbortController(),
  });
  return said;
}

test('docs/reference/command-line.md has the exit code of every outcome', () => {
  const table = page.slice(page.indexOf('### Exit codes of run'), page.indexOf('says what each outcome means'));
  const documented = [...table.matchAll(/^\| (\d+) \| (.*) \|$/gm)].flatMap(([, code, text = '']) =>
    [...text.matchAll(/`([a-z_]+)`/g)].map(([, kind]) => [kind, Number(code)]),
  );
  expect(Object.fromEntries(documented)).toEqual(EXIT_CODES);
});

test('the page that docs/reference/command-line.md links for the outcomes has every one', () => {
  const [, name = ''] = /\]\(((?:\.\.\/)?[\w-]+\.md)#[\w-]+\) says what each outcome means/.exec(page) ?? [];
  const linked = readFileSync(new URL(`../../../../docs/reference/${name}`, import.meta.url), 'utf8');
  expect(Object.keys(EXIT_CODES).filter((kind) => !linked.includes(`\`${kind}\``))).toEqual([]);
});

test('docs/reference/command-line.md names every command, and every option of run and doctor', async () => {
  const [program, run, doctor] = [await help(), await help('run'), await help('doctor')];
  const commands = [...program.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, name]) => name);
  expect(commands).toEqual(expect.arrayContaining(['run', 'doctor', 'replay']));
  const missing = [
    ...commands.filter((name) => name !== 'help' && !page.includes(`[\`${name}\`]`)),
    ...[...`${run}${doctor}`.matchAll(/^ {2}(--[a-z-]+)/gm)]
      .map(([, name]) => name)
      .filter((name) => !page.includes(`${name}`)),
  ];
  expect(missing).toEqual([]);
});

test('claudewire run --help has the exit code of every outcome', async () => {
  const codes = (await help('run')).split('Exit codes:')[1] ?? '';
  const listed = [...codes.matchAll(/^ {2}(\d+) +((?:.|\n {7})*)/gm)].flatMap(([, code, text = '']) =>
    (text.match(/[a-z_]+/g) ?? [])
      .filter((word) => Object.hasOwn(EXIT_CODES, word))
      .map((kind) => [kind, Number(code)]),
  );
  expect(Object.fromEntries(listed)).toEqual(EXIT_CODES);
});
