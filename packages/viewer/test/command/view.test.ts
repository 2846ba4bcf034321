import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openerOf } from '../../src/command/open-browser.js';
import { recordingOf } from '../helpers/recordings.js';
import { run, tempFolder } from '../helpers/view-host.js';

const SMALL = recordingOf([[1, 'in', { type: 'user', message: { role: 'user', content: 'Hi.' } }]]);

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('a file', () => {
  test('becomes one page that only its owner may read, and is written anew the next time', async () => {
    const folder = folderWith({ 'a.jsonl': SMALL });
    const out = join(folder, 'a.html');
    for (const _ of [1, 2]) {
      const { code, out: said } = await run({ source: join(folder, 'a.jsonl'), out });
      expect(await code).toBe(0);
      expect(said()).toBe(`${out}: recording, 2 frames, 0 errors, 0 warnings\n`);
    }
    const html = readFileSync(out, 'utf8');
    expect(html).toContain("default-src 'none'");
    expect(html).not.toContain('connect-src');
    expect(html).not.toMatch(/unsafe-inline|unsafe-eval/);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['a.html', 'a.jsonl']);
  });

  test('as JSON has the data and no page', async () => {
    const folder = folderWith({ 'a.jsonl': SMALL });
    const { code, out } = await run({ source: join(folder, 'a.jsonl'), json: true });
    expect(await code).toBe(0);
    expect(JSON.parse(out())).toMatchObject({ format: 1, source: { kind: 'recording', name: 'a.jsonl' } });
    expect(readdirSync(folder)).toEqual(['a.jsonl']);
  });

  test('as JSON sends nothing that a terminal obeys, and says the same', async () => {
    const content = 'red \u009b31m \u202eback \u{e0041} \ud800';
    const line = recordingOf([[1, 'in', { type: 'user', message: { role: 'user', content } }]]);
    const folder = folderWith({ 'a.jsonl': line });
    const { code, out } = await run({ source: join(folder, 'a.jsonl'), json: true });
    expect(await code).toBe(0);
    expect(out().trimEnd()).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}/u);
    expect(JSON.stringify(JSON.parse(out()))).toContain('\u009b31m \u202eback \u{e0041}');
  });

  test('of standard input', async () => {
    const { stdin, code, out } = await run({ source: '-', json: true });
    stdin.end(SMALL);
    expect(await code).toBe(0);
    expect(JSON.parse(out())).toMatchObject({ source: { name: 'stdin', lines: 2 } });
  });

  test('whose name has escape sequences does not send them to the terminal', async () => {
    const folder = folderWith({ 'a.jsonl': SMALL });
    const out = join(folder, '\u001b[31mred.html');
    const { code, out: said } = await run({ source: join(folder, 'a.jsonl'), out });
    expect(await code).toBe(0);
    expect(said()).not.toContain('\u001b');
  });

  test.each([
    ['a file that is no page', 'other.txt', 'exists and is no page of claudewire view'],
    ['the recording itself', 'a.jsonl', 'exists and is no page of claudewire view'],
    ['a folder', '.', 'is a folder: name a file'],
    ['a folder that is not there', 'none/a.html', 'there is no such file or folder'],
  ])('--out names %s: nothing is written', async (_, name, why) => {
    const folder = folderWith({ 'a.jsonl': SMALL, 'other.txt': 'mine' });
    const { code } = await run({ source: join(folder, 'a.jsonl'), out: join(folder, name) });
    await expect(code).rejects.toThrow(why);
    expect(readFileSync(join(folder, 'other.txt'), 'utf8')).toBe('mine');
    expect(readFileSync(join(folder, 'a.jsonl'), 'utf8')).toBe(SMALL);
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'other.txt']);
  });

  test.each([
    [{ source: '/no/such/file' }, 'cannot read /no/such/file: there is no such file or folder'],
    [{ source: '' }, 'the source is empty: name a file, a folder, or - for standard input'],
    [{ source: '-', json: true, out: 'x' }, '--json writes no page: it cannot be combined with --out'],
    [{ source: '-', follow: true, json: true }, '--follow cannot be combined with --json'],
    [{ source: '-', follow: true, out: 'x' }, '--follow serves the page'],
  ])('arguments that cannot be used: %j', async (args, why) => {
    await expect((await run(args)).code).rejects.toThrow(why);
  });
});

describe('a folder', () => {
  test('becomes a page for each file and a list with links; what cannot be shown is named', async () => {
    const outside = folderWith({ 'secret.jsonl': SMALL });
    const folder = folderWith({ 'a.jsonl': SMALL, 'b<b>.jsonl': SMALL, 'notes.txt': 'no' });
    symlinkSync(join(outside, 'secret.jsonl'), join(folder, 'out.jsonl'));
    symlinkSync(join(folder, 'a.jsonl'), join(folder, 'in.jsonl'));
    symlinkSync(join(folder, 'gone'), join(folder, 'dangling.jsonl'));
    mkdirSync(join(folder, 'sub.jsonl'));
    const out = join(tempFolder(), 'pages');
    const { code, err } = await run({ source: folder, out });
    expect(await code).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['a.jsonl.html', 'b<b>.jsonl.html', 'in.jsonl.html', 'index.html']);
    expect(err()).toContain('not shown: out.jsonl: a link that leads out of the folder');
    const index = readFileSync(join(out, 'index.html'), 'utf8');
    expect(index).toContain('<a href="b%3Cb%3E.jsonl.html">b&#60;b&#62;.jsonl</a>');
    expect(index).not.toContain('<script');
  });

  test('with 10,000 files: 500 become pages, and it says that the others do not', async () => {
    const folder = tempFolder();
    for (let index = 0; index < 10_000; index += 1) writeFileSync(join(folder, `${index}.jsonl`), '');
    const { code, out } = await run({ source: folder, json: true });
    expect(await code).toBe(0);
    const { files, left } = JSON.parse(out()) as { files: unknown[]; left: string[] };
    expect(files).toHaveLength(500);
    expect(left).toEqual([expect.stringContaining('9500 more files')]);
  });

  test('a file with a long name does not keep the others from their pages', async () => {
    const long = ['x', 'y'].map((end) => `${'ä'.repeat(120)}${end}.jsonl`);
    const folder = folderWith({ 'a.jsonl': SMALL, [long[0] ?? '']: SMALL, [long[1] ?? '']: SMALL });
    const out = join(tempFolder(), 'pages');
    const { code } = await run({ source: folder, out });
    expect(await code).toBe(0);
    expect(readdirSync(out)).toHaveLength(4);
  });

  test('--out with a name that is too long says so', async () => {
    const folder = folderWith({ 'a.jsonl': SMALL });
    const out = join(folder, `${'n'.repeat(250)}.html`);
    await expect((await run({ source: join(folder, 'a.jsonl'), out })).code).rejects.toThrow('the name is too long');
  });

  test('that looks like a kept play: links that lead out of it are not followed', async () => {
    const outside = folderWith({ 'secret.jsonl': SMALL });
    const folder = folderWith({ 'a.jsonl': SMALL });
    mkdirSync(join(folder, 'cli'));
    symlinkSync(join(outside, 'secret.jsonl'), join(folder, 'log.jsonl'));
    const { code, out } = await run({ source: folder, json: true });
    expect(await code).toBe(0);
    expect(JSON.parse(out())).toMatchObject({
      files: [{ name: 'a.jsonl' }],
      left: ['log.jsonl: a link that leads out of the folder'],
    });
  });

  test('without a recording', async () => {
    await expect((await run({ source: tempFolder() })).code).rejects.toThrow('has no .jsonl or .json file');
  });

  test('that the conformance suite has kept: the log of the play, with its verdict', async () => {
    const folder = folderWith({
      'log.jsonl': `${JSON.stringify({ t: 1, pid: 9, spawn: 1, event: 'in', line: '{"type":"user"}' })}\n`,
    });
    mkdirSync(join(folder, 'cli'));
    const verdict = { scenario: 's', spawn: 1, passed: false, failure: { message: 'another frame came' } };
    writeFileSync(join(folder, 'cli', 'verdict-1.json'), JSON.stringify(verdict));
    const { code, out } = await run({ source: folder, json: true });
    expect(await code).toBe(0);
    expect(JSON.parse(out())).toMatchObject({
      source: { kind: 'play-log' },
      frames: [{ dir: 'in', kind: 'user' }, { kind: 'meta/verdict' }],
      faults: [{ kind: 'failed-scenario', frame: 1, text: 'another frame came' }],
    });
  });
});

test.each([
  ['darwin', {}, 'open'],
  ['linux', { DISPLAY: ':0' }, 'xdg-open'],
  ['linux', {}, undefined],
  ['win32', {}, 'rundll32'],
] as const)('on %s with %j a page is opened by %s', (platform, env, command) => {
  expect(openerOf(platform, env)?.[0]).toBe(command);
});
