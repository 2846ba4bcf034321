import { AssertionError } from 'node:assert';
import { requireKnown, requireObject } from '../../errors/usage-errors.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { describeDifference, literal, match, Variables } from '../player/patterns.js';
import { promptText } from '../player/prompt-text.js';
import type { ScriptedRun } from './play-host.js';

const SENT: readonly string[] = [
  ...['prompts', 'userMessages', 'permissionAnswers', 'hookOutputs', 'toolResults'],
  ...['controlRequests', 'initialize', 'argv', 'env', 'frames'],
];

/** The application sent something else than {@link assertSent} was told. */
export class SentError extends AssertionError {
  override name = 'SentError';

  constructor(what: string, difference: string, expected: unknown, actual: unknown) {
    super({
      message: `The application sent other ${what} than expected: ${difference}`,
      expected,
      actual,
      operator: 'assertSent',
    });
  }
}

type Subset<T> = T extends readonly (infer Entry)[]
  ? readonly Subset<Entry>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Subset<T[Field]> }
    : T;

/** What to look at, and what must be there: objects by the fields that are given, lists by every entry. */
export type ExpectedSent = Subset<Sent>;

/**
 * Checks what the application sent, with any test runner.
 * @throws InvalidOptionError one of them is no such object.
 * @throws SentError with the first difference, and `expected` and `actual` for the runner's diff.
 * @example
 * assertSent(cli.sent, {
 *   prompts: ['Tidy up.'],
 *   permissionAnswers: [{ toolName: 'Bash', behavior: 'deny' }],
 * });
 */
export function assertSent(sent: Sent, expected: ExpectedSent): void {
  const cure = 'Call it as in `assertSent(cli.sent, { prompts: ["Tidy up."] })`.';
  requireObject('sent', 'assertSent() takes what was sent', sent, cure);
  const takes = 'assertSent() takes an object as its second argument';
  requireObject('expected', takes, expected, cure);
  requireKnown('assertSent()', 'expected', expected, SENT);
  for (const [what, wanted] of Object.entries(expected)) {
    const actual: unknown = Reflect.get(sent, what);
    const result = match(literal(wanted), actual, new Variables());
    if (result.ok) continue;
    const { path } = result.difference;
    const at = `${what}${path.startsWith('[') || path === '' ? '' : '.'}${path}`;
    throw new SentError(what, describeDifference({ ...result.difference, path: at }), wanted, actual);
  }
}

/** The answer to a `can_use_tool` request. */
export interface SentPermissionAnswer {
  readonly toolName: string | undefined;
  readonly toolUseId: string | undefined;
  /** What the CLI asked about. */
  readonly input: unknown;
  /** `undefined` when the answer was an error. */
  readonly behavior: string | undefined;
  /** The whole answer, wire names. */
  readonly answer: JsonObject | undefined;
  readonly error: string | undefined;
}

/** What a hook callback returned. */
export interface SentHookOutput {
  readonly event: string | undefined;
  readonly input: unknown;
  readonly output: JsonObject | undefined;
  readonly error: string | undefined;
}

/** What an in-process tool returned. */
export interface SentToolResult {
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly arguments: unknown;
  readonly content: unknown;
  readonly isError: boolean;
  /** The JSON-RPC error, or the error of the control response. */
  readonly error: string | undefined;
}

/**
 * What the application sent to the scripted CLI, over all processes, in order. Plain data: compare it with any matcher.
 */
export interface Sent {
  /** The text of each user message; blocks that are no text as `<type>`. */
  readonly prompts: readonly string[];
  /** The user messages, whole. */
  readonly userMessages: readonly JsonObject[];
  readonly permissionAnswers: readonly SentPermissionAnswer[];
  readonly hookOutputs: readonly SentHookOutput[];
  readonly toolResults: readonly SentToolResult[];
  /** Control requests of the application as `{ subtype, ... }`, without `initialize`. */
  readonly controlRequests: readonly JsonObject[];
  /** The payload of each `initialize`. */
  readonly initialize: readonly JsonObject[];
  /** The arguments of each process. */
  readonly argv: readonly (readonly string[])[];
  /** The environment of each process. */
  readonly env: readonly Readonly<Record<string, string | undefined>>[];
  /** Every frame. */
  readonly frames: readonly JsonObject[];
}

/** @param requests - The CLI's control requests by id: what the answers are answers to. */
export function readSent(runs: readonly ScriptedRun[], requests: ReadonlyMap<string, JsonObject>): Sent {
  const frames = runs.flatMap((run) => run.frames);
  const userMessages = frames.filter(({ type }) => type === 'user');
  const controlRequests = frames.flatMap(({ type, request }) =>
    type === 'control_request' && isJsonObject(request) ? [request] : [],
  );
  const answers = frames.flatMap((frame) => readAnswer(frame, requests) ?? []);
  return {
    prompts: userMessages.map(promptText),
    userMessages,
    permissionAnswers: answers.filter(isTo('can_use_tool')).map(permissionAnswer),
    hookOutputs: answers.filter(isTo('hook_callback')).map(hookOutput),
    toolResults: answers
      .filter(isTo('mcp_message'))
      .filter(({ request }) => messageOf(request).method === 'tools/call')
      .map(toolResult),
    controlRequests: controlRequests.filter(({ subtype }) => subtype !== 'initialize'),
    initialize: controlRequests.filter(({ subtype }) => subtype === 'initialize'),
    argv: runs.map(({ argv }) => argv),
    env: runs.map(({ env }) => env),
    frames,
  };
}

interface Answer {
  readonly request: JsonObject;
  readonly response: JsonObject | undefined;
  readonly error: string | undefined;
}

function readAnswer({ type, response }: JsonObject, requests: ReadonlyMap<string, JsonObject>): Answer | undefined {
  if (type !== 'control_response' || !isJsonObject(response)) return undefined;
  const request = requests.get(String(response.request_id));
  if (request === undefined) return undefined;
  const payload = response.response;
  return { request, response: isJsonObject(payload) ? payload : undefined, error: stringField(response, 'error') };
}

const isTo =
  (subtype: string) =>
  ({ request }: Answer): boolean =>
    request.subtype === subtype;

function permissionAnswer({ request, response, error }: Answer): SentPermissionAnswer {
  return {
    toolName: stringField(request, 'tool_name'),
    toolUseId: stringField(request, 'tool_use_id'),
    input: request.input,
    behavior: response && stringField(response, 'behavior'),
    answer: response,
    error,
  };
}

function hookOutput({ request, response, error }: Answer): SentHookOutput {
  const { input } = request;
  return {
    event: isJsonObject(input) ? stringField(input, 'hook_event_name') : undefined,
    input,
    output: response,
    error,
  };
}

function toolResult({ request, response, error }: Answer): SentToolResult {
  const params = objectIn(messageOf(request), 'params');
  const reply = objectIn(response ?? {}, 'mcp_response');
  const result = objectIn(reply, 'result');
  return {
    server: stringField(request, 'server_name'),
    tool: stringField(params, 'name'),
    arguments: params.arguments,
    content: result.content,
    isError: result.isError === true,
    error: error ?? stringField(objectIn(reply, 'error'), 'message'),
  };
}

const messageOf = (request: JsonObject): JsonObject => objectIn(request, 'message');

function objectIn(value: JsonObject, key: string): JsonObject {
  const field = value[key];
  return isJsonObject(field) ? field : {};
}
