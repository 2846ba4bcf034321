import pino from 'pino';
import { describe, expect, test } from 'vitest';
import type { AdapterError } from '../../../src/adapter/errors/adapter-error.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import { NetworkPolicy } from '../../../src/adapter/isolation/network-policy.js';
import type { AdapterLogger } from '../../../src/adapter/logging/log.js';
import { toAdapterLogger } from '../../../src/adapter/logging/log.js';
import { type AnyTool, Tool } from '../../../src/adapter/prompt/index.js';
import { PromptRendered } from '../../../src/adapter/state/events.js';
import { Session } from '../../../src/adapter/state/session.js';
import { recordingLogger } from '../agent/recording-logger.js';
import { checkReport } from '../report/check-report.js';
import { askPrompt } from '../support/make-prompt.js';
import { play, type Stage } from '../support/play.js';

test('a run that goes well has one start and one complete record, with what is known (AD-307)', async () => {
  await using stage = play(({ turn }) => turn('Four.'), {
    recordings: ['hello'],
    sessionId: '5e551000-0000-4000-8000-0000000000aa',
  });
  const logger = recordingLogger();
  await new ClaudeAgentAdapter({ ...stage.machine, logger, model: 'opus' }).evaluate(askPrompt(), {
    session: new Session(),
  });
  const records = logger.records.filter(({ event }) => event.startsWith('sdk.evaluate.'));
  expect(records).toEqual([
    {
      level: 'info',
      message: 'claude_agent_sdk.sdk.evaluate.start',
      event: 'sdk.evaluate.start',
      context: {
        promptName: 'test:sum',
        model: 'opus',
        stateful: false,
        toolCount: 0,
        hasStructuredOutput: false,
        isolated: false,
      },
    },
    {
      level: 'info',
      message: 'claude_agent_sdk.sdk.evaluate.complete',
      event: 'sdk.evaluate.complete',
      context: {
        promptName: 'test:sum',
        durationMs: expect.any(Number),
        inputTokens: 10,
        outputTokens: 5,
        totalCostUsd: 0.001,
        sessionId: '5e551000-0000-4000-8000-0000000000aa',
        numTurns: 1,
        stopReason: 'end_turn',
      },
    },
  ]);
});

test('a logger that throws does not touch the run (AD-309)', async () => {
  await using stage = play(
    ({ prompt, init, toolUse, hook, toolResult, result }) => [
      prompt(),
      init(),
      toolUse('Bash', { command: 'echo one' }),
      hook('PreToolUse', {}, { expect: {} }),
      hook('PostToolUse', { tool_response: { stdout: 'one' } }, { expect: {} }),
      toolResult('one'),
      result('Done.'),
    ],
    { recordings: ['hook-pretool-allow', 'hooks-main-four', 'hello'] },
  );
  let calls = 0;
  const fail = (): never => {
    calls += 1;
    throw new Error('disk full');
  };
  const logger: AdapterLogger = { debug: fail, info: fail, warn: fail, error: fail };
  const response = await new ClaudeAgentAdapter({ ...stage.machine, logger }).evaluate(askPrompt(), {
    session: new Session({ logger }),
  });
  expect(response.text).toBe('Done.');
  // start, complete, and the call
  expect(calls).toBeGreaterThanOrEqual(3);
});

test('without a logger nothing is printed, whatever happens (AD-310)', async () => {
  await using stage = play(
    ({ process, prompt, init, faults, stderr, turn }) => [
      [process(), stderr('noise\n'), turn('Four.')],
      [process(), prompt(), init(), faults.crash({ exitCode: 3, stderr: 'no disk' })],
    ],
    { recordings: ['hello'] },
  );
  const printed: unknown[] = [];
  const streams = [process.stdout, process.stderr] as const;
  const writes = streams.map((stream) => stream.write);
  for (const stream of streams) stream.write = (chunk: unknown) => printed.push(chunk) > 0;
  try {
    const adapter = new ClaudeAgentAdapter({ ...stage.machine });
    const session = new Session();
    session.bus.subscribe(PromptRendered, () => {
      throw new Error('a handler that fails');
    });
    await adapter.evaluate(askPrompt(), { session });
    await adapter.evaluate(askPrompt(), { session }).catch(() => {});
  } finally {
    streams.forEach((stream, index) => {
      stream.write = writes[index]!;
    });
  }
  expect(printed).toEqual([]);
});

/** Planted wherever something may be given to an adapter. */
const PLANTED = {
  configKey: 'sk-planted-config-key-0001',
  configEnv: 'planted config env 0002',
  passed: 'planted-passed-variable-0003',
  hostKey: 'planted-host-api-key-0004',
  hostHeaders: 'X-Api-Key: planted-header-0005',
  hostToken: 'planted-host-token-0006',
  /** In the form of Anthropic's own; nobody told the adapter of it. */
  stray: 'sk-ant-planted-stray-0007',
} as const;
const TOLD = Object.values(PLANTED);
const EVERYTHING = `The CLI tells it all: ${TOLD.join(', ')}`;

/** Texts in which a secret may stand whole or as JSON writes it. */
const leaksIn = (text: string): readonly string[] =>
  [...TOLD, 'planted-header-0005'].filter((secret) => text.includes(secret));

/** A variable of the host that nobody named to the adapter, and with a name like any other, is nothing it could know of. */
const isGiven = (secret: string, { isolation }: ClaudeAgentClientConfig): boolean =>
  secret !== PLANTED.passed || isolation !== undefined;

/** What can be read of an error by whoever catches it, causes included. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => Reflect.get(error, name));
  const causes = error.cause === undefined ? '' : textOf(error.cause);
  return `${error.stack}${error}${JSON.stringify(own)}${JSON.stringify(error)}${causes}`;
}

const chatty: AnyTool = new Tool({
  name: 'chatty',
  description: 'Fails, and says why at length.',
  handler: () => {
    throw new Error(EVERYTHING);
  },
}) as unknown as AnyTool;

const configs: readonly (readonly [string, ClaudeAgentClientConfig])[] = [
  ['without isolation', { env: { ANTHROPIC_API_KEY: PLANTED.configKey, SOME_TOKEN: PLANTED.configEnv } }],
  [
    'isolated',
    {
      isolation: {
        apiKey: PLANTED.configKey,
        env: { SOME_TOKEN: PLANTED.configEnv },
        passEnv: ['PASSED'],
        networkPolicy: NetworkPolicy.noNetwork(),
      },
    },
  ],
];

type Script = Parameters<typeof play>[0];
const ways: readonly (readonly [string, Script])[] = [
  [
    'a run that goes well, with calls that fail',
    ({ prompt, init, stderr, toolUse, hook, mcpHandshake, mcpCall, toolResult, result }) => [
      mcpHandshake('wink'),
      prompt(),
      init(),
      stderr(`${EVERYTHING}\n`),
      toolUse('mcp__wink__chatty', {}),
      hook('PreToolUse'),
      mcpCall('wink', 'chatty', {}, { expect: { isError: true } }),
      toolResult('failed', { isError: true }),
      result('Done.'),
    ],
  ],
  [
    'an error result',
    ({ prompt, init, stderr, errorResult }) => [
      prompt(),
      stderr(`${EVERYTHING}\n`),
      init(),
      errorResult('error_max_turns', [EVERYTHING], { terminal_reason: 'max_turns' }),
    ],
  ],
  ['a crash', ({ prompt, init, faults }) => [prompt(), init(), faults.crash({ exitCode: 9, stderr: EVERYTHING })]],
  [
    'garbage',
    ({ prompt, init, faults }) => [
      prompt(),
      init(),
      faults.garbage(`{"type":"assistant" ${EVERYTHING}`),
      faults.stall(),
    ],
  ],
  [
    'an end without a result',
    ({ prompt, init, stderr, exit }) => [prompt(), init(), stderr(`${EVERYTHING}\n`), exit(0)],
  ],
];

describe('no secret is in a log record, a report or an error (AD-308)', () => {
  for (const [config, clientConfig] of configs) {
    for (const [way, script] of ways) {
      test(`${config}: ${way}`, async () => {
        await using stage = play(script, { recordings: ['hello', 'max-turns', 'mcp-sdk', 'hook-pretool-allow'] });
        const { lines, logger } = pinoAtEveryLevel();
        const said = await outcomeOn(stage, clientConfig, logger);
        const leaks = (text: string) => leaksIn(text).filter((secret) => isGiven(secret, clientConfig));
        expect(lines.length).toBeGreaterThan(0);
        expect(leaks(lines.join('\n')), 'log').toEqual([]);
        expect(leaks(said), 'report and error').toEqual([]);
        expect(leaks(stage.sent.argv.flat().join('\n')), 'argv').toEqual([]);
      });
    }
  }
});

function pinoAtEveryLevel() {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  return { lines, logger: pino({ level: 'trace' }, stream) };
}

/** What is said of the run to whoever called: its report, and its error. */
async function outcomeOn(stage: Stage, clientConfig: ClaudeAgentClientConfig, log: pino.Logger): Promise<string> {
  const logger = toAdapterLogger(log);
  const { machine } = stage;
  const adapter = new ClaudeAgentAdapter({
    ...machine,
    logger,
    hostEnv: {
      ...machine.hostEnv,
      ANTHROPIC_API_KEY: PLANTED.hostKey,
      ANTHROPIC_CUSTOM_HEADERS: PLANTED.hostHeaders,
      GITHUB_TOKEN: PLANTED.hostToken,
      PASSED: PLANTED.passed,
    },
    clientConfig: { ...machine.clientConfig, ...clientConfig },
  });
  const session = new Session({ logger });
  try {
    const { report } = await adapter.evaluate(askPrompt({ tools: [chatty] }), { session });
    return JSON.stringify(checkReport(report));
  } catch (error) {
    // As many a program does it.
    log.error(error);
    return `${textOf(error)}${JSON.stringify(checkReport((error as AdapterError).report))}`;
  }
}
