import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireKnown, requireObject, requireOption } from '../../errors/usage-errors.js';
import { onHostExit } from '../../util/host-exit.js';
import { type JsonObject, parseJson } from '../../util/json.js';
import { ownDirectoryPrefix } from '../../util/stale-directories.js';
import { boolean, countOrInfinity, custom, func } from '../../util/validate.js';
import { ScriptError, type ScriptProblem } from '../script/script-error.js';
import { replaceSecrets } from '../secrets.js';
import { checkTurn } from './check-turn.js';
import { countedId } from './message.js';
import { type LoggedRequest, type MessagesApiEvent, REDACTED, redactHeaders } from './requests.js';
import { createReply, sendError } from './respond.js';
import { createRouter } from './router.js';
import type { Turn } from './turn.js';
import { TurnQueue, type TurnScript } from './turn-queue.js';

/** What the API answers, and its limits. */
export interface MessagesApiOptions extends TurnScript {
  /**
   * `close()` of {@link messagesApi} throws a `ScriptError` when the run did not follow the script: a turn that threw,
   * gave none, or was not asked for, and a request behind the last turn without a `fallback`. @defaultValue true
   */
  readonly strict?: boolean;
  /** Called synchronously as things happen. A throw is contained. */
  readonly onEvent?: (event: MessagesApiEvent) => void;
  /** @defaultValue four characters to a token */
  readonly countTokens?: (body: JsonObject) => number;
  /** 0 takes a free one. @defaultValue 0 */
  readonly port?: number;
  /** Longer request bodies are answered 413. @defaultValue 64 MiB */
  readonly maxBodyBytes?: number;
  /**
   * Requests past this many are answered 503 and not logged: a runaway client stops being a leak. @defaultValue 10_000
   */
  readonly maxRequests?: number;
}

/** A running API. */
export interface MessagesApi extends AsyncDisposable {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order in which their bodies were complete. Live: it grows. */
  readonly requests: readonly LoggedRequest[];
  /** Scripted turns that nobody has asked for yet. */
  readonly remainingTurns: number;
  /** The places of those that were never asked for, or less often than `times`: `turns[2]`, `turns[0] (2 of 3 times)`. */
  readonly unaskedTurns: readonly string[];
  /** Breaks every connection, hanging ones too, and frees the port. Safe to call twice. */
  close(): Promise<void>;
}

/** A Messages API on loopback, and the environment in which the real CLI uses it. */
export interface CliMessagesApi extends MessagesApi {
  /**
   * For the option `env`: the host's environment with the API's address, a made-up key, a configuration folder of its
   * own (`CLAUDE_CONFIG_DIR`), and without the CLI's other traffic. Nothing of the user's login or settings gets in.
   */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts an Anthropic Messages API that plays turns, so that the **real CLI** runs with no key and no network.
 * @param turns - One for each model call: a text, content blocks, an HTTP error, a cut stream, silence, or a function
 *   of the request; or options with them. Ids of messages and tool calls count from 1, so all
 *   runs of one session take one API.
 * `close()`, which `await using` calls, throws a `ScriptError` when the run did not follow the turns. The API does not
 * keep the program alive.
 * @throws InvalidOptionError there are no turns, or one is none, or has a field that no turn has; an option is not known.
 * @throws the listen error, such as `EADDRINUSE`.
 * @example
 * await using api = await messagesApi(['Hello.']);
 * for await (const message of query({ prompt: 'Hi', options: { env: api.env } })) show(message);
 * expect(api.requests[0].body.messages).toHaveLength(1);
 */
export async function messagesApi(
  turns: readonly Turn[] | MessagesApiOptions,
  more: Omit<MessagesApiOptions, 'turns'> = {},
): Promise<CliMessagesApi> {
  const options = readOptions(turns, more);
  const problems: ScriptProblem[] = [];
  const api = await startMessagesApi({
    ...options,
    onEvent: (event) => {
      const message = problemIn(event, options);
      if (message !== undefined) problems.push({ message });
      options.onEvent?.(event);
    },
  });
  const folder = mkdtempSync(join(tmpdir(), ownDirectoryPrefix()));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const forgetHostExit = onHostExit(removeFolder);
  const { close: stop } = api;
  const close = async (): Promise<void> => {
    await stop();
    removeFolder();
    forgetHostExit();
    const unasked = api.unaskedTurns.map((name) => ({ message: `${name} was never asked for` }));
    const all = [...problems.splice(0), ...(isJudged ? [] : unasked)];
    isJudged = true;
    if (options.strict !== false && all.length > 0) throw new ScriptError(all);
  };
  let isJudged = false;
  return Object.assign(api, {
    env: {
      ...withoutAccount(process.env),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'sk-ant-made-up',
      CLAUDE_CONFIG_DIR: folder,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    close,
    [Symbol.asyncDispose]: close,
  });
}

const VALUES = {
  strict: boolean,
  onEvent: func,
  countTokens: func,
  port: custom(
    'a port, from 0 to 65535',
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536,
  ),
  maxBodyBytes: countOrInfinity,
  maxRequests: countOrInfinity,
};

const OPTIONS = ['turns', 'side', 'fallback', ...Object.keys(VALUES)];

function readOptions(
  turns: readonly Turn[] | MessagesApiOptions,
  more: Omit<MessagesApiOptions, 'turns'>,
): MessagesApiOptions {
  const takes = 'messagesApi() takes the turns of the model';
  const cure = 'Pass an array such as `["Hello."]`, or `{ turns: ["Hello."] }`.';
  const own: MessagesApiOptions = Array.isArray(turns) ? { turns } : (turns as MessagesApiOptions);
  requireObject('turns', takes, own, cure, { turns: 'list' });
  const options = { ...own, ...requireKnown('messagesApi()', 'options', more, OPTIONS) };
  requireKnown('messagesApi()', 'options', options, OPTIONS);
  for (const [name, validator] of Object.entries(VALUES)) {
    const value = options[name as keyof typeof VALUES];
    if (value !== undefined) requireOption(validator, value, name);
  }
  for (const [index, turn] of options.turns.entries()) checkTurn(turn, `turns[${index}]`);
  for (const name of ['side', 'fallback'] as const) if (options[name] !== undefined) checkTurn(options[name], name);
  return options;
}

/** What went otherwise than the script says, in words. */
function problemIn(event: MessagesApiEvent, { turns, fallback }: MessagesApiOptions): string | undefined {
  if (event.event === 'api_script_error') return `request ${event.number}: ${event.message}`;
  const isBehind =
    event.event === 'api_request' && 'source' in event && event.source === 'fallback' && fallback === undefined;
  if (!isBehind) return undefined;
  return `request ${event.number} came behind the last of ${turns.length} turns. Add a turn, or set \`fallback\`.`;
}

/** What would lead the CLI to another API, or into another session. */
function withoutAccount(env: NodeJS.ProcessEnv): Record<string, string> {
  const isOurs = (name: string): boolean => !/^(ANTHROPIC_|CLAUDE_|CLAUDECODE$|AWS_)/.test(name);
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && isOurs(entry[0])),
  );
}

const HOST = '127.0.0.1';
const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_REQUESTS = 10_000;

/**
 * The API of {@link messagesApi} for any client, on the loopback interface only. Routes: `POST /v1/messages` (streamed
 * or not), `POST /v1/messages/count_tokens`, `HEAD` of anything; the rest is 404 with the API's own error body.
 * @throws the listen error, such as `EADDRINUSE`.
 */
export async function startMessagesApi(options: MessagesApiOptions): Promise<MessagesApi> {
  const queue = new TurnQueue(options);
  const requests: LoggedRequest[] = [];
  const emit = contained(options.onEvent);
  const route = createRouter({ queue, emit, countTokens: options.countTokens });
  const maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  const maxRequests = options.maxRequests ?? DEFAULT_MAX_REQUESTS;
  let count = 0;
  let closing: Promise<void> | undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    count += 1;
    const number = count;
    const reply = createReply(response, countedId('req', number), () => {
      if (closing === undefined) emit({ event: 'api_client_closed', number });
    });
    const text = await readBody(request, maxBodyBytes);
    if (count > maxRequests || text === undefined) {
      const status = text === undefined ? 413 : 503;
      emit({ event: 'api_script_error', number, message: `A limit was passed: ${status}` });
      sendError(reply, { status, message: 'A limit of the scripted API was passed' });
      return;
    }
    const entry = logEntry(number, request, text);
    requests.push(entry);
    await route(entry, reply);
  }

  const server = createServer((request, response) => {
    // Only a connection that is gone rejects here; `api_client_closed` has told it.
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A test that failed before `close()` must not keep its runner. What asks, the CLI or a `fetch()`, keeps the host alive.
  server.unref();
  server.on('connection', (socket) => socket.unref());
  // A TCP server's address is an object; only a pipe's is a string.
  const { port } = server.address() as AddressInfo;

  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };
  return {
    url: `http://${HOST}:${port}`,
    port,
    requests,
    get remainingTurns() {
      return queue.remaining;
    },
    get unaskedTurns() {
      return queue.unasked;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function logEntry(number: number, request: IncomingMessage, text: string): LoggedRequest {
  const url = new URL(request.url ?? '/', `http://${HOST}`);
  return {
    number,
    method: request.method ?? 'GET',
    path: url.pathname,
    query: replaceSecrets(url.search, REDACTED),
    headers: redactHeaders(request.headers),
    body: parseJson(text),
  };
}

function contained(listener: ((event: MessagesApiEvent) => void) | undefined): (event: MessagesApiEvent) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch {
      // Watching must not change what is watched.
    }
  };
}

/**
 * Reads a request's body to its end.
 * @returns the text, or `undefined` when it is longer than the limit; the rest is then not kept.
 * @throws the stream's error when the client goes away.
 */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= maxBytes ? Buffer.concat(chunks).toString('utf8') : undefined;
}
