import { readFileSync } from 'node:fs';
import type {
  AgentRuntime,
  LoadRuntime,
  RuntimeOptions,
  RuntimeQuery,
  ServedResult,
} from '../../../src/adapter/runtime/agent-runtime.js';
import type { HookEvent, HookJSONOutput, SDKMessage, SDKUserMessage } from '../../../src/index.js';
import { createDeferred } from '../../../src/util/deferred.js';
import type { JsonObject } from '../../../src/util/json.js';

/** What a script of the fake runtime can do, besides yielding messages. */
export interface FakeCli {
  readonly options: RuntimeOptions;
  /** The next user message; `undefined` when the input has ended, or the run was closed. */
  prompt(): Promise<SDKUserMessage | undefined>;
  /** Runs every callback for the event whose matcher fits, and gives the outputs. */
  hook(event: HookEvent, input: JsonObject, toolUseId?: string): Promise<readonly HookJSONOutput[]>;
  /** Calls a tool of an in-process server. */
  callTool(
    server: string,
    name: string,
    args: JsonObject,
    meta?: Readonly<Record<string, unknown>>,
  ): Promise<ServedResult>;
  /** Resolves at the next `interrupt()`, at once for one that nobody waited for. */
  interrupted(): Promise<void>;
  /** Fires at `close()`. */
  readonly closing: AbortSignal;
}

export type FakeScript = readonly JsonObject[] | ((cli: FakeCli) => AsyncGenerator<JsonObject, void>);

/** One `query()` of the fake runtime. */
export interface FakeRun {
  readonly options: RuntimeOptions;
  readonly sent: readonly SDKUserMessage[];
  readonly interrupts: number;
  readonly inputEnded: boolean;
  readonly closed: boolean;
  /** What happened, in order: `initialized`, `settings`, `user`, `interrupt`, `end`, `close`. */
  readonly happened: readonly string[];
}

export interface FakeRuntimeOptions {
  /** What `getSettings()` answers, or throws when it is an error. @defaultValue as the CLI that got `options.settings` */
  readonly settings?: JsonObject | Error;
  /** What `initialized()` throws. */
  readonly initializeError?: Error;
  /** A release that does not confirm hooks with `onFailure`, and its version. */
  readonly olderCli?: string;
  /** What `query()` throws. */
  readonly startError?: Error;
  readonly executable?: string | undefined;
}

export interface FakeRuntime {
  readonly loadRuntime: LoadRuntime;
  /** How often it was loaded. */
  readonly loads: number;
  readonly runs: readonly FakeRun[];
}

/**
 * A runtime without a process. A list of messages is played after the first user message; a function plays what it yields,
 * and can wait for prompts, call hooks and tools. Each `query()` plays the script from its start.
 */
export function fakeRuntime(script: FakeScript, how: FakeRuntimeOptions = {}): FakeRuntime {
  const runs: FakeQuery[] = [];
  let loads = 0;
  const runtime: AgentRuntime = {
    query: (input, options) => {
      if (how.startError !== undefined) throw how.startError;
      const run = new FakeQuery(input, options, script, how);
      runs.push(run);
      return run;
    },
    locateExecutable: async () => ({ path: how.executable }),
  };
  return {
    loadRuntime: async () => {
      loads += 1;
      return runtime;
    },
    get loads() {
      return loads;
    },
    runs,
  };
}

class FakeQuery implements RuntimeQuery, FakeRun, FakeCli {
  readonly query = undefined;
  readonly options: RuntimeOptions;
  readonly sent: SDKUserMessage[] = [];
  readonly happened: string[] = [];
  readonly #closing = new AbortController();
  readonly #how: FakeRuntimeOptions;
  readonly #messages: AsyncGenerator<JsonObject, void>;
  readonly #input: AsyncIterator<SDKUserMessage>;
  readonly #noMore = createDeferred<void>();
  #interrupt = createDeferred<void>();
  #awaited = 0;
  interrupts = 0;
  inputEnded = false;

  constructor(
    input: AsyncIterable<SDKUserMessage>,
    options: RuntimeOptions,
    script: FakeScript,
    how: FakeRuntimeOptions,
  ) {
    this.options = options;
    this.#how = how;
    this.#input = input[Symbol.asyncIterator]();
    this.#messages = typeof script === 'function' ? script(this) : this.#playList(script);
  }

  async confirmsOnFailure(): Promise<boolean> {
    return this.#how.olderCli === undefined;
  }

  async cliVersion(): Promise<string | undefined> {
    return this.#how.olderCli ?? '2.1.330';
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  async *#playList(messages: readonly JsonObject[]): AsyncGenerator<JsonObject, void> {
    await this.prompt();
    yield* messages;
  }

  async prompt(): Promise<SDKUserMessage | undefined> {
    const over = this.#noMore.promise.then(() => ({ done: true, value: undefined }) as const);
    const step = await Promise.race([this.#input.next(), over]);
    if (step.done === true) return undefined;
    this.sent.push(step.value);
    this.happened.push('user');
    return step.value;
  }

  async hook(event: HookEvent, input: JsonObject, toolUseId?: string): Promise<readonly HookJSONOutput[]> {
    const outputs: (HookJSONOutput | undefined)[] = [];
    for (const { matcher, hooks } of this.options.hooks?.[event] ?? []) {
      const isMeant =
        matcher === undefined ||
        matcher === '*' ||
        matcher === '' ||
        new RegExp(`^(?:${matcher})$`).test(String(input.tool_name));
      if (!isMeant) continue;
      for (const callback of hooks) {
        const given = { hook_event_name: event, session_id: 's', cwd: '/', ...input };
        const options = { signal: this.#closing.signal } as never;
        outputs.push((await callback(given as never, toolUseId, options)) ?? undefined);
      }
    }
    // Nothing is no objection.
    return outputs.map((output) => output ?? {});
  }

  async callTool(
    server: string,
    name: string,
    args: JsonObject,
    meta: Readonly<Record<string, unknown>> = {},
  ): Promise<ServedResult> {
    const tools = this.options.toolServers?.find((each) => each.name === server)?.tools;
    const tool = tools?.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name} on ${server}`);
    return tool.call(args, {
      signal: this.#closing.signal,
      requestId: 'request-1',
      _meta: meta,
      sendNotification: async () => {},
      sendRequest: () => Promise.reject(new Error('not in the fake runtime')),
    });
  }

  async interrupted(): Promise<void> {
    this.#awaited += 1;
    while (this.interrupts < this.#awaited) await this.#interrupt.promise;
  }

  async initialized(): Promise<void> {
    if (this.#how.initializeError !== undefined) throw this.#how.initializeError;
    this.happened.push('initialized');
  }

  async getSettings(): Promise<JsonObject> {
    this.happened.push('settings');
    const { settings } = this.#how;
    if (settings instanceof Error) throw settings;
    if (settings !== undefined) return settings;
    const effective = settingsOf(this.options.settings);
    return { effective, sources: [{ source: 'flagSettings', settings: effective }], applied: {} };
  }

  async interrupt(): Promise<unknown> {
    this.interrupts += 1;
    this.happened.push('interrupt');
    this.#interrupt.resolve();
    this.#interrupt = createDeferred<void>();
    return undefined;
  }

  endInput(): void {
    if (this.inputEnded) return;
    this.inputEnded = true;
    this.happened.push('end');
    this.#noMore.resolve();
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.happened.push('close');
    this.#noMore.resolve();
    this.#closing.abort();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SDKMessage> {
    const over = new Promise<IteratorResult<JsonObject, void>>((resolve) => {
      const end = (): void => resolve({ done: true, value: undefined });
      this.#closing.signal.addEventListener('abort', end, { once: true });
    });
    for (;;) {
      const step = await Promise.race([this.#messages.next(), over]);
      if (step.done === true) return;
      // What a test yields is what the CLI would have sent.
      yield step.value as unknown as SDKMessage;
    }
  }
}

/** Of the `settings` option: the object, or the file's content. */
function settingsOf(settings: unknown): unknown {
  return typeof settings === 'string' ? JSON.parse(readFileSync(settings, 'utf8')) : (settings ?? {});
}
