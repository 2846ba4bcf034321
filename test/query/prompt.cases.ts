import { vi } from 'vitest';
import { createSdkMcpServer, type Options } from '../../src/index.js';
import { initFrame, resultFrame, turn } from '../helpers/cli-frames.js';
import type { Step } from '../helpers/scripted-cli.js';
import type { SessionCase } from '../helpers/session-case/session-case.js';
import { type Stage, stopTheClock, until } from '../helpers/session-case/session-stage.js';
import {
  answered,
  canUseTool,
  EOF,
  item,
  probe,
  RESULT,
  state,
  USER,
  userText,
} from '../helpers/session-case/steps.js';

const allow: Options = { canUseTool: async () => ({ behavior: 'allow' }) };
const blockingHook: Options = { hooks: { PreToolUse: [{ hooks: [async () => ({})], onFailure: 'block' }] } };
const delivered: Options = { mcpServers: { files: { command: 'files-server' } }, mcpServersDelivery: 'initialize' };

/** What the CLI says last, and leaves: shows that it was not cut off before. */
const LAST: readonly Step[] = [{ out: { type: 'system', subtype: 'last' } }, { exit: 0 }];

async function* held(stage: Stage, ...texts: readonly string[]) {
  for (const text of texts) yield item(text);
  await stage.opened('end of prompt');
}

/** Types of the frames that the CLI has read up to the message that shows where it stands. */
async function readBeforeMarker(stage: Stage): Promise<void> {
  await stage.drain('system/marker');
  const read = stage.cli.log().frames.map(({ type }) => type);
  stage.note(read.filter((type) => type !== 'control_response'));
  await stage.drain();
}
const MARKER: Step = { out: { type: 'system', subtype: 'marker' } };

export const promptCases: readonly SessionCase[] = [
  {
    ids: ['TS-081', 'PY-149'],
    name: 'a string prompt is one user frame',
    prompt: 'Say hello.',
    cli: turn(),
    expect: { written: [userText('Say hello.')], messages: ['system/init', 'assistant', 'result/success'] },
  },
  {
    ids: ['TS-082'],
    name: 'verbatimPrompts ends a string prompt with client_composed',
    options: { verbatimPrompts: true },
    cli: turn(),
    expect: { written: [{ ...userText('Hi'), client_composed: true }] },
  },
  {
    ids: ['TS-082'],
    name: 'verbatimPrompts copies the items of an iterable',
    options: { verbatimPrompts: true },
    prompt: (stage) => {
      const given = item('one');
      stage.note(given);
      return [given];
    },
    cli: [USER, RESULT],
    expect: { written: [{ ...item('one'), client_composed: true }], notes: [item('one')] },
  },
  {
    ids: ['TS-083', 'PY-148'],
    name: 'the items of an iterable are written unchanged, in order',
    prompt: async function* () {
      yield { ...item('one'), extra: { kept: [1, null] } };
      yield { type: 'user', message: { role: 'user', content: 'two' } };
    },
    cli: [USER, USER, RESULT, RESULT],
    expect: {
      written: [
        { ...item('one'), extra: { kept: [1, null] } },
        { type: 'user', message: { role: 'user', content: 'two' } },
      ],
    },
  },
  {
    ids: ['TS-084'],
    name: 'the user frame does not wait for the answer to initialize',
    header: { answers: { initialize: null } },
    cli: [USER, RESULT],
    expect: { written: [userText('Hi')], messages: ['result/success'] },
  },
  {
    ids: ['TS-085'],
    name: "with a hook of onFailure 'block' the user frame waits for the confirmation",
    options: blockingHook,
    cli: [
      { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } },
      ...probe(),
      MARKER,
      ...initializeAnswer({ hook_on_failure_supported: true }),
      ...turn(),
    ],
    program: readBeforeMarker,
    expect: { notes: [['control_request']], written: [userText('Hi')], diagnostics: ['request_unsupported'] },
  },
  ...[
    { name: 'the flag is missing', answer: {}, message: 'does not confirm hooks with `onFailure`' },
    {
      name: 'the hooks were not applied',
      answer: { hook_on_failure_supported: true, hooks_applied: false },
      message: 'did not take over the hooks',
    },
  ].map(
    ({ name, answer, message }): SessionCase => ({
      ids: name === 'the flag is missing' ? ['TS-086', 'TS-085'] : ['TS-085'],
      name: `a hook of onFailure 'block' ends the run when ${name}`,
      options: blockingHook,
      cli: [
        { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } },
        ...initializeAnswer(answer),
        EOF,
      ],
      expect: {
        written: [],
        messages: [],
        error: {
          name: 'ControlRequestError',
          message,
          fields: { errorClass: 'control_request_failed', subtype: 'initialize' },
        },
      },
    }),
  ),
  {
    ids: ['TS-087'],
    name: "with mcpServersDelivery 'initialize' the user frame waits for the answer",
    options: delivered,
    cli: [
      { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } },
      ...probe(),
      MARKER,
      ...initializeAnswer({ mcp_servers_applied: true }),
      ...turn(),
    ],
    program: readBeforeMarker,
    expect: { notes: [['control_request']], written: [userText('Hi')], diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-087'],
    name: 'an answer without mcp_servers_applied ends the run',
    options: delivered,
    cli: [EOF],
    expect: { written: [], error: { name: 'ControlRequestError', message: 'mcp_servers_applied' } },
  },
  {
    ids: ['TS-088'],
    name: 'a string prompt without callbacks: end of input right after the first result',
    cli: [...turn(), EOF, ...LAST],
    expect: { messages: ['system/init', 'assistant', 'result/success', 'system/last'] },
  },
  {
    ids: ['TS-088'],
    name: 'any first result ends the input: of an error, of another session',
    cli: [
      USER,
      { out: resultFrame({ subtype: 'error_during_execution', is_error: true, session_id: 'x' }) },
      EOF,
      ...LAST,
    ],
    expect: { messages: ['result/error_during_execution', 'system/last'] },
  },
  {
    ids: ['TS-088', 'PY-135'],
    name: 'a string prompt without callbacks: the input stays open before the result',
    differs: 'D-05',
    cli: [USER, { out: initFrame() }, ...probe(), RESULT, EOF],
    expect: { diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-089', 'PY-138'],
    name: 'with a callback and states the input ends at idle, not at the result',
    options: allow,
    cli: [USER, state('running'), RESULT, ...probe(), state('idle'), EOF, ...LAST],
    expect: {
      diagnostics: ['request_unsupported'],
      messages: ['system/session_state_changed', 'result/success', 'system/session_state_changed', 'system/last'],
    },
  },
  {
    ids: ['TS-090', 'PY-138'],
    name: 'with a callback and no states the input ends at the result',
    options: allow,
    cli: [USER, { out: initFrame() }, ...probe(), RESULT, EOF, ...LAST],
    expect: { diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-090'],
    name: 'no states: a callback that is pending at the result still gets its answer through',
    differs: 'D-15',
    options: (stage) => ({
      canUseTool: async () => {
        await stage.opened('decision');
        return { behavior: 'allow' };
      },
    }),
    cli: [USER, canUseTool('c1'), RESULT, MARKER, answered('c1'), EOF],
    program: async (stage) => {
      await stage.drain('system/marker');
      stage.open('decision');
      await stage.drain();
    },
    expect: { answers: { c1: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } } } },
  },
  {
    ids: ['TS-091'],
    name: 'requires_action holds the input open as running does',
    options: allow,
    cli: [USER, state('requires_action'), RESULT, ...probe(), state('idle'), EOF],
    expect: { diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-092'],
    name: 'a state that never becomes idle: end of input 600 s after the result, and said so',
    options: allow,
    cli: [USER, state('running'), RESULT, EOF],
    program: async (stage) => {
      stopTheClock();
      await stage.drain('result/success');
      vi.advanceTimersByTime(599_999);
      stage.note(stage.diagnostics.length);
      vi.advanceTimersByTime(1);
      stage.note(stage.diagnostics.length);
      await stage.drain();
    },
    expect: { notes: [0, 1], diagnostics: ['stdin_closed_by_cap'] },
  },
  {
    ids: ['TS-093'],
    name: 'an iterable that ended, no callbacks: end of input before any result',
    prompt: [item('one')],
    cli: [USER, EOF, RESULT],
    expect: { messages: ['result/success'], written: [item('one')] },
  },
  {
    ids: ['TS-094', 'PY-138'],
    name: 'an iterable that ended, with a callback: end of input only after the result',
    options: allow,
    prompt: [item('one')],
    cli: [USER, ...probe(), RESULT, EOF],
    expect: { diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-095'],
    name: 'an iterable that is still open: results do not end the input',
    prompt: async function* (stage: Stage) {
      yield item('one');
      await stage.opened('second');
      yield item('two');
    } as (stage: Stage) => AsyncIterable<Record<string, unknown>>,
    cli: [USER, RESULT, ...probe(), MARKER, USER, RESULT, EOF],
    program: async (stage) => {
      await stage.drain('system/marker');
      stage.open('second');
      await stage.drain();
    },
    expect: {
      diagnostics: ['request_unsupported'],
      written: [item('one'), item('two')],
      messages: ['result/success', 'system/marker', 'result/success'],
    },
  },
  {
    ids: ['TS-096'],
    name: 'a message after the first result: the control channel stays open until the second',
    differs: 'D-15',
    options: allow,
    prompt: async function* (stage: Stage) {
      yield item('one');
      await stage.opened('second');
      yield item('two');
    } as (stage: Stage) => AsyncIterable<Record<string, unknown>>,
    cli: [USER, RESULT, USER, canUseTool('c1'), answered('c1'), RESULT, EOF],
    program: async (stage) => {
      await stage.drain('result/success');
      stage.open('second');
      await stage.drain();
    },
    expect: { answers: { c1: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } } } },
  },
  {
    ids: ['TS-096'],
    name: 'two messages at once: the first of two results does not end the input',
    differs: 'D-15',
    options: allow,
    prompt: [item('one'), item('two')],
    cli: [USER, USER, state('running'), RESULT, ...probe(), RESULT, state('idle'), EOF],
    expect: { diagnostics: ['request_unsupported'] },
  },
  ...callbackKinds().map(
    ({ name, ids, options }): SessionCase => ({
      ids: ['TS-097', ...ids],
      name: `${name} counts as a callback: the input outlives the result while states say so`,
      options,
      cli: [USER, state('running'), RESULT, ...probe(), state('idle'), EOF],
      expect: { diagnostics: ['request_unsupported'] },
    }),
  ),
  ...notCallbacks().map(
    ({ name, options }): SessionCase => ({
      ids: ['TS-097'],
      name: `${name} is no callback: the input ends at the result whatever the state`,
      options,
      cli: [USER, state('running'), RESULT, EOF, ...LAST],
      expect: { messages: ['system/session_state_changed', 'result/success', 'system/last'] },
    }),
  ),
  {
    ids: ['TS-098'],
    name: 'streamInput of two messages writes both and resolves when the stream is exhausted',
    prompt: (stage) => held(stage),
    cli: [USER, USER, EOF],
    program: async (stage) => {
      const source = (async function* () {
        yield item('one');
        yield item('two');
        stage.note('exhausted');
      })();
      await stage.query.streamInput(source as never);
      stage.note('resolved');
      stage.open('end of prompt');
      await stage.drain();
    },
    expect: {
      written: [item('one'), item('two')],
      notes: ['exhausted', 'resolved'],
      diagnostics: ['messages_unanswered'],
    },
  },
  {
    ids: ['TS-099', 'PY-091'],
    name: 'two streamInput calls at once: their frames interleave whole',
    prompt: (stage) => held(stage),
    cli: [...Array.from({ length: 4 }, () => USER), EOF],
    program: async (stage) => {
      const source = async function* (name: string) {
        yield item(`${name}1 ${'x'.repeat(100_000)}`);
        yield item(`${name}2`);
      };
      await Promise.all([stage.query.streamInput(source('a') as never), stage.query.streamInput(source('b') as never)]);
      stage.open('end of prompt');
      await stage.drain();
      const texts = stage.cli
        .log()
        .frames.map(({ message }) => (message as { content?: string } | undefined)?.content)
        .filter((text) => text !== undefined);
      return texts.map((text) => text.slice(0, 2)).sort();
    },
    expect: { diagnostics: ['messages_unanswered'], value: ['a1', 'a2', 'b1', 'b2'] },
  },
  {
    ids: ['TS-093'],
    name: 'a request after the input ended rejects at once, and nothing is written',
    differs: 'D-05',
    prompt: [item('one')],
    cli: [USER, EOF, MARKER, RESULT],
    program: async (stage) => {
      await stage.drain('system/marker');
      const refused = await stage.query.interrupt().catch((error: Error) => error.name);
      await stage.drain();
      return refused;
    },
    expect: { value: 'SessionClosedError', written: [item('one')] },
  },
  {
    ids: ['TS-083'],
    name: 'the prompt is pulled no faster than the CLI reads',
    differs: 'D-03',
    prompt: async function* (stage: Stage) {
      for (let index = 0; index < 200; index += 1) {
        stage.note('pulled');
        yield item('x'.repeat(64 * 1024));
      }
    } as (stage: Stage) => AsyncIterable<Record<string, unknown>>,
    cli: [{ stdin: 'pause' }, MARKER, { wait: 'SIGTERM' }, { exit: 0 }],
    program: async (stage) => {
      await stage.drain('system/marker');
      // The pipe and its buffers hold a few hundred KiB; without back-pressure all 200 were taken by now.
      let before = -1;
      await until(() => {
        const isStill = before === stage.notes.length;
        before = stage.notes.length;
        return isStill && before > 0;
      }, 'the pump stands still');
      const wasHeldBack = stage.notes.length < 100;
      stage.notes.length = 0;
      stopTheClock();
      stage.query.close();
      await vi.advanceTimersByTimeAsync(2000);
      await stage.drain();
      return wasHeldBack;
    },
    expect: { value: true, signals: [[2000, 'SIGTERM']], diagnostics: ['process_signalled'] },
  },
];

function initializeAnswer(response: Record<string, unknown>): readonly Step[] {
  return [{ out: { type: 'control_response', response: { subtype: 'success', request_id: '$init', response } } }];
}

function callbackKinds(): { name: string; ids: readonly string[]; options: Options }[] {
  const server = createSdkMcpServer({ name: 'notes', tools: [] });
  return [
    { name: 'a hook', ids: ['PY-136'], options: { hooks: { Stop: [{ hooks: [async () => ({})] }] } } },
    { name: 'an event without matchers', ids: ['PY-139'], options: { hooks: { Stop: [] } } },
    { name: 'an in-process server', ids: ['PY-137'], options: { mcpServers: { notes: server } } },
    { name: 'canUseTool', ids: [], options: allow },
    { name: 'onElicitation', ids: [], options: { onElicitation: async () => ({ action: 'decline' }) } },
    { name: 'onUserDialog', ids: [], options: { onUserDialog: async () => null } },
  ];
}

function notCallbacks(): { name: string; options: Options }[] {
  return [
    { name: 'an empty hooks object', options: { hooks: {} } },
    { name: 'an external server', options: { mcpServers: { a: { command: 'a' } }, mcpServersDelivery: 'argv' } },
    { name: 'permissionPromptToolName', options: { permissionPromptToolName: 'mcp__a__ask' } },
  ];
}
