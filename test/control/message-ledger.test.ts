import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MessageLedger } from '../../src/control/message-ledger.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';

const INIT = { type: 'system', subtype: 'init' };
const RESULT = { type: 'result', subtype: 'success' };
const ANSWER = { type: 'assistant', parent_tool_use_id: null };
const TOOL = toolResult(null);
const WAKE_UP = { type: 'command_lifecycle', state: 'started', command_uuid: 'w', wakeup_source: 'loop_wakeup' };
const TASK = { ...RESULT, origin: { kind: 'task-notification' } };

function toolResult(parent_tool_use_id: string | null): JsonObject {
  const content = [{ type: 'tool_result', tool_use_id: 't', content: 'x' }];
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id };
}
function withText(frame: JsonObject): JsonObject {
  const { content } = frame.message as { readonly content: readonly unknown[] };
  return { ...frame, message: { role: 'user', content: [{ type: 'text', text: 'x' }, 'y', ...content] } };
}
const answers = (...uuids: string[]) => ({ ...RESULT, user_message_uuids: uuids });
const lifecycle = (command_uuid: string, state: string) => ({ type: 'command_lifecycle', command_uuid, state });

/** A text is a message with that uuid, `''` one without. `idle` and the like are states. */
type Step = JsonObject | string;

function play(steps: readonly Step[]): MessageLedger {
  const ledger = new MessageLedger();
  for (const step of steps) {
    if (typeof step === 'string') {
      ledger.onWritten({ type: 'user', ...(step === '' ? {} : { uuid: step }) });
    } else if (typeof step.state === 'string' && step.type === undefined) {
      ledger.onState(step.state);
    } else ledger.note(step as JsonObject);
  }
  return ledger;
}

describe('unanswered messages (C-3)', () => {
  const cases: readonly { name: string; steps: readonly Step[]; left: number }[] = [
    { name: 'one message, one result', steps: ['', INIT, ANSWER, RESULT], left: 0 },
    { name: 'a result without an init counts', steps: ['', RESULT], left: 0 },
    { name: 'a result that nobody asked for', steps: [RESULT], left: 0 },
    { name: 'two written at once, one result', steps: ['', '', INIT, RESULT], left: 1 },
    { name: 'two and two results', steps: ['', '', INIT, RESULT, INIT, RESULT], left: 0 },
    { name: 'what is queued at a result is one turn', steps: ['', '', '', INIT, RESULT, INIT, RESULT], left: 0 },
    { name: 'idle: nothing is queued', steps: ['', '', INIT, RESULT, { state: 'idle' }], left: 0 },
    { name: 'another state says nothing', steps: ['', '', INIT, RESULT, { state: 'running' }], left: 1 },
    {
      name: 'idle does not speak of what was written after the result',
      steps: ['', INIT, RESULT, '', { state: 'idle' }],
      left: 1,
    },
    { name: 'a message during a tool is folded in', steps: ['', INIT, ANSWER, '', TOOL, ANSWER, RESULT], left: 0 },
    { name: 'not without an API call after the tool', steps: ['', INIT, ANSWER, '', TOOL, RESULT], left: 1 },
    { name: 'not by the tool of an agent', steps: ['', INIT, ANSWER, '', toolResult('t'), ANSWER, RESULT], left: 1 },
    {
      name: 'not by a user message of the CLI that has no tool result',
      steps: [
        '',
        INIT,
        ANSWER,
        '',
        { ...TOOL, message: { role: 'user', content: [{ type: 'text', text: 'x' }] } },
        ANSWER,
        RESULT,
      ],
      left: 1,
    },
    {
      name: 'one tool result among other blocks is enough',
      steps: ['', INIT, ANSWER, '', withText(TOOL), ANSWER, RESULT],
      left: 0,
    },
    {
      name: 'not by what an agent answers',
      steps: ['', INIT, '', TOOL, { ...ANSWER, parent_tool_use_id: 't' }, RESULT],
      left: 1,
    },
    { name: 'a turn of another origin answers', steps: ['', INIT, { ...RESULT, origin: { kind: 'cron' } }], left: 0 },
    { name: 'a message after the tool is not folded in', steps: ['', INIT, ANSWER, TOOL, '', ANSWER, RESULT], left: 1 },
    { name: 'the turn about a task answers none', steps: ['', INIT, RESULT, INIT, '', TASK], left: 1 },
    { name: 'the turn at a wake-up answers none', steps: ['', INIT, RESULT, WAKE_UP, INIT, '', RESULT], left: 1 },
    { name: 'the turn behind it does', steps: ['', INIT, RESULT, WAKE_UP, INIT, '', RESULT, INIT, RESULT], left: 0 },
    { name: 'uuids: those that are listed', steps: ['a', 'b', INIT, answers('a')], left: 1 },
    { name: 'uuids: the later one', steps: ['a', 'b', INIT, answers('b')], left: 1 },
    { name: 'uuids: both', steps: ['a', 'b', INIT, answers('a', 'b')], left: 0 },
    { name: 'uuids: a list that nobody knows', steps: ['a', INIT, answers('z')], left: 0 },
    { name: 'a merged one without a uuid', steps: ['', 'a', '', INIT, RESULT, INIT, answers('a')], left: 0 },
    { name: 'cancelled', steps: ['a', INIT, 'b', lifecycle('b', 'cancelled'), answers('a')], left: 0 },
    { name: 'queued is no answer', steps: ['a', INIT, 'b', lifecycle('b', 'queued'), answers('a')], left: 1 },
  ];
  test.each(cases)('$name', ({ steps, left }) => {
    expect(play(steps).unansweredCount).toBe(left);
  });

  test.each([
    ['from a message', ['']],
    ['from the begin of a turn of the CLI’s own', [INIT]],
    ['from a message while another waits', ['', INIT, RESULT, '']],
  ])('a turn is open %s to the next result', (_name, steps) => {
    expect(play([RESULT]).isTurnOpen).toBe(false);
    expect(play(steps).isTurnOpen).toBe(true);
    expect(play([...steps, RESULT]).isTurnOpen).toBe(false);
  });
});

describe('a message that gets no turn of its own (C-3)', () => {
  test.each(['completed', 'cancelled'])('%s: no turn is open any more', (state) => {
    const ledger = play(['a', lifecycle('a', 'queued')]);
    expect(ledger.isTurnOpen).toBe(true);
    expect(ledger.note(lifecycle('a', state))).toBe(true);
    expect([ledger.isTurnOpen, ledger.unansweredCount]).toEqual([false, 0]);
    expect(ledger.note(lifecycle('a', state))).toBe(false);
  });

  test('the turn that runs stays open, and so does one for another message', () => {
    expect(play(['a', INIT, 'b', lifecycle('b', 'cancelled')]).isTurnOpen).toBe(true);
    expect(play(['a', INIT, lifecycle('a', 'completed')]).isTurnOpen).toBe(true);
    expect(play(['a', 'b', lifecycle('b', 'cancelled')]).isTurnOpen).toBe(true);
  });

  test('one that had its answer is ignored when it is sent again, a cancelled one is not', () => {
    const again = play(['a', INIT, answers('a'), 'a']);
    expect([again.isTurnOpen, again.unansweredCount]).toEqual([false, 0]);
    expect(play(['a', lifecycle('a', 'cancelled'), 'a']).unansweredCount).toBe(1);
    expect(play(['a', lifecycle('a', 'completed'), 'a']).unansweredCount).toBe(0);
  });
});

describe('over real traffic (C-3)', () => {
  const folder = new URL('../fixtures/recordings/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  /** Every turn that began has its result. */
  const whole = names.flatMap((name) => {
    const lines = linesOf(readFileSync(new URL(name, folder), 'utf8'));
    const last = lines.findLastIndex(({ dir, data }) => isTurnEnd(dir, data));
    const isWhole = last !== -1 && !lines.slice(last + 1).some(({ dir, data }) => isBegin(dir, data));
    return isWhole ? [{ name, lines }] : [];
  });

  test('there is enough of it', () => expect(whole.length).toBeGreaterThan(150));

  test.each(whole)('$name: nothing is left at the end', ({ lines }) => {
    let ledger = new MessageLedger();
    for (const { dir, data } of lines) {
      if (data.event === 'spawn') ledger = new MessageLedger();
      else if (dir === 'in' && data.type === 'user') ledger.onWritten(data);
      else if (dir === 'out') {
        ledger.note(data);
        if (data.subtype === 'session_state_changed') ledger.onState(String(data.state));
      }
    }
    expect(ledger.unansweredCount).toBe(0);
    expect(ledger.isTurnOpen).toBe(false);
  });
});

function isTurnEnd(dir: unknown, data: JsonObject): boolean {
  return dir === 'out' && data.type === 'result';
}

function isBegin(dir: unknown, data: JsonObject): boolean {
  return dir === 'in' ? data.type === 'user' : data.subtype === 'init';
}

function linesOf(text: string): { readonly dir: unknown; readonly data: JsonObject }[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ data }) => isJsonObject(data));
}
