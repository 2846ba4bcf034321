import { describe, expect, test } from 'vitest';
import {
  type ToolCallOutcomeKind,
  ToolCallReader,
  type ToolCallReaderOptions,
  toolCallOutcomes,
} from '../../../src/index.js';

const NOTE = '[Request interrupted by user for tool use]';
const REJECT = "The user doesn't want to proceed";

const prompt = (content: unknown = 'Go.', fields = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...fields,
});
const call = (id = 't1', name = 'Bash', message = 'm1') => ({
  type: 'assistant',
  message: { id: message, content: [{ type: 'tool_use', id, name, input: {} }] },
});
const result = (content: unknown, fields: object = {}, isError = true, id = 't1') => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
  ...fields,
});
const answer = (fields: object = {}) => ({
  type: 'assistant',
  message: { id: 'm2', content: [{ type: 'text', text: 'Done.' }], ...fields },
});
const meta = (fields: object) => ({ tool_result_meta: [{ id: 't1', ...fields }] });
const hook = (hook_event_name: string, more = {}) => ({ hook_event_name, tool_use_id: 't1', ...more });
const NEW = { version: '2.1.332' };
const OLD = { version: '2.1.120' };
const ALL: ToolCallReaderOptions = { hookEvents: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] };

interface Case {
  readonly name: string;
  readonly lines: readonly object[];
  readonly kind: ToolCallOutcomeKind;
  readonly hooks?: readonly object[];
  /** Not to call a hook says nothing. */
  readonly some?: boolean;
}

const CASES: readonly Case[] = [
  // By fields.
  { name: 'a result that is no error', lines: [result('fine', {}, false)], kind: 'ran' },
  {
    name: 'cut by an interrupt',
    lines: [result(REJECT, { toolDenialKind: 'user-rejected' }), prompt(NOTE)],
    kind: 'unknown',
  },
  {
    name: 'cut, its host gone',
    lines: [result('x', { toolDenialKind: 'interrupted', toolDenialAfterRun: true }), answer()],
    kind: 'unknown',
  },
  {
    name: 'a kind that nobody knows yet',
    lines: [result('x', { toolDenialKind: 'parked' }), answer()],
    kind: 'unknown',
  },
  {
    name: 'not begun',
    lines: [result(REJECT, { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true })],
    kind: 'never_started',
  },
  { name: 'denied by a rule', lines: [result('x', { toolDenialKind: 'permission-rule' }), answer()], kind: 'denied' },
  {
    name: 'stopped by a rule after it ran',
    lines: [result('x', { toolDenialKind: 'permission-rule', toolDenialAfterRun: true })],
    kind: 'unknown',
  },
  {
    name: 'a frame of a cut call',
    lines: [result(REJECT, meta({ non_execution_kind: 'user-rejected' }))],
    kind: 'unknown',
  },
  {
    name: 'a frame of a denied call',
    lines: [result('x', meta({ non_execution_kind: 'permission-rule' }))],
    kind: 'denied',
  },
  {
    name: 'a frame that only has the decision',
    lines: [result('x', meta({ permission_decision: { decision: 'reject' } }))],
    kind: 'denied',
  },
  {
    name: 'a list of denials',
    lines: [result('x'), { type: 'result', permission_denials: [{ tool_use_id: 't1' }] }],
    kind: 'denied',
  },
  {
    name: 'a message about the denial',
    lines: [{ type: 'system', subtype: 'permission_denied', tool_use_id: 't1' }, result('x')],
    kind: 'denied',
  },
  {
    name: 'deferred',
    lines: [{ type: 'result', subtype: 'success', deferred_tool_use: { id: 't1' } }],
    kind: 'never_started',
  },
  { name: 'no result', lines: [], kind: 'unknown' },
  {
    name: 'a result that has nothing, right before the note',
    lines: [{ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1' }] } }, prompt(NOTE)],
    kind: 'unknown',
  },
  { name: 'an empty result, right before the note', lines: [result('', {}, false), prompt(NOTE)], kind: 'ran' },
  // By hooks.
  {
    name: 'cut, by a release that does not say when',
    hooks: [hook('PreToolUse')],
    lines: [result(REJECT, { toolDenialKind: 'user-rejected' })],
    kind: 'unknown',
  },
  {
    name: 'not begun, by a release that does not say so',
    hooks: [],
    lines: [result(REJECT, { toolDenialKind: 'user-rejected' })],
    kind: 'never_started',
  },
  { name: 'no result, and not begun', hooks: [], lines: [], kind: 'never_started' },
  { name: 'no result, and begun', hooks: [hook('PreToolUse')], lines: [], kind: 'unknown' },
  {
    name: 'no result, and not begun, where hooks are not listened to',
    hooks: [],
    some: true,
    lines: [],
    kind: 'unknown',
  },
  {
    name: 'ran, and its result was lost',
    hooks: [hook('PreToolUse'), hook('PostToolUse')],
    lines: [result('x', { toolDenialKind: 'interrupted' })],
    kind: 'ran',
  },
  {
    name: 'failed by itself',
    hooks: [hook('PreToolUse'), hook('PostToolUseFailure', { is_interrupt: false })],
    lines: [result('Exit code 137')],
    kind: 'failed',
  },
  {
    name: 'a failure that was an interrupt',
    hooks: [hook('PreToolUse'), hook('PostToolUseFailure', { is_interrupt: true })],
    lines: [result(NOTE), answer()],
    kind: 'unknown',
  },
  {
    name: 'an error without a hook, at the end',
    hooks: [hook('PreToolUse')],
    lines: [result('no', NEW)],
    kind: 'unknown',
  },
  {
    name: 'denied, by a release without fields',
    hooks: [hook('PreToolUse')],
    lines: [result('By the hook.', OLD), answer()],
    kind: 'denied',
  },
  {
    name: 'its host gone, by a release without that field',
    hooks: [hook('PreToolUse')],
    lines: [result('Tool permission stream closed before response received', { version: '2.1.200' }), answer()],
    kind: 'unknown',
  },
  // A tool that prints what the CLI writes has failed.
  ...[`Exit code 137\n${NOTE}`, `Exit code 137\n${REJECT}`, 'AbortError: The operation was aborted', NOTE].flatMap(
    (text) => [
      {
        name: `prints ${JSON.stringify(text)}, and the turn goes on`,
        lines: [result(text), answer()],
        kind: 'failed' as const,
      },
      {
        name: `prints ${JSON.stringify(text)}, with the hook`,
        hooks: [hook('PreToolUse'), hook('PostToolUseFailure')],
        lines: [result(text)],
        kind: 'failed' as const,
      },
      { name: `prints ${JSON.stringify(text)}, at the end`, lines: [result(text)], kind: 'unknown' as const },
    ],
  ),
  // By what follows, and by the text.
  { name: 'an error at the end', lines: [result('Exit code 1\nno')], kind: 'failed' },
  {
    name: 'an error right before the note',
    lines: [result('MCP server went away'), prompt([{ type: 'text', text: NOTE }])],
    kind: 'unknown',
  },
  { name: 'an error, then the next prompt', lines: [result('Exit code 137'), prompt(), answer()], kind: 'unknown' },
  {
    name: 'an error, then what a resume writes',
    lines: [result('Exit code 137'), answer({ model: '<synthetic>' })],
    kind: 'unknown',
  },
  {
    name: 'an error, then an error of the API',
    lines: [result('Exit code 137'), { ...answer({ model: '<synthetic>' }), isApiErrorMessage: true }],
    kind: 'failed',
  },
  {
    name: 'an error, then the rest of the same message',
    lines: [result('Exit code 137'), call('t2')],
    kind: 'unknown',
  },
  {
    name: 'an error, then an answer of a sub-agent',
    lines: [result('Exit code 137'), { ...answer(), parent_tool_use_id: 't9' }],
    kind: 'unknown',
  },
  {
    name: 'a rule, by a release without fields',
    lines: [result('Permission to use Bash has been denied', OLD), answer()],
    kind: 'denied',
  },
  {
    name: 'what looks like a rule, by a release with fields',
    lines: [result('Permission to use Bash has been denied', NEW), answer()],
    kind: 'failed',
  },
  {
    name: 'a result behind that of a resume',
    lines: [result('fine', {}, false), result('x', { toolDenialKind: 'interrupted' })],
    kind: 'ran',
  },
];

describe('V-9: what became of a tool call', () => {
  test.each(CASES)('$name: $kind', ({ lines, kind, hooks, some }) => {
    const options = hooks === undefined || some === true ? {} : ALL;
    const outcomes = toolCallOutcomes([prompt(), call(), ...lines], { ...options, hooks: hooks ?? [] });
    expect(outcomes.find(({ id }) => id === 't1')).toMatchObject({ id: 't1', name: 'Bash', kind });
  });

  test('a sub-agent that was cut is unknown by its text alone, also where the turn went on', () => {
    const lines = [call('t1', 'Agent'), result(NOTE, { version: '2.1.200' }), answer()];
    expect(toolCallOutcomes(lines)).toMatchObject([{ kind: 'unknown', result: 'cli' }]);
  });

  test('says whose the result is', () => {
    const lines = [
      call('t1'),
      call('t2'),
      call('t3'),
      result('fine', {}, false),
      result('x', { toolDenialKind: 'user-rejected' }, true, 't2'),
    ];
    expect(toolCallOutcomes(lines).map((each) => each.result)).toEqual(['tool', 'cli', 'none']);
  });

  test('of two results in one message a field is not taken for the wrong one', () => {
    const block = (id: string, is_error: boolean) => ({ type: 'tool_result', tool_use_id: id, is_error, content: 'x' });
    const both = {
      type: 'user',
      toolDenialKind: 'permission-rule',
      message: { content: [block('t1', false), block('t2', true)] },
    };
    expect(toolCallOutcomes([call('t1'), call('t2'), both]).map(({ kind }) => kind)).toEqual(['ran', 'denied']);
  });

  test('a reader answers while messages come, and knows only calls that a message has', () => {
    const reader = new ToolCallReader();
    reader.addHook(hook('PreToolUse'));
    expect(reader.outcomes()).toEqual([]);
    expect(reader.outcomeOf('t1')).toBeUndefined();
    reader.add(call());
    expect(reader.outcomeOf('t1')).toEqual({ id: 't1', name: 'Bash', kind: 'unknown', result: 'none' });
    reader.add(result('fine', {}, false));
    expect(reader.outcomes()).toEqual([{ id: 't1', name: 'Bash', kind: 'ran', result: 'tool' }]);
    const resumed = new ToolCallReader();
    resumed.add(result('fine', {}, false));
    expect(resumed.outcomeOf('t1')).toMatchObject({ name: undefined, kind: 'ran' });
  });

  test('whatever the shape of a message, nothing is thrown', () => {
    const reader = new ToolCallReader();
    for (const line of [
      ...[
        undefined,
        null,
        1,
        'x',
        [],
        {},
        { type: 'user' },
        { type: 'user', message: 1 },
        { type: 'assistant', message: null },
      ],
      ...[
        { type: 'user', message: { content: { length: 2 } } },
        { type: 'result', permission_denials: {}, deferred_tool_use: 1 },
      ],
      ...[
        {
          type: 'user',
          message: { content: [null, { type: 'tool_result' }, { type: 'tool_result', tool_use_id: {} }] },
        },
      ],
      ...[{ ...result(7), tool_result_meta: [null, { id: 't1', permission_decision: 3, non_execution_kind: {} }] }],
      ...[{ ...result({ a: 1 }), tool_result_meta: 4, version: {}, toolDenialKind: 5 }],
    ]) {
      reader.add(line);
      reader.addHook(line);
    }
    expect(reader.outcomes()).toMatchObject([{ id: 't1', kind: 'failed' }]);
  });
});
