import { expect, test, vi } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { createDiagnosticSink } from '../../src/query/logging.js';

const DIAGNOSTIC: Diagnostic = { code: 'line_not_json', message: 'Skipped a line', details: { bytes: 3 } };

function logger() {
  return { trace: vi.fn(), debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
}

test('the listener gets the diagnostic itself, the logger its details and its message', () => {
  const listener = vi.fn();
  const log = logger();
  createDiagnosticSink(listener, log)(DIAGNOSTIC);
  expect(listener.mock.calls).toEqual([[DIAGNOSTIC]]);
  expect(log.debug.mock.calls).toEqual([[{ code: 'line_not_json', bytes: 3 }, 'Skipped a line']]);
});

test.each([
  ['line_not_json', 'debug'],
  ['flow_paused', 'debug'],
  ['response_late', 'debug'],
  ['callback_result_invalid', 'warn'],
  ['callback_threw', 'warn'],
  ['cleanup_failed', 'warn'],
  ['listener_threw', 'warn'],
  ['mcp_server_problem', 'warn'],
  ['messages_unanswered', 'warn'],
  ['process_signalled', 'warn'],
  ['stdin_closed_by_cap', 'warn'],
] as const)('%s is logged at %s, and at no other level', (code, level) => {
  const log = logger();
  createDiagnosticSink(undefined, log)({ code, message: 'm' });
  const called = Object.entries(log).filter(([, method]) => method.mock.calls.length > 0);
  expect(called.map(([name]) => name)).toEqual([level]);
});

test('a listener or a logger that throws does not keep the other from hearing, nor reach the session', () => {
  const fails = () => {
    throw new Error('mine');
  };
  const log = { ...logger(), debug: vi.fn(fails) };
  const listener = vi.fn(fails);
  expect(() => createDiagnosticSink(listener, log)(DIAGNOSTIC)).not.toThrow();
  expect(listener).toHaveBeenCalledOnce();
  expect(log.debug).toHaveBeenCalledOnce();
});

test('the listener gets what a callback threw, the log its stack, line by line', () => {
  const listener = vi.fn();
  const log = logger();
  const cause = new Error('boom');
  createDiagnosticSink(listener, log)({ code: 'callback_threw', message: 'm', cause });
  expect(listener.mock.calls[0]?.[0].cause).toBe(cause);
  expect(log.warn.mock.calls).toEqual([[{ code: 'callback_threw', stack: cause.stack?.split('\n') }, 'm']]);
});

test('what is thrown need not be an error, nor have a stack', () => {
  const log = logger();
  const send = createDiagnosticSink(undefined, log);
  send({ code: 'callback_threw', message: 'm', cause: 'boom' });
  send({ code: 'callback_threw', message: 'm', cause: Object.assign(new Error('boom'), { stack: 1 }) });
  expect(log.warn.mock.calls).toEqual([
    [{ code: 'callback_threw' }, 'm'],
    [{ code: 'callback_threw' }, 'm'],
  ]);
});

test('without both, diagnostics go nowhere', () => {
  expect(() => createDiagnosticSink(undefined, undefined)(DIAGNOSTIC)).not.toThrow();
});
