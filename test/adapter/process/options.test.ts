import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import type { EvaluateOptions } from '../../../src/adapter/evaluate/run-request.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { tool } from '../prompt/support.js';
import { ASKED, addTool, askPrompt } from '../support/make-prompt.js';
import { play, type Stage } from '../support/play.js';

type Given = Omit<ClaudeAgentAdapterOptions, 'clientConfig'> & {
  readonly clientConfig?: ClaudeAgentClientConfig | ((stage: Stage) => ClaudeAgentClientConfig);
};

/** What the CLI was started with, and told. */
async function seen(
  { clientConfig, ...options }: Given = {},
  evaluate: Partial<EvaluateOptions> & { readonly prompt?: ReturnType<typeof askPrompt> } = {},
) {
  await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
  const own = typeof clientConfig === 'function' ? clientConfig(stage) : clientConfig;
  const adapter = new ClaudeAgentAdapter({
    ...stage.machine,
    ...options,
    clientConfig: { ...stage.machine.clientConfig, ...own },
  });
  const { prompt = askPrompt(), ...rest } = evaluate;
  const response = await adapter.evaluate(prompt, { session: new Session(), ...rest });
  const [run] = stage.runs;
  if (run === undefined) throw new Error('no process');
  return { stage, response, run, argv: run.argv, sent: stage.sent };
}

/** The value of a flag, `--flag=value` or `--flag value`; `true` without one; `undefined` when it is not there. */
function flag(argv: readonly string[], name: string): string | true | undefined {
  const at = argv.findIndex((each) => each === name || each.startsWith(`${name}=`));
  if (at < 0) return undefined;
  const found = argv[at] ?? '';
  if (found.includes('=')) return found.slice(found.indexOf('=') + 1);
  const next = argv[at + 1];
  return next === undefined || next.startsWith('--') ? true : next;
}

describe('what the CLI is started with', () => {
  test('directories, variables, setting sources, the turn limit and partial messages (AD-095)', async () => {
    const { stage, run, argv } = await seen({
      clientConfig: ({ root }) => {
        mkdirSync(join(root, 'work'));
        mkdirSync(join(root, 'more'));
        return {
          cwd: join(root, 'work'),
          addDirs: [join(root, 'more')],
          env: { MARK: 'set', PATH: process.env.PATH },
          settingSources: ['project'],
          maxTurns: 3,
          includePartialMessages: true,
        };
      },
    });
    expect(run.cwd).toBe(join(stage.root, 'work'));
    expect(flag(argv, '--add-dir')).toBe(join(stage.root, 'more'));
    expect(run.env).toMatchObject({ MARK: 'set', HOME: stage.hostHome });
    expect(flag(argv, '--setting-sources')).toBe('project');
    expect(flag(argv, '--max-turns')).toBe('3');
    expect(argv).toContain('--include-partial-messages');
  });

  test('without setting sources no settings file is loaded (AD-096)', async () => {
    const { argv } = await seen();
    expect(argv).toContain('--setting-sources=');
    expect(flag(argv, '--settings')).toBeUndefined();
  });

  test('the client sandbox goes inline as it is (AD-097)', async () => {
    const sandbox = { enabled: true, network: { allowUnixSockets: ['/run/x.sock'] } };
    const { argv } = await seen({ clientConfig: { sandbox } });
    expect(JSON.parse(String(flag(argv, '--settings')))).toEqual({ sandbox });
  });

  test.each(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])(
    'permission mode %s reaches the CLI, and the skip flag with bypass only (AD-100)',
    async (permissionMode) => {
      const { argv } = await seen({ clientConfig: { permissionMode } });
      expect(flag(argv, '--permission-mode')).toBe(permissionMode);
      expect(argv.includes('--allow-dangerously-skip-permissions')).toBe(permissionMode === 'bypassPermissions');
    },
  );

  test('a permission mode of the future is passed on (AD-101)', async () => {
    const { argv } = await seen({ clientConfig: { permissionMode: 'futureMode' } });
    expect(flag(argv, '--permission-mode')).toBe('futureMode');
  });

  test('allowed tools are approved as they are, and exist by their names (AD-102)', async () => {
    const { argv } = await seen({ allowedTools: ['Read', 'Bash(git:*)'] });
    expect(flag(argv, '--allowedTools')).toBe('Read,Bash(git:*)');
    expect(flag(argv, '--tools')).toBe('Read,Bash');
  });

  test.each([undefined, null])('allowed tools %s restrict nothing (AD-103)', async (allowedTools) => {
    const { argv } = await seen({ allowedTools });
    expect(flag(argv, '--allowedTools')).toBeUndefined();
    expect(flag(argv, '--tools')).toBeUndefined();
  });

  test('an empty list of allowed tools is no tool at all (AD-103)', async () => {
    const { argv } = await seen({ allowedTools: [] });
    expect(flag(argv, '--allowedTools')).toBeUndefined();
    expect(flag(argv, '--tools')).toBe('');
  });

  test('bridged tools are on the allow list, and no built-in ones (AD-104)', async () => {
    const { argv } = await seen(
      { allowedTools: ['Read'] },
      { prompt: askPrompt({ tools: [tool('zip'), addTool, tool('a_b-c')] }) },
    );
    expect(flag(argv, '--allowedTools')).toBe('Read,mcp__wink__zip,mcp__wink__add,mcp__wink__a_b-c');
    expect(flag(argv, '--tools')).toBe('Read');
  });

  test('disallowed tools are on the deny list (AD-105)', async () => {
    const { argv } = await seen({ disallowedTools: ['WebFetch'] });
    expect(flag(argv, '--disallowedTools')).toBe('WebFetch');
  });

  test('with system placement the prompt is the system prompt, and `userPrompt` the message (AD-109)', async () => {
    const { sent } = await seen({ clientConfig: { promptPlacement: 'system' } }, { userPrompt: 'go' });
    expect(sent.initialize).toMatchObject([{ systemPrompt: ASKED }]);
    expect(sent.prompts).toEqual(['go']);
  });

  test('without `userPrompt` the message asks to begin', async () => {
    const { sent } = await seen({ clientConfig: { promptPlacement: 'system' } });
    expect(sent.prompts).toEqual(['Begin.']);
  });

  test('by default the prompt is the message, and no system prompt is sent (AD-110)', async () => {
    const { sent, argv } = await seen();
    expect(sent.prompts).toEqual([ASKED]);
    const fields = Object.keys(sent.initialize[0] ?? {}).filter((key) => /systemPrompt/i.test(key));
    expect(fields).toEqual([]);
    expect(argv.filter((each) => /system-prompt/.test(each))).toEqual([]);
  });

  test('the cost limit, the model and `outsideWorkspacePaths` reach it too', async () => {
    const { argv } = await seen({
      model: 'a-model',
      clientConfig: { maxBudgetUsd: 0.5, outsideWorkspacePaths: 'deny' },
    });
    expect(flag(argv, '--max-budget-usd')).toBe('0.5');
    expect(flag(argv, '--model')).toBe('a-model');
    expect(JSON.parse(String(flag(argv, '--settings')))).toEqual({
      permissions: { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true },
    });
  });
});

describe('the executable', () => {
  test.each([{}, { isolation: {} }])(
    'is that of CLAUDE_CODE_EXECUTABLE of the host, when none is named: %j',
    async (clientConfig) => {
      await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
      const adapter = new ClaudeAgentAdapter({
        ...stage.machine,
        hostEnv: { ...stage.machine.hostEnv, CLAUDE_CODE_EXECUTABLE: stage.path },
        clientConfig,
      });
      expect((await adapter.evaluate(askPrompt())).text).toBe('Done.');
    },
  );
});

describe('the working directory', () => {
  const withWorkspace = async (clientConfig: ClaudeAgentClientConfig = {}) => {
    const session = new Session();
    const section = await ClaudeAgentWorkspaceSection.create({ session });
    try {
      const { run, argv } = await seen({ clientConfig }, { session });
      return { tempDir: section.workspace.tempDir, run, argv };
    } finally {
      await section.cleanup();
    }
  };

  test('is the workspace of the session, which is an extra directory as well (AD-119)', async () => {
    const { tempDir, run, argv } = await withWorkspace();
    expect(run.cwd).toBe(tempDir);
    expect(flag(argv, '--add-dir')).toBe(tempDir);
  });

  test('is the one that was given (AD-120)', async () => {
    const { tempDir, run, argv } = await withWorkspace({ cwd: '/' });
    expect(run.cwd).toBe('/');
    expect(flag(argv, '--add-dir')).toBe(tempDir);
  });
});

describe('stderr of the CLI', () => {
  const noisy = async (clientConfig: ClaudeAgentClientConfig) => {
    await using stage = play(({ stderr, turn }) => [stderr('noise\n'), turn('Done.')], { recordings: ['hello'] });
    const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    try {
      const adapter = new ClaudeAgentAdapter({
        ...stage.machine,
        clientConfig: { ...stage.machine.clientConfig, ...clientConfig },
      });
      await adapter.evaluate(askPrompt(), { session: new Session() });
      return write.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('noise'));
    } finally {
      write.mockRestore();
    }
  };

  test('does not reach the host (AD-106)', async () => {
    expect(await noisy({ suppressStderr: true })).toEqual([]);
    expect(await noisy({})).toEqual([]);
  });

  test('reaches the sink, or the host’s own, when it is not suppressed (AD-107)', async () => {
    const taken: string[] = [];
    const sink = (text: string): void => void taken.push(text);
    expect(await noisy({ suppressStderr: false, stderr: sink })).toEqual([]);
    expect(taken.join('')).toBe('noise\n');
    expect(await noisy({ suppressStderr: false })).toEqual(['noise\n']);
  });
});
