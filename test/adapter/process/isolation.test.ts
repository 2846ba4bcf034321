import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import {
  EvaluationAbortedError,
  OutputParseError,
  PromptEvaluationError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { VisibilityExpansionRequired } from '../../../src/adapter/errors/prompt-errors.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { Frames } from '../../../src/testing/index.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { recordedSettings } from '../isolation/recorded-settings.js';
import { refused } from '../isolation/support.js';
import { askPrompt } from '../support/make-prompt.js';
import { play, type Stage } from '../support/play.js';
import { adapterOn, isGone, shellFirst } from './isolation-support.js';
import { promptWith } from './prompt-with.js';

type More = Parameters<typeof adapterOn>[2];

/** One run that says "Four.", with what its process saw and the settings that were in force. */
async function seen(
  config: ClaudeAgentClientConfig | ((stage: Stage) => ClaudeAgentClientConfig),
  more: (stage: Stage) => More = () => ({}),
) {
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
  const clientConfig = typeof config === 'function' ? config(stage) : config;
  const { adapter } = adapterOn(stage, clientConfig, more(stage));
  let settings: JsonObject = {};
  let exists = false;
  const response = await adapter.evaluate(askPrompt(), {
    session: new Session(),
    onMessage: () => {
      const [run] = stage.runs;
      exists = existsSync(String(run?.env.HOME));
      const path = settingsOf(run?.argv ?? []);
      settings = path === undefined ? {} : (JSON.parse(readFileSync(path, 'utf8')) as JsonObject);
    },
  });
  const [run] = stage.runs;
  if (run === undefined) throw new Error('no process');
  return { stage, run, response, settings, exists, left: readdirSync(stage.tempRoot) };
}

/** The path after `--settings`. */
function settingsOf(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((each) => each.startsWith('--settings'));
  return argv[at]?.includes('=') ? argv[at].slice('--settings='.length) : argv[at + 1];
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((each, key) => (isJsonObject(each) ? each[key] : undefined), value);
}

test('a variable of the host does not reach an isolated CLI (AD-242)', async () => {
  const withLeak = ({ machine }: Stage): More => ({ hostEnv: { ...machine.hostEnv, LEAK: '1' } });
  expect((await seen({ isolation: {} }, withLeak)).run.env).not.toHaveProperty('LEAK');
  // The same host without isolation, so that the test can fail.
  expect((await seen({}, withLeak)).run.env).toHaveProperty('LEAK', '1');
});

test('without isolation the child has the given variables over those of the host (AD-243)', async () => {
  const { run, stage } = await seen({ env: { A: '1', B: '2' } }, ({ machine }) => ({
    hostEnv: { ...machine.hostEnv, B: 'of the host' },
  }));
  expect(run.env).toMatchObject({ A: '1', B: '2', HOME: stage.hostHome });
  expect(run.env).toHaveProperty('ANTHROPIC_API_KEY', 'test-key');
});

test('a fresh home, a temporary directory in it, no setting sources, the settings by path (AD-245)', async () => {
  const { run, stage, exists, left } = await seen({ isolation: {} });
  const home = String(run.env.HOME);
  expect(basename(home)).toMatch(/^claude-agent-/);
  expect(home.startsWith(`${stage.tempRoot}/`)).toBe(true);
  expect(exists).toBe(true);
  expect(run.env.TMPDIR).toBe(join(home, 'tmp'));
  expect(run.argv).toContain('--setting-sources=');
  expect(settingsOf(run.argv)).toBe(join(home, '.claude', 'settings.json'));
  expect(left).toEqual([]);
});

describe('the home', () => {
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  const hidden = () =>
    new Prompt({
      ns: 'test',
      key: 'hidden',
      sections: [
        new MarkdownSection({
          title: 'Details',
          key: 'details',
          template: 'The whole text.',
          summary: 'In short.',
          visibility: 'summary',
        }),
      ],
    });
  const sections = { sectionKeys: ['details'], reason: 'need it' };
  const cases: readonly {
    readonly name: string;
    readonly script: (frames: Frames) => readonly (object | readonly object[])[];
    readonly recordings: readonly string[];
    readonly prompt?: () => Prompt<unknown>;
    readonly answers?: Record<string, JsonObject>;
    readonly aborts?: boolean;
    readonly error?: abstract new (...args: never[]) => Error;
  }[] = [
    { name: 'of a run that succeeds', script: ({ turn }) => [turn('Four.')], recordings: ['hello'] },
    {
      name: 'of a CLI that exits with 1',
      script: ({ prompt, init }) => [prompt(), init(), { exit: 1 }],
      recordings: ['hello'],
      error: PromptEvaluationError,
    },
    {
      name: 'of settings that are not confirmed',
      script: ({ endOfInput }) => [endOfInput()],
      recordings: ['settings-wrong-type'],
      answers: { get_settings: recordedSettings('settings-wrong-type').answer },
      error: AdapterConfigError,
    },
    {
      name: 'of a result that does not fit its type',
      script: ({ prompt, init, toolUse, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('StructuredOutput', { n: 'four' }),
        toolResult('Structured output provided successfully'),
        result('{"n":"four"}', {
          structured_output: { n: 'four' },
          stop_reason: 'tool_use',
          terminal_reason: 'completed',
        }),
      ],
      recordings: ['structured-output'],
      prompt: () => promptWith([], output),
      error: OutputParseError,
    },
    {
      name: 'of a signal that aborts',
      script: ({ prompt, init, expectRequest, errorResult }) => [
        prompt(),
        init(),
        expectRequest('interrupt'),
        errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
      ],
      recordings: ['interrupt-streaming'],
      aborts: true,
      error: EvaluationAbortedError,
    },
    {
      name: 'of a request for hidden sections',
      script: ({ prompt, init, toolUse, mcpHandshake, mcpCall, expectRequest, errorResult }) => [
        mcpHandshake('wink'),
        prompt(),
        init(),
        toolUse('mcp__wink__open_sections', sections),
        mcpCall('wink', 'open_sections', sections),
        expectRequest('interrupt'),
        errorResult('error_during_execution', ['interrupted'], { is_error: true, terminal_reason: 'aborted_tools' }),
      ],
      recordings: ['mcp-sdk', 'mcp-sdk-interrupt'],
      prompt: hidden,
      error: VisibilityExpansionRequired,
    },
  ];
  test('is gone when the promise settles, however the run ends (AD-247)', async () => {
    for (const { name, script, recordings, prompt, answers, aborts, error } of cases) {
      await using stage = play((frames) => script(frames) as never, {
        recordings,
        ...(answers === undefined ? {} : { answers }),
      });
      const made: unknown[] = [];
      const { adapter } = adapterOn(stage, { isolation: {} }, {}, (entry) => {
        if (entry.event === 'isolation.home_created') made.push(readdirSync(stage.tempRoot).length);
      });
      const caller = new AbortController();
      const outcome = await adapter
        .evaluate(prompt?.() ?? askPrompt(), {
          session: new Session(),
          signal: caller.signal,
          onMessage: () => {
            if (aborts === true) caller.abort();
          },
        })
        .then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
      // When it settles, not some time later.
      expect(readdirSync(stage.tempRoot), name).toEqual([]);
      expect(made, name).toEqual([1]);
      if (error === undefined) expect(outcome, name).toBeUndefined();
      else expect(outcome, name).toBeInstanceOf(error);
    }
  });
});

test('dispose() during a run (AD-250)', async () => {
  await using stage = play(
    ({ prompt, init, expectRequest, errorResult }) => [
      prompt(),
      init(),
      expectRequest('interrupt'),
      errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
    ],
    { recordings: ['interrupt-streaming'] },
  );
  const { adapter } = adapterOn(stage, { isolation: {} });
  let disposed: Promise<void> | undefined;
  const running = adapter.evaluate(askPrompt(), {
    session: new Session(),
    onMessage: () => {
      expect(readdirSync(stage.tempRoot)).toHaveLength(1);
      disposed ??= adapter.dispose();
    },
  });
  const error = await refused(running);
  expect(error).toBeInstanceOf(PromptEvaluationError);
  await disposed;
  expect(readdirSync(stage.tempRoot)).toEqual([]);
  expect(stage.runs.map(({ pid }) => isGone(pid))).toEqual([true]);
});

test('a child that ignores the end of its input is ended before its home is deleted (AD-252)', async () => {
  await using stage = play(
    ({ prompt, init, expectRequest, errorResult }) => [
      { ignore: ['EOF'] },
      prompt(),
      init(),
      expectRequest('interrupt'),
      errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
      { wait: 'SIGTERM' },
      { exit: 0 },
    ],
    { recordings: ['interrupt-streaming'], stepTimeoutMs: 20_000 },
  );
  const alive: boolean[] = [];
  const { adapter } = adapterOn(stage, { isolation: {} }, {}, ({ event }) => {
    // The home is gone already when this is logged: a child that still lived would have lost it.
    if (event === 'isolation.home_removed') alive.push(!isGone(stage.runs[0]?.pid));
  });
  const caller = new AbortController();
  const options = { session: new Session(), onMessage: () => caller.abort() };
  // An aborted run does not wait for background work, as a good one would.
  await refused(adapter.evaluate(askPrompt(), { ...options, signal: caller.signal }));
  expect(alive).toEqual([false]);
  expect(stage.runs[0]?.signals).toEqual(['SIGTERM']);
  expect(readdirSync(stage.tempRoot)).toEqual([]);
});

test('a CLI that writes to its home does not touch the Claude folder of the user (AD-253)', async () => {
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
  const claude = join(stage.hostHome, '.claude');
  mkdirSync(claude);
  writeFileSync(join(claude, 'marker'), 'mine');
  const pathToClaudeCodeExecutable = shellFirst(
    stage,
    `mkdir -p "$HOME/.claude/projects"; echo x > "$HOME/.claude/marker"; echo y > "$HOME/.claude.json"; cp "$HOME/.claude/marker" "${stage.root}/wrote"`,
  );
  const { adapter } = adapterOn(stage, { isolation: {}, pathToClaudeCodeExecutable });
  await adapter.evaluate(askPrompt(), { session: new Session() });
  expect(readFileSync(join(stage.root, 'wrote'), 'utf8')).toBe('x\n');
  expect(readdirSync(stage.hostHome)).toEqual(['.claude']);
  expect(readdirSync(claude)).toEqual(['marker']);
  expect(readFileSync(join(claude, 'marker'), 'utf8')).toBe('mine');
});

describe('what the recordings show the real sandbox doing is what is written', () => {
  /** Entries of a key in the settings that a recording was made with. */
  const recorded = (name: string, ...path: readonly string[]): unknown => at(recordedSettings(name).written, ...path);

  test('the key is hidden from commands, and the CLI has it (AD-394)', async () => {
    const { settings, run } = await seen({ isolation: { apiKey: 'k' } });
    const written = at(settings, 'sandbox', 'credentials');
    expect(written).toEqual(recorded('sandbox-credentials-deny', 'sandbox', 'credentials'));
    expect(run.env.ANTHROPIC_API_KEY).toBe('k');
    // What the real CLI's command printed.
    expect(resultsOf('sandbox-credentials-deny')).toContain('"content":"key="');
  });

  test('the host’s home and the denied paths cannot be read (AD-396)', async () => {
    const { settings, stage } = await seen(({ root }) => ({
      isolation: { sandbox: { denyRead: [join(root, 'private')] } },
    }));
    expect(at(settings, 'sandbox', 'filesystem', 'denyRead')).toEqual([
      stage.hostHome,
      join(stage.root, 'private'),
      // The stage is gone, the folder that it was in is not.
      join(realpathSync(dirname(stage.root)), basename(stage.root), 'tmp', 'claude-agent-*'),
    ]);
    expect(recorded('sandbox-whole-isolation', 'sandbox', 'filesystem', 'denyRead')).toHaveLength(1);
    expect(resultsOf('sandbox-deny-read')).toContain('No such file or directory');
  });

  test('the temporary directory stays readable under the read block, so that a listed host is reached (AD-398)', async () => {
    const networkPolicy = { allowedDomains: ['good.example'] };
    const { settings, run } = await seen({ isolation: { networkPolicy } });
    expect(at(settings, 'permissions', 'blockReadsOutsideWorkingDirectories')).toBe(true);
    expect(at(settings, 'sandbox', 'filesystem', 'allowRead')).toEqual([run.env.TMPDIR]);
    expect(at(settings, 'sandbox', 'network', 'allowedDomains')).toEqual(['good.example']);
    expect(recorded('sandbox-tmp-allowed', 'sandbox', 'filesystem', 'allowRead')).toHaveLength(1);
    expect(resultsOf('sandbox-tmp-allowed')).toContain('"content":"HELLO"');
  });

  test('both block keys are written, and with them the file tools are refused outside (AD-399)', async () => {
    const { settings, run } = await seen({ isolation: {} });
    const keys = recorded('sandbox-file-tools-blocked', 'permissions') as JsonObject;
    expect(at(settings, 'permissions')).toMatchObject(keys);
    expect(keys).toEqual({ blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true });
    expect(run.argv.join(' ')).toContain('bypassPermissions');
    const results = resultsOf('sandbox-file-tools-blocked');
    for (const kind of ['reads', 'writes']) {
      expect(results).toContain(`setting blocks ${kind} outside the working directories`);
    }
  });
});

test('a missing relative writable path is made before the start, a missing absolute one is refused (AD-403)', async () => {
  {
    await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
    const cwd = join(stage.root, 'work');
    mkdirSync(cwd);
    const pathToClaudeCodeExecutable = shellFirst(stage, `[ -d out/deep ] && echo there > "${stage.root}/saw"`);
    const isolation = { sandbox: { writablePaths: ['out/deep'] } };
    const { adapter } = adapterOn(stage, { cwd, isolation, pathToClaudeCodeExecutable });
    await adapter.evaluate(askPrompt(), { session: new Session() });
    expect(readFileSync(join(stage.root, 'saw'), 'utf8')).toBe('there\n');
  }
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'], neverStarted: true });
  const missing = join(stage.root, 'nowhere');
  const { adapter } = adapterOn(stage, { isolation: { sandbox: { writablePaths: [missing] } } });
  const error = await refused(adapter.evaluate(askPrompt(), { session: new Session() }));
  expect(error).toBeInstanceOf(AdapterConfigError);
  expect((error as Error).message).toContain(missing);
  expect(existsSync(missing)).toBe(false);
  expect(readdirSync(stage.tempRoot)).toEqual([]);
});

test('the report says what is known, and nothing more (AD-411)', async () => {
  const { response } = await seen({ isolation: {} });
  expect(response.isolation).toEqual({
    requested: true,
    settingsConfirmed: true,
    probePassed: true,
    openings: [],
    managedSources: [],
  });
  expect(JSON.stringify(response.report)).not.toContain('"active"');
});

test('nothing of a run is left in the temporary directory, whatever the CLI leaves there (AD-412)', async () => {
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
  // As the real one does.
  const pathToClaudeCodeExecutable = shellFirst(
    stage,
    'for name in cc-socks claude-0 claude-host-0; do mkdir -p "$TMPDIR/$name/deep"; echo x > "$TMPDIR/$name/deep/file"; done',
  );
  const { adapter } = adapterOn(stage, { isolation: {}, pathToClaudeCodeExecutable });
  let left: readonly string[] = [];
  await adapter.evaluate(askPrompt(), {
    session: new Session(),
    onMessage: () => {
      left = readdirSync(String(stage.runs[0]?.env.TMPDIR));
    },
  });
  expect(left).toEqual(expect.arrayContaining(['cc-socks', 'claude-0', 'claude-host-0']));
  expect(readdirSync(stage.tempRoot)).toEqual([]);
});

test('a writable path that a link takes out of the working directory is refused', async () => {
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'], neverStarted: true });
  const cwd = join(stage.root, 'work');
  mkdirSync(cwd);
  symlinkSync(stage.hostHome, join(cwd, 'out'));
  for (const path of ['out', 'out/new']) {
    const { adapter } = adapterOn(stage, { cwd, isolation: { sandbox: { writablePaths: [path] } } });
    const error = await refused(adapter.evaluate(askPrompt(), { session: new Session() }));
    expect((error as Error).message).toContain('by a link');
  }
  expect(readdirSync(stage.hostHome)).toEqual([]);
});

/** Texts of the tool results in a recording. */
function resultsOf(name: string): string {
  const file = new URL(`../../fixtures/recordings/${name}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"tool_result"'))
    .join('\n');
}
