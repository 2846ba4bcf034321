import { describe, expect, test } from 'vitest';
import type { Options, OutcomeKind } from '../../../src/index.js';
import { createFrames, outcomeFrames, type ScriptItem, virtualTime } from '../../../src/testing/index.js';
import { scriptedCli } from '../checked-cli.js';
import { collect } from '../collect.js';

const RESETS_AT = new Date(Date.now() + 3_600_000);
RESETS_AT.setMilliseconds(0);

const camelCase = (kind: string): string => kind.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What a run needs besides the frames. The compiler holds the keys against the union. */
const needs: Record<OutcomeKind, Options> = {
  completed: {},
  deferred: {},
  hook_stopped: {},
  max_turns: {},
  max_budget: {},
  max_output_tokens: {},
  rate_limited: {},
  overloaded: {},
  auth: {},
  billing: {},
  invalid_request: {},
  context_overflow: {},
  model_not_found: {},
  server_error: {},
  connection_failed: {},
  structured_output_failed: {},
  refused: {},
  interrupted: {},
  deadline: { deadlineMs: 60_000 },
  idle_timeout: { idleTimeoutMs: 60_000 },
  crashed: {},
  not_started: {},
  incomplete: {},
  failed: {},
};

describe('a builder for each outcome', () => {
  test.each(Object.entries(needs))('%s', async (kind, options) => {
    using time = virtualTime();
    const build = Reflect.get(outcomeFrames, camelCase(kind)) as () => ScriptItem;
    const prompt: ScriptItem = kind === 'not_started' ? [] : { prompt: undefined };
    await using cli = scriptedCli([prompt, build()], { inProcess: true });
    const { outcome } = await time.until(collect(cli.query({ prompt: 'Go.', options })));
    expect(outcome.kind).toBe(kind);
  });

  test('there is none too many', () => {
    expect(Object.keys(outcomeFrames).sort()).toEqual(Object.keys(needs).map(camelCase).sort());
  });

  test.each([
    {
      name: 'when the limit resets',
      item: outcomeFrames.rateLimited({ resetsAt: RESETS_AT }),
      outcome: { kind: 'rate_limited', resetsAt: RESETS_AT },
    },
    {
      name: 'what the CLI waited last',
      item: outcomeFrames.overloaded({ retries: 3, retryDelayMs: 700 }),
      outcome: { kind: 'overloaded', retryAfterMs: 700 },
    },
    {
      name: 'a signal',
      item: outcomeFrames.crashed({ signal: 'SIGKILL' }),
      outcome: { kind: 'crashed', signal: 'SIGKILL', exitCode: null },
    },
    {
      name: 'a code and stderr',
      item: outcomeFrames.crashed({ exitCode: 137, stderr: 'out of memory' }),
      outcome: { kind: 'crashed', exitCode: 137, stderrTail: 'out of memory' },
    },
    {
      name: 'structured output',
      item: outcomeFrames.completed({ structuredOutput: { a: 1 } }),
      outcome: { kind: 'completed', structuredOutput: { a: 1 } },
    },
  ])('details reach the application: $name', async ({ item, outcome }) => {
    await using cli = scriptedCli([{ prompt: undefined }, item], { inProcess: true });
    expect((await collect(cli.query({ prompt: 'Go.' }))).outcome).toMatchObject(outcome);
  });

  test('in a script they carry the ids of its session', () => {
    const frames = createFrames({ sessionId: 'mine' });
    const sent = [frames.outcome.maxTurns()].flat(2) as unknown as { session_id: string }[];
    expect(sent.map((frame) => frame.session_id)).toEqual(['mine', 'mine']);
  });
});
