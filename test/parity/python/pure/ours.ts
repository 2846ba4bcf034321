/**
 * Makes calls of this package and writes down what came of them, as `pure.py` does with the Python SDK: one JSON
 * object a line in, one answer a line out.
 */
import { createInterface } from 'node:readline';
import * as sdk from '../../../../src/index.js';
import { runSessionStoreContract } from '../../../../src/testing/session-store-contract.js';
import { madeStore } from './made-store.js';
import { runOps } from './our-runs.js';
import { shapeOf } from './our-types.js';
import type { JsonRecord, PureCall } from './program.js';

type Answer = unknown;
type Call<Op extends PureCall['op']> = Extract<PureCall, { readonly op: Op }>;
/** Fields of errors that Python's have too, and what ours calls them. */
const ATTRIBUTES = {
  exitCode: 'exitCode',
  line: 'line',
  data: 'data',
  subtype: 'subtype',
  errors: 'errors',
  result: 'result',
  apiErrorStatus: 'apiErrorStatus',
  terminalReason: 'terminalReason',
  sessionId: 'sessionId',
} as const;

function errorShown(error: unknown): Answer {
  if (!(error instanceof Error)) return { class: 'thrown', message: String(error) };
  const isA: string[] = [];
  for (let one = error.constructor; one !== Error && one !== Function.prototype; one = Object.getPrototypeOf(one)) {
    isA.push(one.name);
  }
  const attributes = Object.entries(ATTRIBUTES).flatMap(([shown, name]) => {
    const value: unknown = Reflect.get(error, name);
    return value === undefined || value === null ? [] : [[shown, value] as const];
  });
  const { cause } = error;
  return {
    class: error.name,
    isA,
    message: error.message,
    ...Object.fromEntries(attributes),
    ...(cause instanceof Error ? { cause: cause.name } : {}),
  };
}

/** The strict union without what holds the frame itself where Python's class does not. */
function parsed(frame: unknown): Answer {
  const result = sdk.parseMessage(frame);
  if (!result.ok) {
    try {
      sdk.parseMessageOrThrow(frame);
    } catch (error) {
      const { name, message, data } = error as sdk.MessageParseError;
      return { error: name, message, hasFrame: data === frame };
    }
    throw new Error('one parser refuses what the other takes');
  }
  const { message } = result;
  if (message.kind === 'unknown') return { kind: 'unknown' };
  if (!('raw' in message)) return message;
  const { raw, ...shown } = message;
  if (raw !== frame) throw new Error('`raw` is not the frame');
  return shown;
}

function snakeToCamel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Keys of a row or a message in camelCase; what has no value is left out, as `None` is. */
function shown(value: unknown): Answer {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === undefined || member === null ? [] : [[snakeToCamel(key), member] as const],
    ),
  );
}

/** Arguments that stand before the options. */
const POSITIONAL: Readonly<Record<string, readonly string[]>> = {
  getSubagentMessages: ['sessionId', 'agentId'],
  renameSession: ['sessionId', 'title'],
  tagSession: ['sessionId', 'tag'],
  listSessions: [],
};

async function sessionCall(call: Call<'session'>): Promise<Answer> {
  const made = call.store === undefined ? undefined : madeStore(call.store, sdk.foldSessionSummary);
  const names = POSITIONAL[call.function] ?? ['sessionId'];
  const options = Object.fromEntries(Object.entries(call.args).filter(([name]) => !names.includes(name)));
  const first = names.map((name) => call.args[name]);
  const args =
    call.function === 'importSessionToStore'
      ? [...first, made?.store, options]
      : [...first, made === undefined ? options : { ...options, sessionStore: made.store }];
  const called = Reflect.get(sdk, call.function) as (...given: unknown[]) => Promise<unknown>;
  const seen = await called(...args).then(
    (value) => ({ value: shown(value ?? null) }),
    (error: unknown) => ({ error: errorShown(error) }),
  );
  return made === undefined ? seen : { ...seen, calls: made.calls, mostAtOnce: made.mostAtOnce() };
}

function fold({ prev, batches }: Call<'fold'>): Answer {
  let summary = prev && { ...structuredClone(prev), sessionId: 's' };
  let isChanged = false;
  for (const batch of batches) {
    const before = structuredClone(summary);
    const folded = sdk.foldSessionSummary(
      summary as sdk.SessionSummaryEntry | undefined,
      { projectKey: 'p', sessionId: 's' },
      batch as unknown as sdk.SessionStoreEntry[],
    );
    isChanged = JSON.stringify(summary) !== JSON.stringify(before);
    summary = folded as typeof summary;
  }
  return { ...summary, changesPrevious: isChanged };
}

async function memoryStore({ steps }: Call<'memoryStore'>): Promise<Answer> {
  const store = new sdk.InMemorySessionStore();
  const seen: unknown[] = [];
  for (const [method, ...args] of steps) {
    const member: unknown = Reflect.get(store, method);
    const value = typeof member === 'function' ? await (member.apply(store, args) as unknown) : member;
    if (method !== 'listSessions' && method !== 'listSessionSummaries') {
      seen.push(value ?? null);
      continue;
    }
    const rows = value as { sessionId: string; mtime: number }[];
    const times = rows.map(({ mtime }) => mtime).sort((a, b) => a - b);
    seen.push(rows.map(({ sessionId, mtime }) => ({ sessionId, mtime: times.indexOf(mtime) })));
  }
  return seen;
}

async function aliasing(): Promise<Answer> {
  const store = new sdk.InMemorySessionStore();
  const key = { projectKey: 'p', sessionId: 's' };
  await store.append(key, [{ type: 'x' }]);
  (await store.load(key))?.push({ type: 'y' });
  return { stored: (await store.load(key))?.length };
}

async function contract(): Promise<Answer> {
  await runSessionStoreContract(() => new sdk.InMemorySessionStore());
  return { passes: true };
}

function copiedError(): Answer {
  const data = { subtype: 's', errors: ['a'], result: 'r' };
  const error = new sdk.ResultError('m', data, { exitCode: 1 });
  return [errorShown(error), errorShown(structuredClone(error))];
}

function errorMade({ class: name, args }: Call<'error'>): Answer {
  const make = ERRORS[name];
  if (make === undefined) throw new Error(`no way to make a ${name}`);
  return errorShown(make(args as never[]));
}

/** Ours take named fields where Python's take places. */
const ERRORS: Readonly<Record<string, (args: never[]) => Error>> = {
  ClaudeSDKError: ([message]) => new sdk.ClaudeSDKError(message as never, 'not_supported'),
  CLIConnectionError: ([message]) => new sdk.CLIConnectionError(message as never),
  CLINotFoundError: ([message, cliPath]) =>
    new sdk.CLINotFoundError(message as never, cliPath === undefined ? {} : { cliPath }),
  ProcessError: ([message, exitCode, stderrTail]) =>
    new sdk.ProcessError(message as never, {
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(stderrTail === undefined ? {} : { stderrTail }),
    }),
  CLIJSONDecodeError: ([line]) => new sdk.CLIJSONDecodeError(line as never),
  MessageParseError: ([message, data]) => new sdk.MessageParseError(message as never, data),
  ResultError: ([message, data, exitCode]) =>
    new sdk.ResultError(message as never, data ?? {}, exitCode === undefined ? {} : { exitCode }),
};

const OPS: { readonly [op: string]: (call: never) => Answer } = {
  parse: ({ frames }: Call<'parse'>) => frames.map(parsed),
  type: ({ name }: Call<'type'>) => shapeOf(name),
  isSystem: ({ frames }: Call<'isSystem'>) =>
    frames.map((frame) => {
      const message = sdk.parseMessageOrThrow(frame) as unknown as JsonRecord;
      return message.data === frame && message.subtype === (frame as JsonRecord).subtype;
    }),
  error: errorMade,
  copiedError,
  session: sessionCall,
  key: ({ dir }: Call<'key'>) => sdk.projectKeyForDirectory(dir),
  fold,
  memoryStore,
  aliasing,
  contract,
  ...runOps(errorShown),
};

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line) as { id: number; op: string; environment?: Record<string, string | null> };
  for (const [name, value] of Object.entries(call.environment ?? {})) {
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  }
  let answer: unknown;
  try {
    answer = { value: (await OPS[call.op]?.(call as never)) ?? null };
  } catch (error) {
    answer = { failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
  process.stdout.write(`${JSON.stringify({ id: call.id, ...(answer as object) })}\n`);
}
