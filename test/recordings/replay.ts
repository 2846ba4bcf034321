import type { Callbacks } from '../../src/control/controller-options.js';
import type { McpEndpointFactory } from '../../src/control/mcp-endpoint.js';
import type { Diagnostic } from '../../src/diagnostics.js';
import type { ProcessExit } from '../../src/errors.js';
import type { LaunchPlan } from '../../src/query/launch/launch-plan.js';
import { planLaunch } from '../../src/query/launch/plan-launch.js';
import { QuerySession } from '../../src/query/query-session.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import { createMemoryPair, type MemoryPeer } from '../helpers/memory-pair.js';
import type { RecordedLine } from './load.js';

/** What a session made of one recorded process. */
export interface Replayed {
  /** What a loop was given, in order. */
  readonly messages: readonly JsonObject[];
  /** What it threw; `undefined` for a clean end. */
  readonly error: unknown;
  /** Our answers to the CLI's requests: inner `response` objects by request id. */
  readonly answers: ReadonlyMap<string, JsonObject>;
  /** Our frames that are no answers, in order: requests without their ids, user messages. */
  readonly written: readonly JsonObject[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The answers in a recording, by request id. */
export function recordedAnswers(lines: readonly RecordedLine[]): ReadonlyMap<string, JsonObject> {
  const answers = new Map<string, JsonObject>();
  for (const body of lines.flatMap((line) => answerIn(line))) {
    answers.set(String(body.request_id), body);
  }
  return answers;
}

/** What the host of a recording wrote that a session would write too, ids of requests left out. */
export function recordedFrames(lines: readonly RecordedLine[]): readonly JsonObject[] {
  const frames = lines.flatMap(({ dir, data }) => (dir === 'in' && isJsonObject(data) && isDriven(data) ? [data] : []));
  const first = frames.find(isInitialize);
  return frames.filter((frame) => frame !== first).map(withoutId);
}

/**
 * Plays one recorded process to a session: the CLI's frames as bytes, the host's as calls, both in the order
 * of the recording. Callbacks decide as the recording's host did.
 */
export async function replay(lines: readonly RecordedLine[], exit: ProcessExit): Promise<Replayed> {
  return new Replay(lines).run(exit);
}

class Replay {
  readonly #lines: readonly RecordedLine[];
  readonly #answers: ReadonlyMap<string, JsonObject>;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #peer: MemoryPeer;
  readonly #session: QuerySession;
  /** Our ids by the recording's. */
  readonly #ids = new Map<string, string>();
  readonly #servers = new Map<string, (message: JsonObject) => void>();
  /** Questions whose callback is not told their id, in the order they come. */
  readonly #open = new Map<string, string[]>();
  #hasInitialized = false;

  constructor(lines: readonly RecordedLine[]) {
    this.#lines = lines;
    this.#answers = recordedAnswers(lines);
    const { transport, peer } = createMemoryPair({ exitsOnEndOfInput: false });
    this.#peer = peer;
    this.#session = new QuerySession({
      plan: { ...planWithoutOptions(), callbacks: this.#callbacks() },
      transport,
      prompt: undefined,
      onDiagnostic: (diagnostic) => this.#diagnostics.push(diagnostic),
    });
  }

  async run(exit: ProcessExit): Promise<Replayed> {
    this.#session.start();
    await turns();
    for (const line of this.#lines) {
      if (line.dir === 'in' && isJsonObject(line.data)) await this.#act(line.data);
      if (line.dir === 'out') this.#emit(line.data as JsonObject);
    }
    await turns();
    this.#peer.exit(exit);
    const { messages, error } = await this.#read();
    const frames = this.#peer.received;
    return {
      messages,
      error,
      answers: new Map(
        frames
          .filter(({ type }) => type === 'control_response')
          .map(({ response }) => response as JsonObject)
          .map((body) => [String(body.request_id), body]),
      ),
      written: frames
        .slice(1)
        .filter(({ type }) => type !== 'control_response')
        .map(withoutId),
      diagnostics: this.#diagnostics,
    };
  }

  /** What the recording's host did next. */
  async #act(frame: JsonObject): Promise<void> {
    // By then the recorded host's callback had answered.
    if (frame.type === 'control_response') await turns();
    if (!isDriven(frame)) return;
    if (isInitialize(frame) && !this.#hasInitialized) {
      this.#hasInitialized = true;
      this.#ids.set(String(frame.request_id), String(this.#peer.received[0]?.request_id));
      return;
    }
    const before = this.#peer.received.length;
    if (isJsonObject(frame.request)) this.#request(frame.request);
    else this.#session.sendUserMessage(frame);
    await turns();
    const sent = this.#peer.received.slice(before).find(({ type }) => type === frame.type);
    this.#ids.set(String(frame.request_id), String(sent?.request_id));
  }

  #request({ subtype, ...payload }: JsonObject): void {
    if (subtype === 'mcp_message') {
      this.#servers.get(String(payload.server_name))?.(payload.message as JsonObject);
      return;
    }
    this.#session.request(String(subtype), payload).catch(() => {});
  }

  /** Writes one line, cut where a character or a token may be cut too. */
  #emit(frame: JsonObject): void {
    const request = frame.request;
    if (frame.type === 'control_request' && isJsonObject(request)) {
      const key = questionKey(request);
      this.#open.set(key, [...(this.#open.get(key) ?? []), String(frame.request_id)]);
    }
    const bytes = Buffer.from(`${JSON.stringify(this.#withOurId(frame))}\n`);
    const cut = Math.floor(bytes.length / 3);
    this.#peer.emitBytes(bytes.subarray(0, cut));
    this.#peer.emitBytes(bytes.subarray(cut));
  }

  #withOurId(frame: JsonObject): JsonObject {
    const response = frame.response;
    if (frame.type !== 'control_response' || !isJsonObject(response)) return frame;
    const ours = this.#ids.get(String(response.request_id));
    return ours === undefined ? frame : { ...frame, response: { ...response, request_id: ours } };
  }

  async #read(): Promise<{ messages: JsonObject[]; error: unknown }> {
    const messages: JsonObject[] = [];
    try {
      for (;;) {
        const step = await this.#session.messages.next();
        if (step.done === true) return { messages, error: undefined };
        messages.push(step.value as unknown as JsonObject);
      }
    } catch (error) {
      return { messages, error };
    }
  }

  #callbacks(): Callbacks {
    const requests = this.#lines.flatMap(({ data }) =>
      isJsonObject(data) && isJsonObject(data.request) ? [data.request] : [],
    );
    const hooks = requests.filter(({ subtype }) => subtype === 'hook_callback');
    const servers = requests.filter(({ subtype }) => subtype === 'mcp_message');
    return {
      canUseTool: async (_name, _input, { requestId }) => this.#decided(requestId, null) as never,
      onElicitation: async (_request, { requestId }) => this.#decided(requestId, null) as never,
      onUserDialog: async (_request, { requestId }) => this.#decided(requestId, null) as never,
      hooks: [...new Map(hooks.map((hook) => [hook.callback_id, hook])).values()].map((hook) => ({
        callbackId: String(hook.callback_id),
        event: String((hook.input as JsonObject).hook_event_name),
        callback: async () => this.#decided(this.#take(questionKey(hook)), never()) as never,
      })),
      mcpServers: new Map(
        [...new Set(servers.map((server) => String(server.server_name)))].map((name) => [name, this.#endpoint(name)]),
      ),
      onHookError: 'report',
      needStdin: true,
    };
  }

  #endpoint(name: string): McpEndpointFactory {
    return ({ sendToPeer }) => {
      this.#servers.set(name, sendToPeer);
      return {
        receive: async (message) => {
          const id = this.#take(questionKey({ subtype: 'mcp_message', server_name: name, message }));
          const answer = (await this.#decided(id, never())) as JsonObject;
          return answer.mcp_response as JsonObject;
        },
        manifest: async () => undefined,
        close: async () => {},
      };
    };
  }

  /** What the recording's host answered; `otherwise` when it did not. */
  async #decided(requestId: string, otherwise: unknown): Promise<unknown> {
    const answer = this.#answers.get(requestId);
    if (answer === undefined) return otherwise;
    if (answer.subtype === 'error') throw new Error(String(answer.error));
    return answer.response;
  }

  #take(key: string): string {
    return this.#open.get(key)?.shift() ?? 'nobody asked';
  }
}

/** Tells apart what callbacks are not told the id of: the hook, or the server and its message. */
function questionKey({ subtype, callback_id, server_name, message }: JsonObject): string {
  return JSON.stringify([subtype, callback_id, server_name, message]);
}

/** Frames that a session writes itself, or writes for its caller. Answers come from callbacks. */
function isDriven({ type, request }: JsonObject): boolean {
  if (type === 'user') return true;
  if (type !== 'control_request' || !isJsonObject(request)) return false;
  return typeof request.subtype === 'string';
}

function isInitialize({ request }: JsonObject): boolean {
  return isJsonObject(request) && request.subtype === 'initialize';
}

function withoutId({ request_id: _, ...frame }: JsonObject): JsonObject {
  return frame;
}

function answerIn({ dir, data }: RecordedLine): JsonObject[] {
  if (dir !== 'in' || !isJsonObject(data) || data.type !== 'control_response') return [];
  return isJsonObject(data.response) ? [data.response] : [];
}

function planWithoutOptions(): LaunchPlan {
  return planLaunch(
    {},
    {
      env: {},
      platform: 'linux',
      sdkVersion: '0.0.0',
      front: 'query',
      prompt: 'none',
      createMcpEndpointFactory: () => () => {
        throw new Error('the servers of a replay are its own');
      },
    },
  );
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Delivery over the pair takes a few turns of the event loop. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
