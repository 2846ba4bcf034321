import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { EphemeralHome, type EphemeralHomeOptions } from '../../../src/adapter/isolation/ephemeral-home.js';
import type { IsolationConfig } from '../../../src/adapter/isolation/isolation-config.js';
import { keepingLog, refused } from './support.js';

let folder: string;
let cwd: string;
let tempRoot: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cw-open-')));
  [cwd, tempRoot] = [join(folder, 'cwd'), join(folder, 't')];
  for (const path of ['cwd', 't', 'bin', 'extra', 'out']) mkdirSync(join(folder, path));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function pathOf(entries: readonly string[], isolation: IsolationConfig = {}, more: EphemeralHomeOptions = {}) {
  const log = keepingLog();
  await using home = await EphemeralHome.create(isolation, {
    workspacePath: cwd,
    addDirs: [join(folder, 'extra')],
    hostEnv: { PATH: entries.join(delimiter) },
    hostHome: join(folder, 'home'),
    tempRoot,
    platform: 'linux',
    log,
    ...more,
  });
  const dropped = log.logged.find(({ event }) => event === 'isolation.path_entries_dropped');
  return { path: home.getEnv().PATH?.split(delimiter), dropped: dropped?.context.entries ?? [], level: dropped?.level };
}

// There is no sandbox on Windows whose programs could be put there.
describe.skipIf(process.platform === 'win32')('sandbox programs on the PATH (skipped on Windows)', () => {
  test('entries where the model may write are left out, and logged', async () => {
    const bad = [
      '',
      '.',
      'node_modules/.bin',
      '~/bin',
      cwd,
      join(cwd, 'node_modules/.bin'),
      join(cwd, 'not-there-yet'),
      join(folder, 'bin/../cwd/x'),
      join(folder, 'extra'),
      join(folder, 'out/bin'),
      join(tempRoot, 'claude-agent-x/tmp'),
    ];
    const good = [join(folder, 'bin'), join(folder, 'cwd2'), join(tempRoot, 'bin')];
    const sandbox = { writablePaths: [join(folder, 'out')] };
    const { path, dropped, level } = await pathOf([...bad, ...good], { sandbox });
    expect(path).toEqual(good);
    expect(dropped).toEqual(bad);
    expect(level).toBe('warn');
    expect(await pathOf(good)).toMatchObject({ path: good, dropped: [] });
  });

  test('whoever can change a link decides where it leads', async () => {
    const bin = join(folder, 'bin');
    symlinkSync(cwd, join(folder, 'into'));
    symlinkSync(bin, join(cwd, 'out-of'));
    symlinkSync(join(cwd, 'out-of'), join(folder, 'through'));
    symlinkSync(bin, join(folder, 'fine'));
    symlinkSync('loop', join(folder, 'loop'));
    const bad = ['into/bin', 'into', 'cwd/out-of', 'through', 'into/../bin'];
    const good = ['fine', 'loop/x'].map((name) => join(folder, name));
    const { path } = await pathOf([...bad.map((name) => `${folder}/${name}`), ...good]);
    expect(path).toEqual(good);
  });

  test('a program of the sandbox that is a link into the working directory', async () => {
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(cwd, 'mine'), '');
    symlinkSync(join(cwd, 'mine'), join(folder, 'bin/bwrap'));
    symlinkSync(join(cwd, 'mine'), join(folder, 'other/some-tool'));
    const { path } = await pathOf([join(folder, 'bin'), join(folder, 'other')]);
    expect(path).toEqual([join(folder, 'other')]);
  });

  test('`env` and `passEnv` have no way around it', async () => {
    const bad = join(cwd, 'bin');
    const PATH = `${bad}${delimiter}${join(folder, 'bin')}`;
    for (const isolation of [{ env: { PATH } }, { passEnv: ['PATH'] }, { includeHostEnv: true }]) {
      const { path, dropped } = await pathOf([bad, join(folder, 'bin')], isolation);
      expect(path).toEqual([join(folder, 'bin')]);
      expect(dropped).toEqual([bad]);
    }
    const { path } = await pathOf([join(folder, 'out')], { env: { TMPDIR: join(folder, 'out') } });
    expect(path).toBeUndefined();
  });

  test('nothing left: there is no PATH, since an empty one means the working directory', async () => {
    expect((await pathOf(['.', cwd])).path).toBeUndefined();
  });
});

// Its cases are made of links, which need a privilege on Windows.
describe.skipIf(process.platform === 'win32')('a home where tools may write (skipped on Windows)', () => {
  const cases: readonly (readonly [string, () => { isolation?: IsolationConfig; more: EphemeralHomeOptions }])[] = [
    ['the working directory itself', () => ({ more: { workspacePath: tempRoot } })],
    ['a folder of it', () => ({ more: { workspacePath: folder } })],
    ['a folder of the host’s directory', () => ({ more: { workspacePath: '/' } })],
    ['a link into it', () => ({ more: { workspacePath: cwd, tempRoot: join(folder, 'link') } })],
    ['an extra directory', () => ({ more: { addDirs: [folder] } })],
    ['a relative extra directory', () => ({ more: { addDirs: ['..'] } })],
    ['a writable path', () => ({ isolation: { sandbox: { writablePaths: [tempRoot] } }, more: {} })],
  ];
  test.each(cases)('is refused before it is made: %s', async (_, make) => {
    mkdirSync(join(cwd, 't'));
    symlinkSync(join(cwd, 't'), join(folder, 'link'));
    const { isolation, more } = make();
    const error = await refused(pathOf([], isolation, more));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['tempRoot'] });
    expect([...readdirSync(tempRoot), ...readdirSync(join(cwd, 't'))]).toEqual([]);
  });

  test('a working directory beside the homes is none', async () => {
    const beside = join(tempRoot, 'workspace');
    mkdirSync(beside);
    const bin = join(folder, 'bin');
    expect(await pathOf([bin], {}, { workspacePath: beside })).toMatchObject({ path: [bin] });
  });
});
