import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { contentText } from '../player/prompt-text.js';
import { holdsSecret, replaceSecrets } from '../secrets.js';

/**
 * What a model call is for, judged by its shape. The conversation offers tools, or carries what the CLI adds to a
 * conversation and to nothing else; the CLI's small helper calls do neither.
 */
export type RequestKind = 'main' | 'side' | 'side:title';

/** One `POST /v1/messages`, as turns see it. */
export interface MessagesRequest {
  /** Counts all requests of the server, from 1. */
  readonly number: number;
  readonly kind: RequestKind;
  readonly model: string | undefined;
  /** Names of the tools on offer, in order. */
  readonly tools: readonly string[];
  /** The system prompt as one text. */
  readonly system: string;
  /** Text of the last message with role `user`; other blocks as `<type>`. */
  readonly lastUserText: string;
  /** Lower-case names, credentials redacted. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** Reads what turns want to know out of a request's body. Tolerant: the body is the client's. */
export function describeRequest(
  number: number,
  headers: Readonly<Record<string, string>>,
  body: JsonObject,
): MessagesRequest {
  const tools = objects(body.tools).map((tool) => stringField(tool, 'name') ?? stringField(tool, 'type') ?? '');
  const system = contentText(body.system);
  return {
    number,
    kind: requestKind(tools, system, body),
    model: stringField(body, 'model'),
    tools,
    system,
    lastUserText: lastUserText(body),
    headers,
    body,
  };
}

/** Four characters to a token: enough to make usage numbers plausible. */
export function estimateTokens(body: JsonObject): number {
  const { system = '', messages = [], tools = [] } = body;
  return Math.ceil(JSON.stringify({ system, messages, tools }).length / 4);
}

/** How the CLI's request for a title begins. */
const TITLE_PROMPT = /^You are naming a coding session\b/m;

function requestKind(tools: readonly string[], system: string, body: JsonObject): RequestKind {
  if (tools.length > 0) return 'main';
  if (TITLE_PROMPT.test(system)) return 'side:title';
  if (isConversation(body)) return 'main';
  // Releases word their request for a title differently.
  return /title/i.test(system) ? 'side:title' : 'side';
}

/**
 * What no helper call has: old thinking that is to be cleared, a system prompt among the messages, or a reminder before
 * the first text.
 */
function isConversation(body: JsonObject): boolean {
  const messages = objects(body.messages);
  return (
    isJsonObject(body.context_management) ||
    messages.some(({ role }) => role === 'system') ||
    contentText(messages[0]?.content).startsWith('<system-reminder>')
  );
}

function lastUserText(body: JsonObject): string {
  const message = objects(body.messages).findLast((entry) => entry.role === 'user');
  return message === undefined ? '' : contentText(message.content);
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Where an answer came from. A `fallback` is often a list of turns that was too short. */
export type TurnSource = 'script' | 'side' | 'fallback';

/** One request as it arrived, and what became of it. */
export interface LoggedRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its `?`, or empty. Credentials are replaced. */
  readonly query: string;
  /** Lower-case names. Credentials are replaced by {@link REDACTED}. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded JSON; `undefined` for no body or one that is not JSON. */
  readonly body: unknown;
  /** Only for `POST /v1/messages`. */
  kind?: RequestKind;
  /** Only for `POST /v1/messages`. */
  source?: TurnSource;
  /** The status that was or will be sent; `null` for a turn that hangs. Absent while a turn is computed. */
  status?: number | null;
}

/** Stands where a credential was. */
export const REDACTED = '<redacted>';

const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);
/** Words in names of headers that in other names are something else: a field `pwd` may be a folder. */
const MAY_HOLD_SECRET = /(?:^|[_-])(?:auth|jwt|sig|signature|pass|pwd|assertion)(?:$|[_-])/i;

/**
 * Flattens headers for a log that people read and keep. Gateways have names of their own for credentials, so the rules of
 * the recorder decide, by the name and by the form of the value.
 */
export function redactHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
      return [name, isSecretHeader(name) ? REDACTED : replaceSecrets(text, REDACTED)];
    }),
  );
}

function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.has(name) || holdsSecret(name) || MAY_HOLD_SECRET.test(name);
}

/** What happens at the API, as it happens. Small: the requests themselves are in `requests`. */
export type MessagesApiEvent =
  /** An answer was chosen and is about to be sent. */
  | {
      readonly event: 'api_request';
      readonly number: number;
      readonly route: 'messages';
      readonly kind: RequestKind;
      readonly source: TurnSource;
      readonly model: string | undefined;
      readonly stream: boolean;
      /** `null`: the turn hangs. */
      readonly status: number | null;
    }
  | {
      readonly event: 'api_request';
      readonly number: number;
      readonly route: 'count_tokens' | 'probe';
      readonly status: number;
    }
  /** Answered with 404. */
  | { readonly event: 'api_unknown_route'; readonly number: number; readonly method: string; readonly path: string }
  /** The client closed the connection before it had the whole answer. */
  | { readonly event: 'api_client_closed'; readonly number: number }
  /** A function of the script threw, or a limit was passed; answered with an error. */
  | { readonly event: 'api_script_error'; readonly number: number; readonly message: string };
