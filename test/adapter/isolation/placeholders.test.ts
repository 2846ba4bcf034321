import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EphemeralHome } from '../../../src/adapter/isolation/ephemeral-home.js';
import { recordAbsent, removePlaceholders } from '../../../src/adapter/isolation/placeholders.js';
import { ownDirectoryPrefix } from '../../../src/util/stale-directories.js';

let root: string;
let work: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'cw-ph-')));
  work = folder('work');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string): string {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name);
}

function put(path: string, { mode = 0o644, text = '' } = {}): void {
  const file = join(work, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

/** As bwrap makes one. */
const placeholder = (path: string): void => put(path, { mode: 0o444 });

const left = (): readonly string[] => readdirSync(work, { recursive: true, encoding: 'utf8' }).sort();

describe.skipIf(process.platform !== 'linux')(
  'what a killed CLI leaves in a working directory (Linux only) (I-10)',
  () => {
    test('its placeholders go, with the folder that it made', async () => {
      const home = folder('home');
      put('kept.txt', { text: 'mine' });
      mkdirSync(join(work, '.git'));
      await recordAbsent(home, [work], []);
      for (const name of ['.bashrc', '.gitconfig', '.mcp.json', '.idea', '.vscode']) placeholder(name);
      for (const name of ['settings.json', 'skills', 'loop.md']) placeholder(`.claude/${name}`);
      mkdirSync(join(work, '.claude', '.cc-writes'));
      // With it git could not change the configuration of the repository any more.
      placeholder('.git/config.lock');
      await removePlaceholders(home, []);
      expect(left()).toEqual(['.git', 'kept.txt']);
      expect(readdirSync(home)).toEqual([]);
    });

    test('nothing of the user goes: what was there, is not empty, may be written, or is something else', async () => {
      const home = folder('home');
      placeholder('.bashrc');
      placeholder('.claude/settings.json');
      put('original', { mode: 0o444 });
      await recordAbsent(home, [work], []);
      const before = left();
      put('.gitconfig', { mode: 0o444, text: '[user]' });
      put('.mcp.json');
      put('.profile', { mode: 0o555 });
      placeholder('.other');
      placeholder('.git/index.lock');
      symlinkSync('nowhere', join(work, '.zshrc'));
      linkSync(join(work, 'original'), join(work, '.gitmodules'));
      mkdirSync(join(work, '.vscode'));
      placeholder('.idea');
      utimesSync(join(work, '.idea'), 1, 1);
      const after = left();
      await removePlaceholders(home, []);
      expect(left()).toEqual(after);
      expect(after).toEqual(expect.arrayContaining([...before]));
    });

    test('while another run works in the directory nothing goes, and the last one takes it all', async () => {
      const [first, second] = [folder('first'), folder('second')];
      await recordAbsent(first, [work], []);
      placeholder('.bashrc');
      await recordAbsent(second, [work], [first]);
      placeholder('.zshrc');
      await removePlaceholders(first, [second]);
      expect(left()).toEqual(['.bashrc', '.zshrc']);
      await removePlaceholders(second, []);
      expect(left()).toEqual([]);
    });

    test.each([
      ['broken', '{'],
      ['of another shape', '{"at":"x","absent":[]}'],
      ['with names that are none of the CLI', '{"at":0,"absent":{"WORK":["precious","../x",7]}}'],
      ['with a directory that is gone', '{"at":0,"absent":{"/nowhere/at/all":[".bashrc"]}}'],
    ])('a journal that is %s removes nothing, and is no error', async (_, text) => {
      const home = folder('home');
      for (const name of ['precious', '../x']) placeholder(name);
      writeFileSync(join(home, 'places.json'), text.replace('WORK', work));
      await removePlaceholders(home, []);
      expect(left()).toEqual(['precious']);
      expect(existsSync(join(root, 'x'))).toBe(true);
    });

    test('a directory that has become a link is not followed', async () => {
      const home = folder('home');
      await recordAbsent(home, [work], []);
      rmSync(work, { recursive: true });
      const other = folder('other');
      writeFileSync(join(other, '.bashrc'), '');
      chmodSync(join(other, '.bashrc'), 0o444);
      symlinkSync(other, work);
      await removePlaceholders(home, []);
      expect(readdirSync(other)).toEqual(['.bashrc']);
    });

    test('a home removes them when it goes, and those of a home whose host was killed', async () => {
      const machine = { tempRoot: folder('temp'), hostEnv: {}, hostHome: '/home/u', platform: 'linux' };
      const options = { ...machine, workspacePath: work };
      const home = await EphemeralHome.create({}, options);
      placeholder('.bashrc');
      await home.cleanup();
      expect(left()).toEqual([]);

      const dead = join(machine.tempRoot, `${ownDirectoryPrefix('claude-agent-')}abcdef`);
      mkdirSync(dead);
      await recordAbsent(dead, [work], []);
      // As if its process had been another one, which has ended.
      const name = dead.replace(`-${process.pid.toString(36)}-`, `-${(0x7ffffff).toString(36)}-`);
      expect(name).not.toBe(dead);
      renameSync(dead, name);
      placeholder('.zshrc');
      await using next = await EphemeralHome.create({}, options);
      expect(left()).toEqual([]);
      expect(readdirSync(machine.tempRoot)).toEqual([next.homePath.split('/').at(-1)]);
    });

    const strangers = process.listeners('exit');
    /** As the exit of a host with a home. */
    async function exitWith(options: object, act: () => void): Promise<string> {
      const { homePath } = await EphemeralHome.create({}, options);
      act();
      for (const listener of process.listeners('exit').filter((each) => !strangers.includes(each))) {
        listener.call(process, 130);
      }
      return homePath;
    }

    test('placeholders that are there at the exit of the host go with the next home', async () => {
      const tempRoot = folder('temp');
      const options = { tempRoot, hostEnv: {}, hostHome: '/home/u', platform: 'linux', workspacePath: work };
      const home = await exitWith(options, () => {
        placeholder('.claude/settings.json');
        put('.mcp.json', { text: '{}' });
      });
      // The CLI may still run a command, which they protect. Nothing else of the home is kept.
      expect(left()).toEqual(['.claude', '.claude/settings.json', '.mcp.json']);
      expect(readdirSync(home)).toEqual(['places.json']);

      renameSync(home, home.replace(`-${process.pid.toString(36)}-`, `-${(0x7ffffff).toString(36)}-`));
      await using next = await EphemeralHome.create({}, options);
      expect(left()).toEqual(['.mcp.json']);
      expect(readdirSync(tempRoot)).toEqual([basename(next.homePath)]);
    });

    test('without placeholders nothing of the home is kept at the exit of the host', async () => {
      const tempRoot = folder('temp');
      const options = { tempRoot, hostEnv: {}, hostHome: '/home/u', platform: 'linux', workspacePath: work };
      await exitWith(options, () => put('.mcp.json', { text: '{}' }));
      expect(readdirSync(tempRoot)).toEqual([]);
    });

    /** A file of the user that looks like a placeholder, from long before. */
    const oldFile = (): void => {
      placeholder('.mcp.json');
      utimesSync(join(work, '.mcp.json'), 0, 0);
    };
    const claim = (home: string, at: number): string => {
      const path = join(home, 'places.json');
      writeFileSync(path, JSON.stringify({ at, absent: { [work]: ['.mcp.json', '.bashrc'] } }));
      return path;
    };

    test.runIf(process.getuid?.() === 0)(
      'what another user writes down beside a home counts for nothing (root only)',
      async () => {
        oldFile();
        const tempRoot = folder('temp');
        const foreign = join(tempRoot, `${ownDirectoryPrefix('claude-agent-')}abcdef`);
        mkdirSync(foreign);
        chownSync(claim(foreign, 0), 12_345, 12_345);
        chownSync(foreign, 12_345, 12_345);
        const machine = { tempRoot, hostEnv: {}, hostHome: '/home/u', platform: 'linux' };
        const home = await EphemeralHome.create({}, { ...machine, workspacePath: work });
        placeholder('.bashrc');
        // Nor does it keep anything there.
        await home.cleanup();
        expect(left()).toEqual(['.mcp.json']);
      },
    );

    test.runIf(process.getuid?.() === 0)('nor does its file in a home of ours (root only)', async () => {
      oldFile();
      const [home, other] = [folder('home'), folder('other')];
      chownSync(claim(other, 0), 12_345, 12_345);
      await recordAbsent(home, [work], [other]);
      await removePlaceholders(home, []);
      expect(left()).toEqual(['.mcp.json']);
    });

    test('what is older than a run beside it was there before, whatever that one has written down', async () => {
      oldFile();
      const [home, other] = [folder('home'), folder('other')];
      claim(other, 1_000);
      await recordAbsent(home, [work], [other]);
      utimesSync(join(work, '.mcp.json'), 2, 2);
      await removePlaceholders(home, []);
      expect(left()).toEqual(['.mcp.json']);
    });

    test.each([
      ['larger than any', (path: string) => appendFileSync(path, ' '.repeat(2 ** 21))],
      [
        'a link',
        (path: string) => {
          renameSync(path, `${path}.real`);
          symlinkSync(`${path}.real`, path);
        },
      ],
      [
        'a pipe',
        (path: string) => {
          rmSync(path);
          execFileSync('mkfifo', [path]);
        },
      ],
    ])('a journal that is %s is not read', async (_, change) => {
      placeholder('.mcp.json');
      const [home, other] = [folder('home'), folder('other')];
      change(claim(other, 0));
      await recordAbsent(home, [work], [other]);
      await removePlaceholders(home, []);
      expect(left()).toEqual(['.mcp.json']);
    });

    test('without a sandbox nothing is written down', async () => {
      const machine = { tempRoot: folder('temp'), hostEnv: {}, hostHome: '/home/u', platform: 'linux' };
      await using home = await EphemeralHome.create({ sandbox: { enabled: false } }, machine);
      expect(readdirSync(home.homePath)).not.toContain('places.json');
    });
  },
);
