import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Notification } from '../../../src/adapter/state/slices.js';
import type { HookEvent } from '../../../src/index.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../src/util/json.js';
import { makeRun } from './make-run.js';

const FOLDER = new URL('../../fixtures/recordings/', import.meta.url);

interface RecordedHook {
  readonly input: JsonObject;
  readonly toolUseId: string | undefined;
}

/** What the real CLI called its hooks with. */
function hooksIn(name: string): readonly RecordedHook[] {
  const lines = readFileSync(new URL(`${name}.jsonl`, FOLDER), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const { dir, data } = parseJsonObject(line) ?? {};
    const request = isJsonObject(data) ? data.request : undefined;
    if (dir !== 'out' || !isJsonObject(request) || !isJsonObject(request.input)) return [];
    if (request.subtype !== 'hook_callback') return [];
    const { input, tool_use_id: id } = request;
    return [{ input: input as JsonObject, toolUseId: typeof id === 'string' ? id : undefined }];
  });
}

const KNOWN = new Set([
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'Stop'],
  ...['SubagentStart', 'SubagentStop', 'PreCompact', 'Notification'],
]);

/** Runs the hooks of a recording in order; gives the answers, and what the session learned. */
async function replay(name: string) {
  const run = makeRun();
  const answers: unknown[] = [];
  for (const { input, toolUseId } of hooksIn(name)) {
    const event = String(input.hook_event_name);
    if (!KNOWN.has(event)) continue;
    answers.push([event, await run.call(event as HookEvent, input, toolUseId)]);
  }
  const events = run.session.events().map((event) => (event.type === 'toolInvoked' ? event : undefined));
  return { ...run, answers, events };
}

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length))
  .filter((name) => hooksIn(name).length > 0);

describe('hook inputs of the real CLI', () => {
  test('there are some, of every event that it was seen calling', () => {
    expect(names.length).toBeGreaterThan(20);
    const seen = new Set(names.flatMap(hooksIn).map(({ input }) => String(input.hook_event_name)));
    expect([...KNOWN].filter((event) => !seen.has(event))).toEqual(['Notification']);
  });

  for (const name of names) {
    test(`${name}: every hook has its say, and nothing fails`, async () => {
      const { answers, logged, events, state } = await replay(name);
      const recorded = hooksIn(name).map(({ input }) => input);
      const ended = recorded.filter((input) => String(input.hook_event_name).startsWith('PostToolUse'));
      expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
      expect(events).toHaveLength(ended.length);
      expect(state.toolCount).toBe(ended.length);
      expect(state.denials).toEqual([]);
      for (const [event, answer] of answers as [string, object][]) {
        const isStop = event === 'PostToolUse' && name === 'hook-structured-output-stop';
        expect(answer, event).toEqual(isStop ? { continue: false } : {});
      }
    });
  }

  test('hooks-main-four: one call, from the question to the stop', async () => {
    const { answers, events, state } = await replay('hooks-main-four');
    expect(answers).toEqual([
      ['UserPromptSubmit', {}],
      ['PreToolUse', {}],
      ['PostToolUse', {}],
      ['Stop', {}],
    ]);
    expect(events).toEqual([
      expect.objectContaining({
        name: 'Bash',
        success: true,
        source: 'native',
        callId: 'toolu_fake_0001',
        durationMs: expect.any(Number),
        result: expect.objectContaining({ stdout: expect.any(String), interrupted: false }),
      }),
    ]);
    expect(state.stopReason).toBe('end_turn');
  });

  test('hook-posttool-failure: the error is the event', async () => {
    const { events } = await replay('hook-posttool-failure');
    expect(events).toEqual([
      expect.objectContaining({
        name: 'Bash',
        success: false,
        error: 'Exit code 3\nout',
        renderedOutput: 'Exit code 3\nout',
      }),
    ]);
  });

  test('hook-structured-output-stop: the output is taken and the turn ended', async () => {
    const { state, answers } = await replay('hook-structured-output-stop');
    expect(answers).toEqual([['PostToolUse', { continue: false }]]);
    expect(state.structuredOutput).toEqual({ value: { a: 1 } });
    expect(state.stopReason, 'no Stop hook fires').toBe(undefined);
  });

  test('subagent-custom: its start and its end are notifications', async () => {
    const { session } = await replay('subagent-custom');
    expect(session.query(Notification).all()).toEqual([
      expect.objectContaining({ source: 'SubagentStart' }),
      expect.objectContaining({ source: 'SubagentStop', payload: expect.objectContaining({ agent_type: 'counter' }) }),
    ]);
  });

  test('todo-and-tasks, tool-errors: no hook was registered, and there is none to answer', () => {
    for (const name of ['todo-and-tasks', 'tool-errors']) expect(hooksIn(name)).toEqual([]);
  });
});
