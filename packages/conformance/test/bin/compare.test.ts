import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildTools } from '../../scripts/build-tools.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const fixtures = fileURLToPath(new URL('../fixtures/compare', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0;

let program: string;
let dir: string;
let temp: string;
beforeAll(() => {
  program = join(buildTools(join(root, '.build', 'conformance-compare')).dist, 'bin/claudewire-conformance.js');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-pair-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  temp = join(dir, 'temp');
  mkdirSync(temp);
  cpSync(fixtures, dir, { recursive: true });
});

const command = (args: readonly string[]): string[] => [
  ...[program, 'compare', '--data', join(root, 'packages/conformance')],
  ...args,
];

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command(args), {
    cwd: dir,
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temp, VIRTUAL_ENV: '', ...env },
    maxBuffer: 2 ** 27,
  });
  // Whatever happened, nothing stays.
  expect(readdirSync(temp)).toEqual([]);
  return { status, stdout, stderr };
}

/** Writes a program that calls the tiny SDK, or has this text. */
function write(name: string, text: string): string {
  writeFileSync(join(dir, name), text);
  return name;
}
const sessionOf = (name: string, options: string, after = ''): string =>
  write(name, `import { session } from './session.mjs';\nawait session(${options});\n${after}`);

describe('two programs', () => {
  test('that do the same', () => {
    const said = run([sessionOf('a.mjs', '{}'), sessionOf('b.mjs', `{ args: ['--output-format=stream-json'] }`)]);
    expect(said.stderr).toBe('');
    expect(said.stdout).toBe(
      `a.mjs (Node ${process.versions.node}) and b.mjs (Node ${process.versions.node}): ` +
        `scenario default (A prompt, a tool that asks for permission, a result)

argv: 1 difference
  --output-format
    a.mjs  "stream-json"
    b.mjs  ["stream-json","stream-json"]
environment: same
frames: same
messages: same
errors: same

different: argv.
`,
    );
    expect(said.status).toBe(1);
    const again = run(['b.mjs', 'b.mjs']);
    expect(again.stdout).toMatch(/^b\.mjs \(1\) .* and b\.mjs \(2\) /);
    expect(again.stdout).toMatch(/\nerrors: same\n\nsame\.\n$/);
    expect(again.status).toBe(0);
  });

  test('that differ everywhere', () => {
    const a = sessionOf('a.mjs', `{ args: ['--model=sonnet'] }`, `throw new RangeError('too small');`);
    const b = sessionOf(
      'b.mjs',
      `{ args: ['--model', 'opus'], env: { REGION: 'north' }, answer: { behavior: 'deny', message: 'No.' }, prompt: 'Hi.' }`,
      `console.log('{"turns":2}'); throw new TypeError('too large');`,
    );
    const { stdout, status } = run([a, b]);
    expect(stdout.split('\n').slice(2).join('\n')).toBe(`argv: 1 difference
  --model
    a.mjs  "sonnet"
    b.mjs  "opus"
environment: 1 difference
  REGION
    a.mjs  nothing
    b.mjs  "north"
frames: 3 differences, the first one:
  user message > message > content > 1 > text
    a.mjs  "Hello."
    b.mjs  "Hi."
messages: 1 difference
  line 3 of stdout
    a.mjs  nothing
    b.mjs  {"turns":2}
errors: 2 differences, the first one:
  class
    a.mjs  "RangeError"
    b.mjs  "TypeError"

different: argv, environment, frames, messages, errors.
`);
    expect(status).toBe(1);
  });

  test('get the arguments after --, and no input', () => {
    const text = `import { readFileSync } from 'node:fs';
console.log(JSON.stringify([process.argv.slice(2), readFileSync(0, 'utf8')]));
`;
    write('a.mjs', `${text}import './c.mjs';`);
    write('b.mjs', `${text.replace('readFileSync(0', `'' + readFileSync(0`)}import './c.mjs';`);
    sessionOf('c.mjs', '{}');
    const { stdout, status } = run(['a.mjs', 'b.mjs', '--json', '--', '--verbose', 'x']);
    const report = JSON.parse(stdout) as { outcome: string; left: object };
    expect(report).toMatchObject({ outcome: 'same', left: { starts: 1, error: { end: 'exit code 0' } } });
    expect(status).toBe(0);
  });

  test('that start the CLI more than once are compared start by start', () => {
    sessionOf('a.mjs', '{}', `await session({ args: ['--max-turns=2'] });`);
    sessionOf('b.mjs', '{}', `await session({ args: ['--max-turns=3'] });`);
    expect(run(['a.mjs', 'b.mjs']).stdout).toContain(
      '  --max-turns (start 2 of the CLI)\n    a.mjs  "2"\n    b.mjs  "3"\n',
    );
    sessionOf('c.mjs', '{}');
    expect(run(['a.mjs', 'c.mjs']).stdout).toContain('  starts of the CLI\n    a.mjs  2\n    c.mjs  1\n');
  });

  test('that find the CLI by path or inside of a package', () => {
    sessionOf('a.mjs', `{ cli: '/opt/somewhere/claude' }`);
    sessionOf('b.mjs', `{ cli: process.env.CLAUDEWIRE_COMPARE_CLI }`);
    write(
      'c.mjs',
      `import { session } from './session.mjs';
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const { spawn } = childProcess;
childProcess.spawn = (_, args, options) => spawn('node', ['/x/node_modules/@anthropic-ai/claude-agent-sdk/cli.js', ...args], options);
syncBuiltinESMExports();
await session({});`,
    );
    expect(run(['a.mjs', 'b.mjs']).status).toBe(0);
    expect(run(['a.mjs', 'c.mjs']).status).toBe(0);
  });

  test('of which one asks about permissions', () => {
    sessionOf('a.mjs', '{}');
    sessionOf('b.mjs', '{ isAsked: false }');
    const { stdout, status } = run(['a.mjs', 'b.mjs']);
    expect(stdout).toContain('--permission-prompt-tool\n    a.mjs  "stdio"\n    b.mjs  nothing\n');
    expect(stdout).toContain('answer to ask-1\n');
    expect(stdout).toContain('messages: same\n');
    expect(status).toBe(1);
  });
});

describe.skipIf(!hasPython)('a Python program', () => {
  test('is compared, unchanged, with its bundled CLI replaced, and what differs by design does not count', () => {
    write('ask.py', 'from session import session\nsession(args=["--model", "sonnet"])\n');
    sessionOf('ask.mjs', `{ args: ['--model=sonnet'] }`);
    const { stdout, status } = run(['ask.py', 'ask.mjs']);
    expect(stdout).toMatch(/^ask\.py \(Python 3[\d.]+\) and ask\.mjs /);
    expect(stdout).toContain('environment: same\n  by design: CLAUDE_CODE_ENTRYPOINT: each SDK gives its own name');
    expect(stdout).toContain('user message > message > content: a text prompt is sent as a text block (TS-081)');
    expect(stdout).toMatch(/same\. What differs by design is explained in docs\/evidence\/differences\.md\.\n$/);
    expect(status).toBe(0);
  });

  test('keeps its own sitecustomize and PYTHONPATH', () => {
    mkdirSync(join(dir, 'site'));
    writeFileSync(join(dir, 'site', 'sitecustomize.py'), 'import builtins\nbuiltins.own = "loaded"\n');
    write('ask.py', 'import os\nfrom session import session\nprint(own, os.environ["PYTHONPATH"])\nsession()\n');
    sessionOf('ask.mjs', '{}');
    const site = join(dir, 'site');
    const { stdout } = run(['ask.py', 'ask.mjs', '--json'], { PYTHONPATH: site });
    expect(stdout).toContain(`"left":"loaded ${site}"`);
    expect(stdout).not.toContain('"place":["PYTHONPATH"]');
  });

  test('that raises is told by its class', () => {
    write('ask.py', 'from session import session\nsession()\nclass Odd(Exception): pass\nraise Odd("of some kind")\n');
    sessionOf('ask.mjs', '{}', `class Even extends Error {}\nthrow new Even('of some kind');`);
    const { stdout } = run(['ask.py', 'ask.mjs']);
    expect(stdout).toContain('errors: 1 difference\n  class\n    ask.py   "Odd"\n    ask.mjs  "Even"\n');
  });
});

describe('secrets', () => {
  test('are never shown', () => {
    const secrets = ['s3cr3t-value-one', 's3cr3t-value-two', 'sk-ant-api03-abcdefghijklmnop'];
    const [one, two, key] = secrets;
    for (const [name, secret] of [
      ['a.mjs', one],
      ['b.mjs', two],
    ]) {
      const servers = { mcpServers: { x: { url: 'https://x', headers: { 'X-Any': `plain-${name}` } } } };
      sessionOf(
        name ?? '',
        `{ env: { MY_API_TOKEN: '${secret}' }, prompt: 'Use ${secret}', args: ['--mcp-config', '${JSON.stringify(servers)}'] }`,
        `console.log('${key} in ${name}'); throw new Error('${secret}');`,
      );
    }
    for (const args of [[], ['--json']]) {
      const { stdout, status } = run(['a.mjs', 'b.mjs', ...args]);
      for (const secret of [...secrets, 'plain-a', 'plain-b']) expect(stdout).not.toContain(secret);
      expect(stdout).toContain('MY_API_TOKEN');
      expect(stdout).toContain('<hidden>');
      expect(status).toBe(1);
    }
  });
});

describe('what is played', () => {
  const RECORDING = 'test/fixtures/recordings/can-use-tool-allow-bare.jsonl';
  test.for<[name: string, args: readonly string[]]>([
    ['a scenario of the suite', ['--scenario', 'l4-allow-bare']],
    ['a recording', ['--recording', join(root, RECORDING)]],
  ])('%s goes on whatever the programs send', ([, args]) => {
    sessionOf('a.mjs', `{ prompt: 'One.' }`);
    sessionOf('b.mjs', `{ prompt: 'Two.', args: ['--model=x'], answer: { behavior: 'deny', message: 'No.' } }`);
    const { stdout, status } = run(['a.mjs', 'b.mjs', ...args]);
    expect(stdout).not.toContain('left the scenario');
    expect(stdout).toContain('messages: same\nerrors: same\n');
    expect(status).toBe(1);
  });

  test('a scenario file is expected to the letter, and the verdict is shown', () => {
    const file = write(
      'mine.jsonl',
      [
        { scenario: 'mine', version: 1 },
        { in: { type: 'user', message: { content: [{ text: 'Expected.' }] } }, timeoutMs: 2_000 },
        { out: { type: 'result', subtype: 'success' } },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    sessionOf('a.mjs', `{ prompt: 'Expected.' }`);
    sessionOf('b.mjs', `{ prompt: 'Other.' }`);
    const { stdout, status } = run(['a.mjs', 'b.mjs', '--scenario', file]);
    expect(stdout).toContain(`b.mjs left the scenario: ${join(dir, file)}:2: an expected frame did not come`);
    expect(status).toBe(1);
    const both = run(['b.mjs', 'b.mjs', '--scenario', file]);
    expect(both.stdout).toMatch(/\nnot compared to the end, and no difference until there\.\n$/);
    expect(both.status).toBe(2);
  });

  test.for<[args: readonly string[], said: string]>([
    [['--recording', 'none.jsonl'], 'there is no file'],
    [['--recording', '.'], 'there is no file'],
    [['--recording', 'session.mjs'], 'no recording'],
    [['--recording', 'deep.jsonl'], 'deep.jsonl cannot be played: Maximum call stack size exceeded'],
    [['--recording', 'empty.jsonl'], 'has no frame of the CLI: there is nothing to play'],
    [['--scenario', 'l9-none'], 'no scenario is named l9-none, and there is no such file'],
    [['--scenario', './session.mjs'], 'session.mjs:1'],
    [['--scenario', 'l4-allow-bare', '--recording', 'x'], '--scenario and --recording cannot be combined'],
    [['--timeout', '0'], '--timeout: expected a number above 0, found "0"'],
    [['--timeout', '1e9'], '--timeout: expected at most'],
    [['--python', '/no/python'], 'no Python 3 runs b.py (tried /no/python). Name one: --python PATH'],
    [['--data', '.'], 'is not a folder of conformance data'],
  ])('%j is refused', ([args, said]) => {
    sessionOf('a.mjs', '{}');
    write('b.py', '');
    writeFileSync(join(dir, 'empty.jsonl'), '{"t":0,"dir":"meta","data":{"scenario":"empty"}}\n{"t":1,"dir":"o');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    writeFileSync(
      join(dir, 'deep.jsonl'),
      `{"t":0,"dir":"meta","data":{"scenario":"deep"}}\n{"t":1,"dir":"out","data":${deep}}\n`,
    );
    const { stderr, status } = run(['a.mjs', 'b.py', ...args]);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(said);
    expect(status).toBe(2);
  });

  test.for<[file: string, said: string]>([
    ['none.mjs', 'there is no program at '],
    ['.', 'there is no program at '],
    ['session.rb', 'session.rb: expected a file that ends in .py, .ts,'],
  ])('%s is no program', ([file, said]) => {
    write('session.rb', '');
    const { stderr, status } = run(['session.mjs', file]);
    expect(stderr).toContain(`error: ${said}`);
    expect(status).toBe(2);
  });
});

describe('TypeScript', () => {
  test('runs with the tsx of its project', () => {
    const tsx = join(dir, 'node_modules', 'tsx');
    mkdirSync(tsx, { recursive: true });
    writeFileSync(join(tsx, 'package.json'), '{"name":"tsx","exports":"./index.mjs","type":"module"}');
    writeFileSync(
      join(tsx, 'index.mjs'),
      `import { register } from 'node:module';
const hooks = \`export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { readFile } = await import('node:fs/promises');
  return { format: 'module', shortCircuit: true, source: await readFile(new URL(url)) };
}\`;
register('data:text/javascript,' + encodeURIComponent(hooks));`,
    );
    sessionOf('a.ts', '{}');
    sessionOf('b.mjs', '{}');
    const { stdout, status } = run(['a.ts', 'b.mjs']);
    expect(stdout).toContain(`a.ts (Node ${process.versions.node}, tsx) and b.mjs`);
    expect(status).toBe(0);
  });

  const canRunIt = process.allowedNodeEnvironmentFlags.has('--experimental-strip-types');
  test.skipIf(canRunIt)('is refused by an old Node without it, with what helps', () => {
    const { stderr, status } = run([sessionOf('a.ts', '{}'), 'session.mjs']);
    expect(stderr).toContain('cannot run a.ts: add tsx to the development dependencies');
    expect(status).toBe(2);
  });
});

describe('a program that', () => {
  test('never starts the CLI is told how to', () => {
    write('a.mjs', 'console.log("nothing to do");');
    sessionOf('b.mjs', '{}');
    const one = run(['a.mjs', 'b.mjs']);
    expect(one.stdout).toContain(`a.mjs never started the CLI.
  It ended with exit code 0
  If it should have, hand it the player:
    pathToClaudeCodeExecutable: process.env.CLAUDEWIRE_COMPARE_CLI
`);
    expect(one.stdout).toContain('environment: not compared\n');
    expect(one.status).toBe(1);
    const none = run(['a.mjs', 'a.mjs']);
    expect(none.stdout).toMatch(/\nnot compared: neither program started the CLI\.\n$/);
    expect(none.status).toBe(2);
  });

  test('crashes is told by its signal', () => {
    write('a.mjs', `process.kill(process.pid, 'SIGKILL');`);
    sessionOf('b.mjs', '{}');
    expect(run(['a.mjs', 'b.mjs']).stdout).toContain('end\n    a.mjs  "SIGKILL"\n    b.mjs  "exit code 0"\n');
  });

  test('has a syntax error is told by it', () => {
    write('a.mjs', 'const = 1;');
    sessionOf('b.mjs', '{}');
    expect(run(['a.mjs', 'b.mjs']).stdout).toContain('It ended with exit code 1: SyntaxError: ');
  });

  test('hangs is ended in time, with what it started', () => {
    write(
      'a.mjs',
      `process.on('SIGTERM', () => {}); setInterval(() => {}, 60_000); import('./session.mjs').then((m) => m.session({}));`,
    );
    sessionOf('b.mjs', '{}');
    const { stdout, status } = run(['a.mjs', 'b.mjs', '--timeout', '3']);
    expect(stdout).toContain('a.mjs did not end within 3 s, and was ended.\n');
    expect(status).not.toBe(0);
  });

  test('leaves the CLI behind does not keep it', () => {
    write(
      'a.mjs',
      `import { spawn } from 'node:child_process';
// It asks, and waits for the answer that does not come.
const args = ['--print', '--permission-prompt-tool', 'stdio'];
const child = spawn('claude', args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
child.stdin.write('{"type":"user"}\\n');
child.stdout.once('data', () => process.exit());`,
    );
    const { stdout, status } = run(['a.mjs', 'a.mjs']);
    expect(stdout).toContain('left the scenario: ');
    expect(status).toBe(2);
  });

  test('writes megabytes, or what is no text, is compared as far as it is kept', () => {
    sessionOf(
      'a.mjs',
      '{}',
      `process.stdout.write(Buffer.alloc(9_000_000, 'a')); process.stderr.write(Buffer.alloc(900_000, 'e'));`,
    );
    sessionOf('b.mjs', '{}', `process.stdout.write(Buffer.from([0, 27, 91, 255, 254, 10, 0x7b, 0xc2, 0x9b]));`);
    const { stdout, status } = run(['a.mjs', 'b.mjs']);
    expect(stdout).toContain('line 3 of stdout\n');
    expect(stdout).toContain('b.mjs  "\\u0000\\u001b[\ufffd\ufffd"\n');
    expect(stdout.length).toBeLessThan(2_000);
    expect(status).toBe(1);
  });
});

test.for<[NodeJS.Signals, number]>([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('%s ends everything at once, and leaves no folder', async ([signal, code]) => {
  write(
    'a.mjs',
    `import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
process.on('SIGTERM', () => {});
setInterval(() => {}, 60_000);
const child = spawn('claude', ['--print'], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
child.stdin.write('{"type":"user"}\\n');
child.stdout.once('data', () => {
  writeFileSync('pids.part', process.pid + ' ' + child.pid);
  renameSync('pids.part', 'pids');
});`,
  );
  const child = spawn(process.execPath, command(['a.mjs', 'session.mjs']), {
    cwd: dir,
    env: { ...process.env, TMPDIR: temp },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pidFile = join(dir, 'pids');
  await expect.poll(() => existsSync(pidFile)).toBe(true);
  const pids = readFileSync(pidFile, 'utf8').split(' ').map(Number);
  child.kill(signal);
  const [status] = (await once(child, 'exit')) as [number | null];
  expect(status).toBe(code);
  await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  expect(readdirSync(temp)).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A dead process whose parent is gone stays in the table until somebody collects it.
    const stat = `/proc/${pid}/stat`;
    return !(existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8')));
  } catch {
    return false;
  }
}
