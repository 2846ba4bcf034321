import {
  ClaudeClient,
  type Options,
  prewarm,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
  startup,
} from '../../src/index.js';
import type { JsonObject } from '../../src/util/json.js';
import type { RunningSession } from './host-behaviours.js';

export interface DoorInput {
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options: Options & { readonly abortController: AbortController };
  /** After how many results a client is done; `undefined`: at the end of the stream. */
  readonly results: number | undefined;
}

/** One way to open a session. */
export type Door = (input: DoorInput) => Promise<RunningSession>;

export const DOORS: Readonly<Record<'query' | 'client' | 'startup' | 'prewarm', Door>> = {
  query: async ({ prompt, options }) => ofQuery(query({ prompt, options }), options),
  startup: async ({ prompt, options }) => {
    const warm = await startup({ options });
    return ofQuery(warm.query(prompt), options);
  },
  prewarm: async ({ prompt, options }) => {
    const spare = await prewarm({ options });
    const running = ofQuery(spare.claim({ prompt, options: { cwd: '/' } }), options);
    return { ...running, initialized: () => Promise.all([running.initialized(), spare.claimed]) };
  },
  client: async ({ prompt, options, results }) => {
    const client = new ClaudeClient(options);
    await client.connect(prompt);
    const disconnect = async (): Promise<void> => client.disconnect();
    return {
      messages: untilResults(client, results),
      request: (subtype, payload, timeoutMs) => client.request(subtype, payload as JsonObject, limit(timeoutMs)),
      interrupt: () => client.interrupt(),
      setModel: (model) => client.setModel(model),
      send: (messages) => client.query(messages),
      initialized: () => client.getServerInfo(),
      close: () => void disconnect(),
      dispose: disconnect,
      abort: (reason) => options.abortController.abort(reason),
    };
  },
};

function ofQuery(run: Query, options: DoorInput['options']): RunningSession {
  return {
    messages: run,
    request: (subtype, payload, timeoutMs) => run.request(subtype, payload as JsonObject, limit(timeoutMs)),
    interrupt: () => run.interrupt(),
    setModel: (model) => run.setModel(model),
    send: (messages) => run.streamInput(messages),
    initialized: () => run.initializationResult(),
    close: () => run.close(),
    dispose: async () => run[Symbol.asyncDispose](),
    abort: (reason) => options.abortController.abort(reason),
  };
}

const limit = (timeoutMs: number | undefined): { timeoutMs: number } | undefined =>
  timeoutMs === undefined ? undefined : { timeoutMs };

/** A client's stream does not end with its turns. */
async function* untilResults(client: ClaudeClient, results: number | undefined): AsyncGenerator<SDKMessage, void> {
  let seen = 0;
  if (results === 0) return;
  for await (const message of client.receiveMessages()) {
    if (message.type === 'result') seen += 1;
    yield message;
    if (seen === results) return;
  }
}
