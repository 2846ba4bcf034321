import { posix, win32 } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLIConnectionError, CLINotFoundError } from '../../src/errors.js';
import { type CommandRequest, foreignFormat, resolveCommand, toSpawnCommand } from '../../src/transport/command.js';
import type { CommandHostInput, FileProbe } from '../../src/transport/command-host.js';
import { isBatchScript } from '../../src/transport/discovery.js';

/** A file system that is a list of files and what is in them. */
function fakeFiles(
  platform: NodeJS.Platform,
  contents: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): FileProbe {
  const separator = platform === 'win32' ? win32.sep : posix.sep;
  const isFile = (path: string): boolean => Object.hasOwn(contents, path);
  return {
    isFile,
    isExecutable: (path) => isFile(path) && contents[path] !== 'not executable',
    exists: (path) =>
      isFile(path) ||
      Object.hasOwn(links, path) ||
      Object.keys(contents).some((file) => file.startsWith(path + separator)),
    readText: (path) => contents[path],
    readHeader: (path, bytes) => Buffer.from(contents[path] ?? '', 'latin1').subarray(0, bytes),
    realPath: (path) => links[path] ?? path,
  };
}

function linux(
  files: Readonly<Record<string, string>>,
  overrides: Partial<CommandHostInput> & { readonly links?: Record<string, string> } = {},
): CommandHostInput {
  const { links, ...rest } = overrides;
  return {
    env: { PATH: '/usr/bin:/opt/bin', HOME: '/home/me' },
    platform: 'linux',
    arch: 'x64',
    homeDirectory: '/home/me',
    execPath: '/node/bin/node',
    packageRoots: ['/app/src'],
    files: fakeFiles('linux', files, links),
    ...rest,
  };
}

function windows(files: Readonly<Record<string, string>>, overrides: Partial<CommandHostInput> = {}): CommandHostInput {
  return {
    env: { Path: 'C:\\npm;C:\\tools', UserProfile: 'C:\\Users\\me' },
    platform: 'win32',
    arch: 'x64',
    homeDirectory: 'C:\\Users\\me',
    execPath: 'C:\\node\\node.exe',
    packageRoots: ['C:\\app\\src'],
    files: fakeFiles('win32', files),
    ...overrides,
  };
}

const request = (path: string | undefined, rest: Partial<CommandRequest> = {}): CommandRequest => ({
  path,
  runtime: 'node',
  runtimeArgs: [],
  ...rest,
});

const NODE = { '/usr/bin/node': '' };
const SDK_PACKAGE = '/app/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude';

describe('a given path', () => {
  for (const extension of ['js', 'mjs', 'ts', 'tsx', 'jsx']) {
    test(`x.${extension} is run by the runtime (TS-009)`, () => {
      const path = `/x.${extension}`;
      expect(resolveCommand(request(path), linux({ ...NODE, [path]: '' }))).toEqual({ file: 'node', args: [path] });
    });
  }

  for (const path of ['/x.cjs', '/X.JS', '/x.exe', '/x.sh', '/x', '/x.js/claude']) {
    test(`${path} is run directly, exactly as given (TS-010, PY-001)`, () => {
      expect(resolveCommand(request(path), linux({ [path]: '', ...NODE }))).toEqual({ file: path, args: [] });
    });
  }

  test('another runtime and its arguments come before a script (TS-011, TS-012)', () => {
    const host = linux({ '/opt/bin/bun': '', '/x.ts': '' });
    const asked = request('/x.ts', { runtime: 'bun', runtimeArgs: ['--smol'] });
    expect(resolveCommand(asked, host)).toEqual({ file: 'bun', args: ['--smol', '/x.ts'] });
  });

  test('they become the first arguments of a native executable (TS-012)', () => {
    const asked = request('/claude', { runtimeArgs: ['--x'] });
    expect(resolveCommand(asked, linux({ '/claude': '' }))).toEqual({ file: '/claude', args: ['--x'] });
  });

  test('node that is not on the PATH is the Node that runs this', () => {
    const host = linux({ '/x.js': '' }, { env: {} });
    expect(resolveCommand(request('/x.js'), host).file).toBe('/node/bin/node');
  });

  test('another runtime that is not on the PATH is a launch failure', () => {
    const resolve = () => resolveCommand(request('/x.js', { runtime: 'deno' }), linux({ '/x.js': '' }));
    expect(resolve).toThrow(/^Failed to start Claude Code: the runtime `deno` is not on the PATH/);
  });

  test('a bare name is looked up in the PATH of the child (TS-014)', () => {
    const files = { '/opt/bin/my-claude': '', '/usr/bin/my-claude': 'not executable' };
    expect(resolveCommand(request('my-claude'), linux(files)).file).toBe('my-claude');
    expect(() => resolveCommand(request('my-claude'), linux(files, { env: { PATH: '/usr/bin' } }))).toThrow(
      'Claude Code native binary not found at my-claude',
    );
  });

  test('relative entries of the PATH are not looked into, nor left to the system (PY-363)', () => {
    const files = { '/tmp/bin/my-claude': '', '/opt/bin/my-claude': '', '/tmp/cli.js': '', ...NODE };
    const host = linux(files, { cwd: '/tmp', env: { PATH: './bin::/opt/bin:/usr/bin' } });
    expect(resolveCommand(request('my-claude'), host).file).toBe('/opt/bin/my-claude');
    expect(resolveCommand(request('cli.js'), host).file).toBe('/usr/bin/node');
    const onlyRelative = linux(files, { cwd: '/tmp', env: { PATH: './bin' } });
    expect(() => resolveCommand(request('my-claude'), onlyRelative)).toThrow(CLINotFoundError);
  });

  test('a relative path starts at the working directory of the child', () => {
    const files = { '/tmp/bin/claude': '', '/tmp/cli.js': '', ...NODE };
    const host = linux(files, { cwd: '/tmp' });
    expect(resolveCommand(request('bin/claude'), host).file).toBe('bin/claude');
    expect(resolveCommand(request('cli.js'), host).args).toEqual(['cli.js']);
  });

  for (const path of ['/missing', '/missing.js', './missing', 'missing', 'missing.mjs']) {
    test(`${path}, which does not exist, is not found, and nothing else is tried (PY-001, PY-007)`, () => {
      const resolve = () => resolveCommand(request(path), linux({ [SDK_PACKAGE]: '', ...NODE }));
      expect(resolve).toThrow(CLINotFoundError);
      const words = path.endsWith('js')
        ? `Claude Code not found at: ${path}`
        : `Claude Code native binary not found at ${path}`;
      expect(resolve).toThrow(new RegExp(`^${words}$`));
    });
  }

  test('a missing working directory is named first (PY-009)', () => {
    const resolve = () => resolveCommand(request('/missing'), linux({}, { cwd: '/does/not/exist' }));
    expect(resolve).toThrow(/^Working directory does not exist: \/does\/not\/exist$/);
  });

  test('an executable of another system is a launch failure, not a shell error', () => {
    const elf = Buffer.alloc(64);
    elf.write('\x7fELF', 'latin1');
    elf.writeUInt16LE(183, 18);
    const host = linux({ '/claude': elf.toString('latin1') });
    expect(() => resolveCommand(request('/claude'), host)).toThrow(CLIConnectionError);
    expect(() => resolveCommand(request('/claude'), host)).toThrow(
      /^Failed to start Claude Code: \/claude is built for arm64, not x64$/,
    );
  });
});

describe('without a path', () => {
  const musl = SDK_PACKAGE.replace('x64', 'x64-musl');
  const codePackage = '/app/node_modules/@anthropic-ai/claude-code-linux-x64/claude';
  const wrapper = '/app/node_modules/@anthropic-ai/claude-code';
  const order: readonly { readonly name: string; readonly files: Record<string, string> }[] = [
    { name: '/env/claude', files: { '/env/claude': '' } },
    { name: SDK_PACKAGE, files: { [SDK_PACKAGE]: '' } },
    { name: musl, files: { [musl]: '' } },
    { name: codePackage, files: { [codePackage]: '' } },
    {
      name: `${wrapper}/bin/claude.exe`,
      files: { [`${wrapper}/bin/claude.exe`]: '', [`${wrapper}/package.json`]: '{"bin":{"claude":"bin/claude.exe"}}' },
    },
    { name: '/usr/bin/claude', files: { '/usr/bin/claude': '' } },
    { name: '/opt/bin/claude', files: { '/opt/bin/claude': '' } },
    { name: '/home/me/.npm-global/bin/claude', files: { '/home/me/.npm-global/bin/claude': '' } },
    { name: '/usr/local/bin/claude', files: { '/usr/local/bin/claude': '' } },
    { name: '/home/me/.local/bin/claude', files: { '/home/me/.local/bin/claude': '' } },
    { name: '/home/me/node_modules/.bin/claude', files: { '/home/me/node_modules/.bin/claude': '' } },
    { name: '/home/me/.yarn/bin/claude', files: { '/home/me/.yarn/bin/claude': '' } },
    { name: '/home/me/.claude/local/claude', files: { '/home/me/.claude/local/claude': 'not executable' } },
  ];
  for (const [index, { name }] of order.entries()) {
    test(`${name} comes before everything after it (TS-020, PY-002, PY-003, PY-004)`, () => {
      const files = Object.assign({}, ...order.slice(index).map((each) => each.files));
      const env = { PATH: '/usr/bin:/opt/bin', HOME: '/home/me' };
      const host = linux(files, { env: index === 0 ? { ...env, CLAUDE_CODE_EXECUTABLE: '/env/claude' } : env });
      expect(resolveCommand(request(undefined), host)).toEqual({ file: name, args: [] });
    });
  }

  test.each([
    ['linux', 'arm64'],
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
  ] as const)('on %s %s its own package is taken (TS-020)', (platform, arch) => {
    const own = SDK_PACKAGE.replace('linux-x64', `${platform}-${arch}`);
    const host = linux({ [SDK_PACKAGE]: '', [own]: '' }, { platform, arch });
    expect(resolveCommand(request(undefined), host).file).toBe(own);
  });

  test('on musl its own package comes first', () => {
    const files = { [SDK_PACKAGE]: '', [musl]: '', '/lib/ld-musl-x86_64.so.1': '' };
    expect(resolveCommand(request(undefined), linux(files)).file).toBe(musl);
  });

  test('a platform package beside a linked package is found (pnpm)', () => {
    const store = '/store/sdk/node_modules/@anthropic-ai';
    const host = linux(
      { [`${store}/claude-agent-sdk-linux-x64/claude`]: '' },
      { links: { '/app/node_modules/@anthropic-ai/claude-agent-sdk': `${store}/claude-agent-sdk` } },
    );
    expect(resolveCommand(request(undefined), host).file).toBe(`${store}/claude-agent-sdk-linux-x64/claude`);
  });

  test('a script in the package for people is run by the runtime', () => {
    const host = linux({
      ...NODE,
      [`${wrapper}/cli.js`]: '',
      [`${wrapper}/package.json`]: '{"bin":{"claude":"cli.js"}}',
    });
    expect(resolveCommand(request(undefined), host)).toEqual({ file: 'node', args: [`${wrapper}/cli.js`] });
  });

  for (const manifest of ['', 'null', '{"bin":"cli.js"}', '{"bin":{"claude":1}}']) {
    test(`a package with the manifest ${manifest || '(empty)'} is passed over`, () => {
      const host = linux({ [`${wrapper}/package.json`]: manifest, '/usr/bin/claude': '' });
      expect(resolveCommand(request(undefined), host).file).toBe('/usr/bin/claude');
    });
  }

  test('an empty entry of PATH is not the working directory', () => {
    const host = linux({ '/tmp/claude': '', claude: '' }, { env: { PATH: ':' }, cwd: '/tmp' });
    expect(() => resolveCommand(request(undefined), host)).toThrow(CLINotFoundError);
  });

  test('found nowhere: the error names every place and the package (PY-005)', () => {
    let failure: unknown;
    try {
      resolveCommand(request(undefined), linux({}));
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(CLINotFoundError);
    const { message, hint, searched, code, errorClass } = failure as CLINotFoundError;
    expect(message).toMatch(/^Claude Code not found\. Install with: npm install -g @anthropic-ai\/claude-code\n/);
    expect(hint).toMatch(/^Run `npm install -g @anthropic-ai\/claude-code`\. `claudewire doctor` /);
    expect(searched).toEqual([
      'npm packages @anthropic-ai/claude-agent-sdk-linux-x64, @anthropic-ai/claude-agent-sdk-linux-x64-musl, @anthropic-ai/claude-code-linux-x64, @anthropic-ai/claude-code-linux-x64-musl, @anthropic-ai/claude-code (from /app/src)',
      '/usr/bin/claude (PATH)',
      '/opt/bin/claude (PATH)',
      '/home/me/.npm-global/bin/claude',
      '/usr/local/bin/claude',
      '/home/me/.local/bin/claude',
      '/home/me/node_modules/.bin/claude',
      '/home/me/.yarn/bin/claude',
      '/home/me/.claude/local/claude',
    ]);
    for (const place of searched) expect(message).toContain(place);
    expect({ code, errorClass }).toEqual({ code: 'ENOENT', errorClass: 'executable_not_found' });
  });
});

test.each(['/gone/claude', '/gone/cli.js', 'my-claude'])(
  '%s is not there: the hint says how to install one',
  (path) => {
    expect(() => resolveCommand(request(path), linux({}))).toThrow(
      expect.objectContaining({
        cliPath: path,
        hint: expect.stringMatching(/`npm install -g @anthropic-ai\/claude-code`\. `claudewire doctor` /),
      }),
    );
  },
);

test('found nowhere: no place is named twice', () => {
  const host = linux(
    {},
    { env: { PATH: '/usr/local/bin:/usr/bin:/usr/local/bin' }, packageRoots: ['/app', '/sdk/dist', '/app'] },
  );
  let searched: readonly string[] = [];
  try {
    resolveCommand(request(undefined), host);
  } catch (error) {
    ({ searched } = error as CLINotFoundError);
  }
  expect(searched.filter((place) => place.includes('npm packages'))).toEqual([
    expect.stringMatching(/^npm packages .* \(from \/app and \/sdk\/dist\)$/),
  ]);
  expect(searched.filter((place) => place.startsWith('/usr/'))).toEqual([
    '/usr/local/bin/claude (PATH)',
    '/usr/bin/claude (PATH)',
  ]);
});

describe('on Windows', () => {
  const npmShim = [
    '@ECHO off',
    'SET dp0=%~dp0',
    'IF EXIST "%dp0%\\node.exe" ( SET "_prog=%dp0%\\node.exe" ) ELSE ( SET "_prog=node" )',
    'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js" %*',
  ].join('\r\n');
  const nativeShim = '@ECHO off\r\n"%~dp0\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"   %*\r\n';
  const cli = 'C:\\npm\\node_modules\\@anthropic-ai\\claude-code\\cli.js';
  const exe = 'C:\\npm\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe';
  const node = { 'C:\\tools\\node.exe': '' };

  test('a shim on the PATH stands for the script behind it', () => {
    const host = windows({ 'C:\\npm\\claude.cmd': npmShim, [cli]: '', ...node });
    expect(resolveCommand(request(undefined), host)).toEqual({ file: 'C:\\tools\\node.exe', args: [cli] });
  });

  test('or for the executable behind it', () => {
    const host = windows({ 'C:\\npm\\claude.cmd': nativeShim, [exe]: '' });
    expect(resolveCommand(request(undefined), host)).toEqual({ file: exe, args: [] });
  });

  test('a native executable later on the PATH is preferred to a shim (PY-012)', () => {
    const host = windows({ 'C:\\npm\\claude.cmd': npmShim, [cli]: '', 'C:\\tools\\claude.exe': '' });
    expect(resolveCommand(request('claude'), host).file).toBe('C:\\tools\\claude.exe');
  });

  test('a shim given by its path is replaced too', () => {
    const host = windows({ 'C:\\npm\\claude.cmd': nativeShim, [exe]: '' });
    expect(resolveCommand(request('C:\\npm\\claude.cmd'), host).file).toBe(exe);
  });

  const batches = ['C:\\x.bat', 'C:\\x.CMD', 'C:\\x.cmd. ', 'C:\\x.cmd::$DATA', 'C:\\x.cmd\\claude.exe', '.\\x.bat'];
  for (const path of batches) {
    test(`${JSON.stringify(path)} is refused (PY-011)`, () => {
      const host = windows({ [path]: '@echo off' });
      expect(() => resolveCommand(request(path), host)).toThrow(/batch script/);
      expect(() => resolveCommand(request(path), host)).toThrow(CLIConnectionError);
    });
  }

  test('what only looks like one is not', () => {
    expect(['C:\\cmd\\claude.exe', 'x.cmdx', 'bat', 'a.bat.exe'].filter(isBatchScript)).toEqual([]);
  });

  test('the platform package and the install place have .exe files (TS-020)', () => {
    const sdk = 'C:\\app\\node_modules\\@anthropic-ai\\claude-agent-sdk-win32-x64\\claude.exe';
    const local = 'C:\\Users\\me\\.local\\bin\\claude.exe';
    expect(resolveCommand(request(undefined), windows({ [sdk]: '', [local]: '' })).file).toBe(sdk);
    expect(resolveCommand(request(undefined), windows({ [local]: '' })).file).toBe(local);
  });
});

describe('for spawnClaudeCodeProcess', () => {
  test('nothing is checked, and the command is as given (TS-015)', () => {
    expect(toSpawnCommand(request('/far/away/cli.js', { runtimeArgs: ['-r'] }), linux({}))).toEqual({
      file: 'node',
      args: ['-r', '/far/away/cli.js'],
    });
    const runtimeArgs = ['--first', '--second'];
    expect(toSpawnCommand(request('/far/claude', { runtimeArgs }), linux({}))).toEqual({
      file: '/far/claude',
      args: runtimeArgs,
    });
    expect(toSpawnCommand(request('/far/cli.js', { runtime: 'bun', runtimeArgs }), linux({}))).toEqual({
      file: 'bun',
      args: [...runtimeArgs, '/far/cli.js'],
    });
  });

  test('a path is taken before CLAUDE_CODE_EXECUTABLE, and that before what is found (TS-015)', () => {
    const host = linux({ [SDK_PACKAGE]: '' }, { env: { CLAUDE_CODE_EXECUTABLE: '/env/claude' } });
    expect(toSpawnCommand(request('/far/claude'), host).file).toBe('/far/claude');
    expect(toSpawnCommand(request(undefined), host).file).toBe('/env/claude');
  });

  test('without a path it is what is found here, else `claude`', () => {
    expect(toSpawnCommand(request(undefined), linux({ [SDK_PACKAGE]: '' })).file).toBe(SDK_PACKAGE);
    expect(toSpawnCommand(request(undefined), linux({}))).toEqual({ file: 'claude', args: [] });
  });
});

describe('executable formats', () => {
  const header = (write: (buffer: Buffer) => void): Buffer => {
    const buffer = Buffer.alloc(20);
    write(buffer);
    return buffer;
  };
  const elf = (machine: number): Buffer =>
    header((buffer) => {
      buffer.write('\x7fELF', 'latin1');
      buffer.writeUInt16LE(machine, 18);
    });
  const machO = header((buffer) => buffer.writeUInt32LE(0xfeedfacf));
  const pe = header((buffer) => buffer.write('MZ'));
  const cases = [
    { name: 'its own ELF file', file: elf(62), platform: 'linux', foreign: undefined },
    { name: 'an ELF file for arm64', file: elf(183), platform: 'linux', foreign: 'built for arm64, not x64' },
    { name: 'an ELF file for a machine nobody knows', file: elf(9), platform: 'linux', foreign: undefined },
    { name: 'an ELF file on macOS', file: elf(62), platform: 'darwin', foreign: 'an ELF file (Linux)' },
    { name: 'a Mach-O file on macOS', file: machO, platform: 'darwin', foreign: undefined },
    { name: 'a Mach-O file on Linux', file: machO, platform: 'linux', foreign: 'a Mach-O file (macOS)' },
    { name: 'a Windows program on Linux (WSL runs it)', file: pe, platform: 'linux', foreign: undefined },
    { name: 'a Windows program on macOS', file: pe, platform: 'darwin', foreign: 'a Windows program' },
    { name: 'a script', file: Buffer.from('#!/usr/bin/env node\n'), platform: 'linux', foreign: undefined },
    { name: 'an empty file', file: Buffer.alloc(0), platform: 'linux', foreign: undefined },
  ] as const;
  for (const { name, file, platform, foreign } of cases) {
    test(name, () => expect(foreignFormat(file, platform, 'x64')).toBe(foreign));
  }
});

test('a script is not opened: a pipe of that name would lose its beginning', () => {
  const contents = { '/tmp/cli.mjs': 'console.log(1)', ...NODE };
  const opened: string[] = [];
  const files: FileProbe = {
    ...fakeFiles('linux', contents),
    readHeader: (path) => {
      opened.push(path);
      return Buffer.from('#!');
    },
  };
  const command = resolveCommand(request('/tmp/cli.mjs'), linux(contents, { files }));
  expect(command.args).toEqual(['/tmp/cli.mjs']);
  expect(opened).toEqual([]);
});
