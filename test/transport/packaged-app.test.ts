import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CLIConnectionError } from '../../src/errors.js';
import { type Options, query, type SpawnOptions } from '../../src/index.js';
import { resolveCommand, toSpawnCommand } from '../../src/transport/command.js';
import type { CommandHostInput } from '../../src/transport/command-host.js';
import { toLaunchError } from '../../src/transport/launch-error.js';
import { turn } from '../helpers/cli-frames.js';
import { writeExecutable } from '../helpers/executable.js';
import { scriptedCli } from '../helpers/scripted-cli.js';

const NATIVE = '/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude';
const SCRIPT = '/node_modules/@anthropic-ai/claude-code/cli.js';
const PACKED = '/app/resources/app.asar';

/** A machine with these files. In Electron a file inside an archive is there, as `fs` of Electron says. */
function host(files: readonly string[], more: Partial<CommandHostInput> = {}): CommandHostInput {
  const { sep } = more.platform === 'win32' ? win32 : posix;
  const isFile = (path: string) => files.includes(path);
  return {
    env: { PATH: '/usr/bin' },
    platform: 'linux',
    arch: 'x64',
    homeDirectory: '/home/me',
    execPath: '/app/my-app',
    isElectron: true,
    packageRoots: [`${PACKED}/node_modules/claudewire/dist`],
    files: {
      isFile,
      isExecutable: isFile,
      exists: (path) => isFile(path) || files.some((file) => file.startsWith(path + sep)),
      readText: (path) => (path.endsWith('package.json') && isFile(path) ? '{"bin":{"claude":"cli.js"}}' : undefined),
      readHeader: () => Buffer.alloc(0),
      realPath: (path) => path,
    },
    ...more,
  };
}

const request = (path?: string, runtime = 'node') => ({ path, runtime, runtimeArgs: [] });
const both = (file: string) => [PACKED + file, `${PACKED}.unpacked${file}`];

describe('a path inside an asar archive', () => {
  test.each([
    { name: 'given', path: PACKED + NATIVE, input: host(both(NATIVE)) },
    { name: 'found beside the SDK', path: undefined, input: host(both(NATIVE)) },
    {
      name: 'in CLAUDE_CODE_EXECUTABLE',
      path: undefined,
      input: host(both(NATIVE), { env: { CLAUDE_CODE_EXECUTABLE: PACKED + NATIVE } }),
    },
    { name: 'of the folder of a package', path: PACKED + dirname(NATIVE), input: host(both(NATIVE)) },
    {
      name: 'in a plain Node beside Electron',
      path: PACKED + NATIVE,
      input: host(both(NATIVE).slice(1), { isElectron: false }),
    },
    { name: 'that is unpacked already', path: `${PACKED}.unpacked${NATIVE}`, input: host(both(NATIVE)) },
  ])('$name: the unpacked copy is started', ({ path, input }) => {
    expect(resolveCommand(request(path), input)).toEqual({ file: `${PACKED}.unpacked${NATIVE}`, args: [] });
  });

  test('a relative path keeps its start', () => {
    const input = host(both(NATIVE), { cwd: '/' });
    expect(resolveCommand(request(`.${PACKED}${NATIVE}`), input).file).toBe(`.${PACKED}.unpacked${NATIVE}`);
  });

  test('on Windows too', () => {
    const at = (archive: string) => `C:\\app\\resources\\${archive}\\claude.exe`;
    const input = host([at('app.asar'), at('app.asar.unpacked')], { platform: 'win32' });
    expect(resolveCommand(request(at('app.asar')), input).file).toBe(at('app.asar.unpacked'));
  });

  test.each([
    { name: 'given', path: PACKED + NATIVE, input: host([PACKED + NATIVE]) },
    { name: 'found', path: undefined, input: host([PACKED + NATIVE]) },
    { name: 'that no file system knows', path: PACKED + NATIVE, input: host([], { isElectron: false }) },
    { name: 'of a script', path: PACKED + SCRIPT, input: host([PACKED + SCRIPT, '/usr/bin/node']) },
  ])('$name, without an unpacked copy, is a launch failure that says asarUnpack', ({ path, input }) => {
    let failure: unknown;
    try {
      resolveCommand(request(path), input);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(CLIConnectionError);
    expect(failure).toMatchObject({ code: 'ENOTDIR', errorClass: 'executable_launch_failed' });
    const file = path ?? PACKED + NATIVE;
    expect((failure as Error).message).toBe(
      `Failed to start Claude Code: ${file} is inside an asar archive, and there is no unpacked copy of it. Add its package to \`asarUnpack\``,
    );
  });

  test('outside of Electron a folder of that name is a folder', () => {
    const input = host([PACKED + NATIVE], { isElectron: false });
    expect(resolveCommand(request(PACKED + NATIVE), input).file).toBe(PACKED + NATIVE);
  });

  test('`spawnClaudeCodeProcess` gets the unpacked copy, and without one the path as it is', () => {
    expect(toSpawnCommand(request(PACKED + NATIVE), host(both(NATIVE))).file).toBe(`${PACKED}.unpacked${NATIVE}`);
    expect(toSpawnCommand(request(undefined), host(both(NATIVE))).file).toBe(`${PACKED}.unpacked${NATIVE}`);
    expect(toSpawnCommand(request(PACKED + NATIVE), host([])).file).toBe(PACKED + NATIVE);
  });
});

describe('a working directory inside an asar archive', () => {
  test.each([
    { cwd: PACKED, code: 'ENOTDIR' },
    { cwd: `${PACKED}/src`, code: 'ENOENT' },
  ])('$cwd, of which the system says $code, is named', ({ cwd, code }) => {
    const error = Object.assign(new Error(`spawn ${code}`), { code });
    const failure = toLaunchError(error, { file: '/bin/claude', cwd });
    expect(failure.message).toBe(`Failed to start Claude Code: the working directory is in an asar archive: ${cwd}`);
    expect(failure).toMatchObject({ code: 'ENOTDIR', cause: error, hint: 'Set `cwd` to a directory on the disk.' });
  });

  test('another failure is not of it', () => {
    const error = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' });
    expect(toLaunchError(error, { file: '/bin/claude', cwd: tmpdir() }).message).toMatch(/too many files open/);
  });
});

describe('Electron as the runtime of a script', () => {
  const unpacked = `${PACKED}.unpacked${SCRIPT}`;
  const forget = ['--import', 'data:text/javascript,delete%20process.env.ELECTRON_RUN_AS_NODE'];
  const asNode = { file: '/app/my-app', args: [...forget, unpacked], env: { ELECTRON_RUN_AS_NODE: '1' } };
  const env = { PATH: '/usr/bin', ELECTRON_RUN_AS_NODE: '1' };

  test.each([
    { name: 'no node on the PATH', input: host(both(SCRIPT)), runtime: 'node', expected: asNode },
    { name: 'its own path as `executable`', input: host(both(SCRIPT)), runtime: '/app/my-app', expected: asNode },
    {
      name: 'a node on the PATH',
      input: host([...both(SCRIPT), '/usr/bin/node']),
      runtime: 'node',
      expected: { file: 'node', args: [unpacked] },
    },
    {
      name: 'a caller that set the variable',
      input: host(both(SCRIPT), { env }),
      runtime: 'node',
      expected: { file: '/app/my-app', args: [unpacked] },
    },
  ])('$name', ({ input, runtime, expected }) => {
    expect(resolveCommand(request(PACKED + SCRIPT, runtime), input)).toEqual(expected);
  });

  test.each(['/app/my-app', '/usr/bin/deno', 'C:\\app\\my-app.exe'])(
    '%s, which is neither, never starts itself',
    (execPath) => {
      const platform = execPath.startsWith('C') ? 'win32' : 'linux';
      const input = host(['/cli.js', 'C:\\cli.js'], { isElectron: false, execPath, platform });
      const path = platform === 'win32' ? 'C:\\cli.js' : '/cli.js';
      expect(() => resolveCommand(request(path), input)).toThrow(/the runtime `node` is not on the PATH/);
    },
  );

  test.each(['/opt/node-22/bin/node22', '/usr/bin/nodejs', '/root/.bun/bin/bun'])('%s stands for node', (execPath) => {
    const input = host(['/cli.js'], { isElectron: false, execPath });
    expect(resolveCommand(request('/cli.js'), input)).toEqual({ file: execPath, args: ['/cli.js'] });
  });
});

describe('a directory as executable', () => {
  const folder = '/opt/claude-code';

  test.each([
    { name: 'of a platform package', files: [`${folder}/claude`], expected: { file: `${folder}/claude`, args: [] } },
    {
      name: 'of the package that people install',
      files: [`${folder}/cli.js`, `${folder}/package.json`, '/usr/bin/node'],
      expected: { file: 'node', args: [`${folder}/cli.js`] },
    },
  ])('the folder $name is the executable in it', ({ files, expected }) => {
    expect(resolveCommand(request(folder), host(files))).toEqual(expected);
    expect(resolveCommand(request(`${folder}/`), host([...files, `${folder}//`]))).toEqual(expected);
  });

  test.skipIf(process.platform === 'win32')(
    'a pipe as package.json does not block, and `bin` stays in the folder',
    () => {
      const place = mkdtempSync(join(tmpdir(), 'claudewire-folder-'));
      onTestFinished(() => rmSync(place, { recursive: true }));
      const given = join(place, 'package');
      mkdirSync(given);
      const input = { env: { PATH: '/usr/bin:/bin' } };
      execFileSync('mkfifo', [join(given, 'package.json')]);
      expect(resolveCommand(request(given), input).file).toBe(given);
      rmSync(join(given, 'package.json'));
      writeFileSync(join(given, 'package.json'), JSON.stringify({ bin: { claude: '../cli' } }));
      writeFileSync(join(place, 'cli'), '#!/bin/sh\n', { mode: 0o755 });
      expect(resolveCommand(request(given), input).file).toBe(given);
    },
  );

  test('on Windows it has claude.exe', () => {
    const input = host(['C:\\cc\\claude.exe'], { platform: 'win32' });
    expect(resolveCommand(request('C:\\cc'), input)).toEqual({ file: 'C:\\cc\\claude.exe', args: [] });
  });
});

/** The layout that packagers make, on this machine, and a shell script that acts as Electron does. */
describe.skipIf(process.platform === 'win32')('a packaged app', () => {
  const { execPath } = process;
  // Electron adds itself to it.
  const versions = process.versions as { electron?: string };
  let folder: string;
  let archive: string;
  const inside = (name: string) => join(archive, 'node_modules', 'cc', name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    archive = join(folder, 'resources', 'app.asar');
    mkdirSync(join(`${archive}.unpacked`, 'node_modules', 'cc'), { recursive: true });
    writeFileSync(archive, 'all files of the app in one');
    writeExecutable(
      join(folder, 'my-app'),
      `#!/bin/sh\n[ "$ELECTRON_RUN_AS_NODE" = 1 ] || exit 9\nexec "${execPath}" "$@"\n`,
    );
    versions.electron = '40.0.0';
  });
  afterEach(() => {
    process.execPath = execPath;
    delete versions.electron;
    rmSync(folder, { recursive: true, force: true });
  });

  function unpack(path: string, name: string): string {
    copyFileSync(path, inside(name).replace('app.asar', 'app.asar.unpacked'));
    return inside(name);
  }

  async function resultOf(options: Options): Promise<string | undefined> {
    for await (const message of query({ prompt: 'Go.', options }))
      if (message.type === 'result') return message.subtype;
    return undefined;
  }

  test('runs its script as Node, and no tool of the CLI sees the variable', async () => {
    const cli = scriptedCli(turn());
    const pathToClaudeCodeExecutable = unpack(cli.path, 'cli.mjs');
    process.execPath = join(folder, 'my-app');
    expect(await resultOf({ pathToClaudeCodeExecutable, env: { PATH: folder } })).toBe('success');
    expect(cli.log().execArgv[0]).toBe('--import');
    expect(cli.log().env).not.toHaveProperty('ELECTRON_RUN_AS_NODE');
  });

  test('starts its executable beside the archive, also through `spawnClaudeCodeProcess`', async () => {
    const cli = scriptedCli(turn());
    const pathToClaudeCodeExecutable = unpack(cli.path, 'claude');
    expect(await resultOf({ pathToClaudeCodeExecutable })).toBe('success');
    expect(cli.log().env).not.toHaveProperty('ELECTRON_RUN_AS_NODE');
    let command: string | undefined;
    const spawnClaudeCodeProcess = (spawned: SpawnOptions): never => {
      command = spawned.command;
      throw new Error('seen');
    };
    const options = { pathToClaudeCodeExecutable, spawnClaudeCodeProcess };
    expect(() => query({ prompt: 'Go.', options })).toThrow('seen');
    expect(command).toBe(pathToClaudeCodeExecutable.replace('app.asar', 'app.asar.unpacked'));
  });

  test.each([
    {
      name: 'an executable that is not unpacked',
      options: () => ({ pathToClaudeCodeExecutable: inside('claude') }),
      says: /`asarUnpack`/,
    },
    {
      name: 'a directory without Claude Code',
      options: () => ({ pathToClaudeCodeExecutable: dirname(archive) }),
      says: /resources is a directory$/,
      hint: /^It has app\.asar, app\.asar\.unpacked\. /,
    },
  ])('$name ends the run with a typed error', async ({ options, says, hint = /./ }) => {
    const failure: unknown = await query({ prompt: 'Go.', options: options() })
      .next()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CLIConnectionError);
    expect(failure).toMatchObject({
      errorClass: 'executable_launch_failed',
      message: expect.stringMatching(says),
      hint: expect.stringMatching(hint),
    });
  });
});
