import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as adapter from '../../src/adapter/index.js';
import * as errors from '../../src/errors.js';
import { SessionRecord } from '../../src/query/session-record.js';
import { INSTALL } from '../../src/transport/launch-error.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');

/** The compiler holds the keys against the union. */
const classes: Record<Exclude<errors.ErrorClass, errors.AdapterErrorClass>, string> = {
  aborted: 'AbortError',
  connection_failed: 'CLIConnectionError',
  query_closed: 'SessionClosedError',
  not_connected: 'CLIConnectionError',
  executable_not_found: 'CLINotFoundError',
  cli_version_unsupported: 'CLIVersionError',
  executable_launch_failed: 'CLIConnectionError',
  process_error: 'CLIConnectionError',
  process_exited_nonzero: 'ProcessError',
  process_killed_by_signal: 'ProcessError',
  error_result: 'ResultError',
  frame_invalid: 'CLIJSONDecodeError',
  frame_too_large: 'FrameTooLargeError',
  message_invalid: 'MessageParseError',
  control_request_failed: 'ControlRequestError',
  control_request_timeout: 'ControlRequestTimeoutError',
  initialize_timeout: 'ControlRequestTimeoutError',
  claim_failed: 'ClaimError',
  idle_timeout: 'IdleTimeoutError',
  deadline_exceeded: 'RunDeadlineError',
  queue_limit_exceeded: 'QueueLimitError',
  spool_failed: 'SpoolError',
  prompt_failed: 'PromptError',
  incomplete_stream: 'IncompleteStreamError',
  invalid_option: 'InvalidOptionError',
  not_supported: 'NotSupportedError',
  session_not_found: 'SessionNotFoundError',
  session_file_failed: 'SessionFileError',
  session_store_failed: 'SessionStoreError',
  session_store_timeout: 'SessionStoreError',
};

/** Those of `claudewire/adapter`, on its own page; it also uses `aborted` and `deadline_exceeded`. */
const adapterClasses: Record<errors.AdapterErrorClass, string> = {
  adapter_config_invalid: 'AdapterConfigError',
  unsupported_parameter: 'UnsupportedParameterError',
  value_invalid: 'ValidationError',
  prompt_invalid: 'PromptValidationError',
  prompt_render_failed: 'PromptRenderError',
  visibility_expansion_required: 'VisibilityExpansionRequired',
  evaluation_failed: 'PromptEvaluationError',
  throttled: 'ThrottleError',
  budget_exhausted: 'BudgetExhaustedError',
  output_invalid: 'OutputParseError',
  workspace_refused: 'WorkspaceSecurityError',
  workspace_budget_exceeded: 'WorkspaceBudgetExceededError',
  workspace_source_missing: 'WorkspaceSourceMissingError',
  workspace_conflict: 'WorkspaceConflictError',
};

function resultError(exit: { exitCode: number | null; signal: NodeJS.Signals | null }) {
  const memory = new SessionRecord();
  memory.note({ type: 'result', subtype: 'error_max_turns', is_error: true });
  return memory.toError({ exit: { ...exit, stderrTail: '' } }) as errors.ResultError;
}

/** Messages that are put together: as thrown, so that they have to match the page as a whole. */
const thrown: readonly errors.ClaudeSDKError[] = [
  new errors.IdleTimeoutError(30_000, ['assistant', 'stream_event']),
  new errors.IdleTimeoutError(30_000, []),
  new errors.RunDeadlineError(5000),
  new errors.QueueLimitError(1024),
  new errors.QueueLimitError(1024, 'maxSpooledBytes'),
  new errors.SpoolError(new Error('ENOSPC: no space left on device, write')),
  new errors.FrameTooLargeError(1024, '{"type":'),
  new errors.CLIJSONDecodeError('not json'),
  new errors.ControlRequestTimeoutError({ subtype: 'set_model', requestId: 'r', timeoutMs: 1 }),
  new errors.ControlRequestTimeoutError({ subtype: 'initialize', requestId: 'r', timeoutMs: 1 }),
  new errors.ControlRequestTimeoutError({
    subtype: 'initialize',
    requestId: 'r',
    timeoutMs: 1,
    startup: { hooksOpen: 2, mark: 'before_connectMcp', markAgeMs: 3 },
  }),
  new errors.ClaimError('spare_closed', 'the process was closed before it was claimed', {
    claim: { cwd: '/a', sessionId: 's', sdkMcpSettled: true },
  }),
  new errors.ClaimError('spare_exited', 'the process ended before it was claimed'),
  new errors.ClaimError(
    'settings_not_applied',
    'no (your prompt stayed here and the process is gone: call query() for this session)',
  ),
  new errors.ClaimError(
    'option_not_applied',
    'model: no (your prompt was delivered, and the session goes on without it)',
  ),
  new errors.SessionStoreError({ method: 'listSessions' }, 'timed out after 60000ms', {
    errorClass: 'session_store_timeout',
  }),
  new errors.SessionStoreError({ method: 'load', sessionId: 's', subpath: 'a' }, 'failed', { detail: 'no connection' }),
  new errors.SessionStoreError({ method: 'load', sessionId: 's' }, 'returned something that is no answer', {
    detail: 'number 5 instead of an array of entries or null',
  }),
  new errors.SessionStoreError({ method: 'load', sessionId: 's' }, 'returned entries that cannot be written', {
    detail: 'a cycle',
  }),
  new errors.SessionStoreError({ method: 'load' }, 'found something else where its folder should be', {
    detail: '/folder',
  }),
  new errors.SessionStoreError({ method: 'append' }, 'could not write everything', { detail: '5 of 9 bytes' }),
  new errors.CLINotFoundError('Claude Code not found at', { cliPath: '/nowhere' }),
  new errors.CLIVersionError('2.0.40', '2.0.56 or newer'),
  new errors.CLIVersionError('2.1.80', '2.1.83 or newer', 'sandbox'),
  errors.ProcessError.fromExit({ exitCode: 1, signal: null, stderrTail: '' }),
  errors.ProcessError.fromExit({ exitCode: 1, signal: null, stderrTail: 'bad flag' }),
  errors.ProcessError.fromExit({ exitCode: null, signal: 'SIGKILL', stderrTail: '' }),
  errors.ProcessError.fromExit({ exitCode: null, signal: 'SIGKILL', stderrTail: 'bye' }),
  resultError({ exitCode: 1, signal: null }),
  resultError({ exitCode: null, signal: 'SIGTERM' }),
];

const PLACEHOLDER = /<[^<>]+>/;

const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...rest] = section.split('\n');
      return [heading, rest.join('\n')] as const;
    }),
);

/** The lines of a section's first block: its messages. */
function messagesOf(section: string): readonly string[] {
  return (/```text\n([\s\S]*?)```/.exec(section)?.[1] ?? '').split('\n').filter(Boolean);
}

/** All of `src`, with texts that are joined by `+` as one. */
function source(): string {
  const folder = join(root, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
    .replace(/[`'] \+\s+[`']/g, '')
    .replace(/\$\{INSTALL\}/g, INSTALL)
    .replaceAll('\\`', '`')
    .replaceAll("\\'", "'");
}

function toPattern(message: string): RegExp {
  const literal = message.split(PLACEHOLDER).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${literal.join('[\\s\\S]+')}$`);
}

describe('docs/reference/errors.md', () => {
  test('has every error class as a heading, and no other', () => {
    const exported = Object.entries(errors)
      .filter(([, value]) => value.prototype instanceof Error)
      .map(([name]) => name);
    expect([...sections.keys()].sort()).toEqual(exported.sort());
  });

  test('has every errorClass with its class', () => {
    const rows = [...sections].flatMap(([name, section]) => {
      const [, line = ''] = /^`errorClass`: (.*)$/m.exec(section) ?? [];
      return line.split(', ').map((errorClass) => [errorClass.replaceAll('`', ''), name]);
    });
    expect(Object.fromEntries(rows.filter(([errorClass]) => errorClass !== ''))).toEqual(classes);
  });

  test('leaves those of the adapter to its own page', () => expect(text).toContain('(adapter-errors.md)'));

  test('has a message for every class but the base', () => {
    const without = [...sections].filter(([, section]) => messagesOf(section).length === 0);
    expect(without.map(([name]) => name)).toEqual(['ClaudeSDKError']);
  });

  test.each(thrown.map((error) => ({ error, name: error.name, message: error.message })))(
    'has the exact message of $name: $message',
    ({ error }) => {
      const patterns = messagesOf(sections.get(error.name) ?? '').map(toPattern);
      expect(patterns.filter((pattern) => pattern.test(error.message))).not.toEqual([]);
      expect({ ...classes, ...adapterClasses }[error.errorClass]).toBe(error.name);
    },
  );

  test('has no message that the source does not have', () => {
    const all = source();
    const unknown = [...sections.values()]
      .flatMap(messagesOf)
      .filter((message) => !thrown.some((error) => toPattern(message).test(error.message)))
      .filter((message) => message.split(PLACEHOLDER).some((part) => part.trim() !== '' && !all.includes(part)));
    expect(unknown).toEqual([]);
  });

  test('explains every field of its classes, there or at the class it extends', () => {
    const common = new Set(['name', 'errorClass', 'hint', 'code']);
    const missing = thrown.flatMap((error) =>
      Object.keys(error)
        .filter((key) => !common.has(key) && !lineageText(error).includes(`\`${key}\``))
        .map((key) => `${error.name}.${key}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('docs/reference/adapter-errors.md', () => {
  const page = readFileSync(join(root, 'docs/reference/adapter-errors.md'), 'utf8');
  const [, first = ''] = page.split('| class ');
  /** The classes of the first table, in its order. */
  const listed = [...first.matchAll(/^\| (`.*?)\|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
  const exported: Readonly<Record<string, unknown>> = { ...adapter };

  test('has every errorClass with its class', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` +\| `(\w+)`/gm)];
    expect(Object.fromEntries(rows.map(([, errorClass, name]) => [errorClass, name]))).toEqual(
      expect.objectContaining(adapterClasses),
    );
  });

  test('has every class of claudewire/adapter in its first table, and no other', () => {
    const classes = Object.entries(exported).filter(([, value]) => isBelow(value, adapter.AdapterError));
    expect(listed.toSorted(), 'one row each in the table of classes').toEqual(classes.map(([name]) => name).sort());
  });

  test('claudewire/adapter exports the class of every errorClass', () => {
    const missing = Object.values(adapterClasses).filter((name) => !(name in exported));
    expect(missing, 'export them from src/adapter/index.ts').toEqual([]);
  });

  test('the six classes after PromptEvaluationError are those that extend it', () => {
    const below = listed.filter((name) => isBelow(exported[name], adapter.PromptEvaluationError));
    const at = listed.indexOf('PromptEvaluationError') + 1;
    expect(page.includes('base of the next six'), 'the row of PromptEvaluationError counts them').toBe(true);
    expect(listed.slice(at, at + 6)).toEqual(below);
  });
});

function isBelow(value: unknown, base: typeof adapter.AdapterError | typeof adapter.PromptEvaluationError): boolean {
  return typeof value === 'function' && value.prototype instanceof base;
}

/** The sections of the error's class and of those it extends. */
function lineageText(error: errors.ClaudeSDKError): string {
  const parts: string[] = [];
  let type: { readonly name: string } = error.constructor;
  while (sections.has(type.name)) {
    parts.push(sections.get(type.name) ?? '');
    type = Object.getPrototypeOf(type);
  }
  return parts.join('\n');
}
