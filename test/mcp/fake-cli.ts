import { onTestFinished } from 'vitest';
import type { McpEndpoint, McpEndpointFactory } from '../../src/control/mcp-endpoint.js';
import { createDeferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';

/** The CLI's side of one endpoint: sends JSON-RPC, keeps what the server sent by itself. Closed with the test. */
export class FakeCli {
  readonly endpoint: McpEndpoint;
  readonly sent: JsonObject[] = [];
  readonly invalid: { readonly tool: string; readonly problem: string }[] = [];
  readonly thrown: { readonly tool: string; readonly error: unknown }[] = [];
  #nextId = 0;
  #waiting: (() => void)[] = [];

  constructor(factory: McpEndpointFactory) {
    this.endpoint = factory({
      sendToPeer: (message) => {
        // As the wire would: what cannot be serialised must fail here.
        this.sent.push(JSON.parse(JSON.stringify(message)) as JsonObject);
        for (const wake of this.#waiting.splice(0)) wake();
      },
      onToolResultInvalid: (tool, problem) => this.invalid.push({ tool, problem }),
      onToolThrew: (tool, error) => this.thrown.push({ tool, error }),
    });
    onTestFinished(() => this.endpoint.close());
  }

  receive(message: JsonObject, signal = new AbortController().signal) {
    return this.endpoint.receive(message, {
      signal,
      get isCancelled() {
        return signal.aborted;
      },
    });
  }

  request(method: string, params?: unknown, id: unknown = this.#nextId++) {
    return this.receive({ method, ...(params === undefined ? {} : { params }), jsonrpc: '2.0', id });
  }

  call(name: string, args: JsonObject = {}, id?: unknown, meta?: JsonObject) {
    return this.request(
      'tools/call',
      { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
      id ?? this.#nextId++,
    );
  }

  notify(method: string, params?: JsonObject) {
    return this.receive({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
  }

  initialize(params: JsonObject = {}) {
    return this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'fake-cli', version: '1' },
      ...params,
    });
  }

  /** The first message of that method that the server sent, also one yet to come. */
  async sentMessage(method: string): Promise<JsonObject> {
    for (;;) {
      const found = this.sent.find((message) => message.method === method);
      if (found !== undefined) return found;
      const next = createDeferred<void>();
      this.#waiting.push(next.resolve);
      await next.promise;
    }
  }
}

/** The `result` of a response. */
export async function resultOf(response: Promise<JsonObject | undefined>): Promise<JsonObject> {
  const message = await response;
  if (message === undefined || !('result' in message)) {
    throw new Error(`expected a result, got ${JSON.stringify(message)}`);
  }
  return message.result as JsonObject;
}

/** The text of a result's first block. */
export function textOf(result: JsonObject): string {
  const [block] = result.content as { text: string }[];
  return block!.text;
}

/** The `error` of a response. */
export async function errorOf(response: Promise<JsonObject | undefined>): Promise<{ code: number; message: string }> {
  const message = await response;
  return message?.error as { code: number; message: string };
}

/** A tool that starts, tells so, and ends when the test says so. */
export interface Gate {
  readonly started: Promise<AbortSignal>;
  readonly open: (text: string) => void;
  readonly handler: (extra: { readonly signal: AbortSignal }) => Promise<{ content: { type: 'text'; text: string }[] }>;
}

export function createGate(): Gate {
  const started = createDeferred<AbortSignal>();
  const opened = createDeferred<string>();
  return {
    started: started.promise,
    open: opened.resolve,
    handler: async ({ signal }) => {
      started.resolve(signal);
      return { content: [{ type: 'text', text: await opened.promise }] };
    },
  };
}
