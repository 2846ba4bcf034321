import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../test/helpers/built-package.js';
import { shippedScenarios } from '../src/demo/demo-command.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

let dist: string;
beforeAll(() => {
  dist = buildPackage('demo');
});

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One `claudewire` process with a temporary directory of its own, to see what it leaves there. */
class Claudewire {
  readonly tmp = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  readonly child: ChildProcessWithoutNullStreams;
  readonly done: Promise<Run>;
  stdout = '';

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd?: string) {
    onTestFinished(() => rmSync(this.tmp, { recursive: true, force: true }));
    this.child = spawn(process.execPath, [join(dist, 'bin/claudewire.js'), ...args], {
      cwd,
      env: { ...process.env, TMPDIR: this.tmp, ...env },
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
    this.child.stdin.end();
    let stderr = '';
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    this.done = once(this.child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr }));
  }

  async heard(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      if (this.child.stdout.readableEnded) throw new Error(`stdout ended without ${text}`);
      await Promise.race([once(this.child.stdout, 'data'), once(this.child.stdout, 'end')]);
    }
  }
}

const claudewire = (...args: readonly string[]): Promise<Run> => new Claudewire(args).done;

describe('claudewire demo', () => {
  test('the tour counts what is there, and shows a denial, a typed failure and a bound (U-6)', async () => {
    const run = await claudewire('demo');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const [readme = 0, changes = 0] = ['README.md', 'CHANGELOG.md'].map(
      (name) => readFileSync(join(root, name), 'utf8').split('\n').length - 1,
    );
    const total = readme + changes;
    const shown = run.stdout.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
    expect(shown).toEqual(
      expect.arrayContaining([
        `result ${readme} README.md`,
        `${changes} CHANGELOG.md`,
        `${total} total`,
        `in-process pages answers ${total / 40} pages`,
        'permission Bash denied: The demo allows only commands that read.',
        'error ResultError: Claude Code returned an error result: API Error: Repeated 529 Overloaded errors',
        expect.stringMatching(/^error IdleTimeoutError: No frame from Claude Code for 1000 ms/),
        expect.stringMatching(/^done completed: /),
        expect.stringMatching(/^done overloaded: /),
        expect.stringMatching(/^done idle_timeout: /),
        expect.stringMatching(/^try next \S.* demo --scenario interrupted /),
      ]),
    );
  });

  test('in a folder with one file it asks about that one, and the pages to read are those of the package', async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'claudewire-test-')));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, 'package.json'), '{}\n');
    const run = await new Claudewire(['demo'], {}, dir).done;
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('prompt      How many lines does package.json have, and ');
    const page = / (\S*docs\/getting-started\.md) +a first program\n/.exec(run.stdout)?.[1] ?? '';
    expect(resolve(dir, page)).toBe(join(dist, '../docs/getting-started.md'));
  });

  test('docs/getting-started.md shows what it prints, and the picture in the README is drawn from that (U-6)', async () => {
    const page = readFileSync(join(root, 'docs/getting-started.md'), 'utf8');
    const [, block] = /^```text\n(demo {8}[\s\S]*?)^```$/m.exec(page) ?? [];
    const check = spawnSync(process.execPath, [join(root, 'scripts/demo-picture.mjs'), '--check'], {
      encoding: 'utf8',
    });
    expect(check).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('docs/demo.svg');
    // The figures are those of the day, and the paths are those of the program and its package.
    const steady = (text = ''): readonly string[] =>
      text
        .trim()
        .replace(/(?:node )?\S*bin\/claudewire(?:\.js)?/g, 'claudewire')
        .replace(/\S+(?=\/docs\/)/g, 'node_modules/claudewire')
        .replace(/ {2,}/g, ' ')
        .replace(/(?<=[\s$:])\d[\d.]*/g, 'N')
        .split('\n');
    expect(steady(block)).toEqual(steady((await claudewire('demo')).stdout));
  });

  const endings: Readonly<Record<string, { readonly code: number; readonly outcome: string }>> = {
    'api-error': { code: 1, outcome: 'overloaded' },
    deny: { code: 0, outcome: 'completed' },
    hello: { code: 0, outcome: 'completed' },
    interrupted: { code: 1, outcome: 'interrupted' },
    tools: { code: 0, outcome: 'completed' },
  };

  test('the table below names every shipped scenario', () => {
    expect(shippedScenarios(join(dist, 'demo'))).toEqual(Object.keys(endings));
  });

  for (const [name, { code, outcome }] of Object.entries(endings)) {
    test(`${name}: --json prints one object per event, the outcome is ${outcome}, nothing is left`, async () => {
      const program = new Claudewire(['demo', '--json', '--scenario', name]);
      const run = await program.done;
      const events = run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly type: string });
      expect(events[0]).toMatchObject({ type: 'start', mode: 'scripted', scenario: name });
      expect(events.at(-1)).toMatchObject({ type: 'summary', outcome });
      expect(run).toMatchObject({ code, stderr: '' });
      expect(readdirSync(program.tmp)).toEqual([]);
      expect(playersOf(program.tmp)).toEqual([]);
    });
  }

  test('a refused command is shown with the reason that the model gets', async () => {
    const { stdout } = await claudewire('demo', '--scenario', 'deny');
    expect(stdout).toContain('permission  Bash denied: The demo allows only commands that read.\n');
    expect(stdout).toContain('result      The demo allows only commands that read.\n');
  });

  test('an API error is shown with its retries and its error', async () => {
    const { stdout } = await claudewire('demo', '--scenario', 'api-error');
    expect(stdout).toContain('retry       1 of 2 after status 529, in 513 ms\n');
    expect(stdout).toMatch(/^error {7}ResultError: /m);
    expect(stdout).toMatch(/^done {8}overloaded: 1 turn/m);
  });

  test('--prompt is what the CLI hears', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(dir, 'echo.jsonl');
    const frames = readFileSync(join(dist, 'demo/hello.jsonl'), 'utf8').trim().split('\n');
    const text = [{ type: 'text', text: '$said' }];
    writeFileSync(
      file,
      [
        { scenario: 'echo', version: 1 },
        { in: { type: 'user', message: { content: text } } },
        { out: { type: 'assistant', parent_tool_use_id: null, message: { id: 'm', content: text } } },
        ...frames.map((line) => JSON.parse(line)).filter((step) => step.out?.type === 'result'),
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
    const run = await claudewire('demo', '--scenario', file, '--prompt', 'A word of mine.');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('prompt      A word of mine.\n');
    expect(run.stdout).toContain('claude      A word of mine.\n');
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`${signal} in the middle ends it with ${code} and leaves nothing`, async () => {
      const program = new Claudewire(['demo', '--json', '--scenario', 'tools']);
      await program.heard('"type":"permission"');
      program.child.kill(signal);
      expect(await program.done).toMatchObject({ code, stderr: '' });
      expect(program.stdout).not.toContain('"type":"error"');
      expect(readdirSync(program.tmp)).toEqual([]);
      expect(playersOf(program.tmp)).toEqual([]);
    });
  }

  test('SIGTERM in the middle of the tour leaves nothing', async () => {
    const program = new Claudewire(['demo', '--json']);
    await program.heard('"type":"session"');
    program.child.kill('SIGTERM');
    expect(await program.done).toMatchObject({ code: 143, stderr: '' });
    expect(program.stdout).not.toMatch(/"type":"(error|next)"/);
    expect(readdirSync(program.tmp)).toEqual([]);
    expect(playersOf(program.tmp)).toEqual([]);
  });

  test('a reader that goes away ends it quietly', async () => {
    const program = new Claudewire(['demo', '--json']);
    await program.heard('"type":"session"');
    program.child.stdout.destroy();
    expect(await program.done).toMatchObject({ code: 1, stderr: '' });
    expect(readdirSync(program.tmp)).toEqual([]);
  });

  test('--live without a CLI says where it looked and what to install', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    const missing = join(empty, 'claude');
    const run = await new Claudewire(['demo', '--live'], { CLAUDE_CODE_EXECUTABLE: missing }).done;
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^error {7}CLINotFoundError: .*claude/m);
    expect(run.stdout).toMatch(/^done {8}not_started/m);
  });
});

describe('arguments that cannot be used are named in a line or two, with exit code 2', () => {
  const cases: readonly (readonly [args: readonly string[], text: string])[] = [
    [['demo', '--nope'], "error: unknown option '--nope'\n"],
    [['demo', 'extra'], "error: too many arguments for 'demo'. Expected 0 arguments but got 1.\n"],
    [['dance'], "error: unknown command 'dance'\nRun `claudewire --help` for a list of the commands.\n"],
    [['demo', '--prompt'], "error: option '--prompt <text>' argument missing\n"],
    [['demo', '--prompt', ''], 'error: the prompt is empty\n'],
    [
      ['demo', '--scenario', 'nope'],
      'error: no scenario "nope": neither a file nor one of api-error, deny, hello, interrupted, tools\n',
    ],
    [['demo', '--live', '--scenario', 'hello'], 'error: --live and --scenario exclude each other\n'],
  ];
  for (const [args, text] of cases) {
    test(args.join(' '), async () => {
      expect(await claudewire(...args)).toEqual({ code: 2, stdout: '', stderr: text });
    });
  }
});

test('--version prints the package’s version', async () => {
  const { version } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8'));
  expect(await claudewire('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('demo --help names the scenarios and the exit codes', async () => {
  const run = await claudewire('demo', '--help');
  expect(run.code).toBe(0);
  expect(run.stdout.replace(/\s+/g, ' ')).toContain('api-error, deny, hello, interrupted, tools');
  expect(run.stdout).toContain('130  Ctrl-C');
});

/** Processes whose command line names this directory. */
function playersOf(dir: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dir);
      } catch {
        return false;
      }
    });
}
