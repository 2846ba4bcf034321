// @ts-check
/**
 * Kit for conformance drivers in JavaScript and TypeScript: the driver protocol (DRIVERS.md of `claudewire-conformance`)
 * in one file, over Node.js alone. Copy it beside your driver, and give `serve` a port: what drives your SDK.
 * A client-only SDK gets `query` by the mapping in DRIVERS.md, "Query on a client".
 *
 * @typedef {Record<string, any>} JsonObject
 *
 * @typedef {object} Start - What a session is to be made of.
 * @property {'query' | 'client' | 'text'} mode - `query` only if the port `hasQuery`; `text` only with `query:text`.
 * @property {string} [prompt] - The text of a native query, or what a client is to connect with.
 * @property {boolean} streams - Its messages come with `send`, until `endInput`.
 * @property {JsonObject} options - Under the official TypeScript SDK's names. `{"$callback": NAME}` stands for a function.
 * @property {string} cli - The program to run as the CLI.
 * @property {string} cwd
 * @property {Callbacks} callbacks
 * @property {(text: string) => void} onStderr - Takes what the CLI wrote to stderr, in pieces of any size.
 * @property {Map<string, any>} stores - Session stores by name; one name is one store until `finish`.
 *
 * @typedef {object} Session - One session of the SDK.
 * @property {() => Promise<void>} [connect] - Starts the CLI. A native query may do without.
 * @property {(content: string | object[], fields?: JsonObject) => unknown} send - Settles when the SDK has taken it.
 * @property {() => Promise<{ done?: boolean, value?: any }>} receive - The next message, as an iterator gives it.
 * @property {() => unknown} [disconnect] - Closes the session. Without it, `close` is unsupported.
 * @property {(method: string, args: any[]) => unknown} [call]
 * @property {() => unknown} [endInput] - No more messages will be sent, and those that come are still read.
 * @property {() => unknown} [leave] - Ends the loop as `break` does. Default: `disconnect`.
 * @property {() => unknown} [abort]
 * @property {() => unknown} [release] - The run is over: lets go of what still waits, before it is disconnected.
 *
 * @typedef {object} Port - The SDK under test.
 * @property {{ driver: string, sdk: string, version: string, language: string, features: readonly string[] }} hello
 * @property {boolean} [hasQuery] - It has a query that ends by itself. Otherwise the kit maps `query` onto a client.
 * @property {(start: Start) => Session} session - Makes a session. For an option it does not have it throws `Unsupported`.
 * @property {(name: string, args: any[], run: Pick<Start, 'callbacks' | 'stores'>) => unknown} [sessions]
 * @property {(error: Error) => { kind: string } & JsonObject} classify - What the SDK means by an error: `kind`, and
 *   `exit_code`, `signal` and `error_code` where they apply.
 */

/** What the kit can do with a client: it adds these to the features of a port without a query of its own. */
const MAPPED = ['query', 'query-stream', 'query:client', 'query:methods', 'query:close', 'client', 'pause', 'break'];
/** Messages may still be on their way when `disconnect` has returned: the loop gets this long to end by itself. */
const LOOP_LAG_MS = 2_000;

/** What a driver throws for a command that its SDK has no way to do. */
export class Unsupported extends Error {
  name = 'Unsupported';
}

/**
 * Speaks the driver protocol on stdin and stdout until stdin ends.
 *
 * @param {Port} port
 */
export async function serve(port) {
  const write = takeStdout();
  const features = [...new Set([...port.hello.features, ...(port.hasQuery ? [] : MAPPED)])];
  write({ event: 'hello', protocol: 1, ...port.hello, features });
  const driver = new Driver(port, write);
  for await (const line of linesOf(process.stdin)) void driver.answer(JSON.parse(line));
  // What an SDK left running must not keep the driver alive when nobody listens any more.
  process.exit(0);
}

/** Whatever else prints goes to stderr: a line of its own on stdout would break the protocol. */
function takeStdout() {
  const print = process.stdout.write.bind(process.stdout);
  process.stdout.write = /** @type {typeof process.stdout.write} */ (process.stderr.write.bind(process.stderr));
  return (/** @type {JsonObject} */ event) => void print(`${JSON.stringify(event)}\n`);
}

/**
 * The lines of a stream; the last one needs no newline. Only a newline ends a line; `readline` would also cut at U+2028.
 *
 * @param {import('node:stream').Readable} stream
 */
export async function* linesOf(stream) {
  let pieces = [];
  for await (const chunk of stream.setEncoding('utf8')) {
    const [first, ...more] = chunk.split('\n');
    pieces.push(first);
    for (const next of more) {
      const line = pieces.join('');
      pieces = [next];
      if (line.trim() !== '') yield line;
    }
  }
  const rest = pieces.join('');
  if (rest.trim() !== '') yield rest;
}

class Driver {
  #port;
  #write;
  /** @type {Map<string, Run>} */
  #runs = new Map();
  /** @type {Map<string, any>} */
  #stores = new Map();

  /**
   * @param {Port} port
   * @param {(event: JsonObject) => void} write
   */
  constructor(port, write) {
    this.#port = port;
    this.#write = write;
  }

  /**
   * Begins the command at once, so `send` after `send` stays in order, and answers it when it has settled.
   *
   * @param {JsonObject} command
   */
  async answer(command) {
    const { id } = command;
    try {
      this.#write({ id, result: (await this.#handle(command)) ?? null });
    } catch (error) {
      if (error instanceof Unsupported) this.#write({ id, unsupported: error.message });
      else this.#write({ id, error: normalError(error, this.#port.classify) });
    }
  }

  /** @param {JsonObject} command */
  async #handle(command) {
    const { command: name, run: runName = 'main' } = command;
    const tell = (/** @type {string} */ what, /** @type {JsonObject} */ fields = {}) =>
      this.#write({ event: 'observed', run: runName, what, ...fields });
    if (name === 'start') {
      const run = new Run({ port: this.#port, command, stores: this.#stores, tell });
      const previous = this.#runs.get(runName);
      this.#runs.set(runName, run);
      await previous?.end();
      return run.start();
    }
    if (name === 'sessions') return this.#sessions(command, tell);
    if (name === 'finish') {
      const ending = [...this.#runs.values()];
      this.#runs = new Map();
      this.#stores = new Map();
      // One that ends badly has told so; the others still have to end.
      await Promise.allSettled(ending.map((run) => run.end()));
      return;
    }
    const run = this.#runs.get(runName);
    if (run === undefined) throw new Error(`no run ${runName} was started`);
    return run.handle(command);
  }

  /**
   * @param {JsonObject} command
   * @param {(what: string, fields?: JsonObject) => void} tell
   */
  #sessions({ function: name, args = [], callbacks = {} }, tell) {
    if (name === 'storeEntries') return this.#stores.get(args[0] ?? 'memory')?.held() ?? [];
    if (this.#port.sessions === undefined) throw new Unsupported(`function ${name}`);
    return this.#port.sessions(name, args, { callbacks: new Callbacks(callbacks, tell), stores: this.#stores });
  }
}

/** One run: its session, the loop over its messages, and what of a query is still owed. */
class Run {
  #port;
  #command;
  #stores;
  #tell;
  #callbacks;
  /** The SDK has no query: the kit ends the input, by the mapping of DRIVERS.md. */
  #isMapped;
  /** @type {Session | undefined} */
  #session;
  /** @type {Promise<void> | undefined} */
  #connecting;
  #stderr = '';
  #isLeft = false;
  #isInputOver = false;
  /** A message was sent and no result has come since: the CLI may answer several messages by one result. */
  #isOwed = false;
  #inFlight = 0;
  #isEnding = false;
  /** @type {Promise<unknown> | undefined} */
  #closing;
  #left = deferred();
  #resumed = deferred();
  #loop = Promise.resolve();

  /** @param {{ port: Port, command: JsonObject, stores: Map<string, any>, tell: (what: string, fields?: JsonObject) => void }} of */
  constructor({ port, command, stores, tell }) {
    this.#port = port;
    this.#command = command;
    this.#stores = stores;
    this.#tell = tell;
    this.#isMapped = command.mode === 'query' && port.hasQuery !== true;
    this.#callbacks = new Callbacks(command.callbacks ?? {}, tell, () => this.#endIfNothingIsOwed());
    this.#resumed.resolve();
  }

  async start() {
    const { mode, prompt, stream, options = {}, cli, cwd } = this.#command;
    const session = this.#port.session({
      mode: this.#isMapped ? 'client' : mode,
      ...(this.#isMapped ? {} : { prompt }),
      // The kit sends the messages of a mapped query.
      streams: stream === true && !this.#isMapped,
      options,
      cli: options.pathToClaudeCodeExecutable ?? cli,
      cwd,
      callbacks: this.#callbacks,
      onStderr: (text) => this.#onStderr(text),
      stores: this.#stores,
    });
    this.#session = session;
    const connecting = session.connect?.();
    if (mode === 'client') {
      await connecting;
    } else if (connecting !== undefined) {
      // The loop tells of what goes wrong.
      connecting.catch(() => {});
      this.#connecting = connecting;
    }
    this.#loop = this.#read(session);
  }

  /** @param {Session} session */
  async #read(session) {
    try {
      await this.#readUntilLeft(session);
    } catch (error) {
      const normal = normalError(error, this.#port.classify);
      // The user has closed it: that is no failure of a client.
      if (!this.#isMapped || this.#closing === undefined || normal.kind !== 'closed') return this.#over(error);
    }
    this.#over();
  }

  /** @param {Session} session */
  async #readUntilLeft(session) {
    const { prompt, breakAfter = Number.POSITIVE_INFINITY } = this.#command;
    if (this.#connecting !== undefined) await this.#connecting;
    this.#connecting = undefined;
    if (this.#isMapped && prompt !== undefined) {
      // One that fails ends the session, which the loop tells.
      this.#send(session, prompt).catch(() => {});
      this.#endInput(session);
    }
    for (let pulled = 0; !this.#isLeft; ) {
      await this.#resumed.promise;
      const { done, value } = (await this.#nextOf(session)) ?? {};
      if (this.#isLeft || done || value === undefined) return;
      // What an SDK hands on of a line that is no object is still no message; the protocol has objects only.
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      this.#tell('message', { message: isObject ? value : { $value: value } });
      pulled += 1;
      if (pulled === breakAfter) return void (await this.#leave());
      if (value?.type === 'result') this.#isOwed = false;
      this.#endIfNothingIsOwed();
    }
  }

  /** @param {Session} session */
  #nextOf(session) {
    const next = session.receive();
    return this.#isMapped ? Promise.race([next, this.#left.promise]) : next;
  }

  /** The loop is over, which is told once. @param {unknown[]} error */
  #over(...error) {
    this.#flushStderr();
    if (this.#isLeft) return;
    this.#isLeft = true;
    if (error.length === 0) this.#tell('end');
    else this.#tell('error', { error: normalError(error[0], this.#port.classify) });
  }

  /** @param {JsonObject} command */
  async handle(command) {
    const session = this.#session;
    if (session === undefined) throw new Error('the run could not be started');
    switch (command.command) {
      case 'send':
        if (this.#command.mode === 'query' && this.#command.stream !== true) {
          throw new Unsupported('send to a query with a text as its prompt');
        }
        return this.#send(session, command.content, command.fields);
      case 'end_input':
        if (this.#command.stream !== true) throw new Unsupported('end_input without a prompt stream');
        return this.#endInput(session);
      case 'call':
        return this.#call(session, command.method, command.args ?? []);
      case 'pause':
        this.#resumed = deferred();
        return;
      case 'resume':
        return this.#resumed.resolve();
      case 'break':
        return this.#leave();
      case 'close':
        if (session.disconnect === undefined) throw new Unsupported('close');
        return this.#close(session);
      case 'abort':
        if (session.abort === undefined) throw new Unsupported('abort');
        return session.abort();
      case 'cue':
        return this.#callbacks.cue(command.name);
      default:
        throw new Unsupported(`command ${command.command}`);
    }
  }

  /**
   * @param {Session} session
   * @param {string | object[]} content
   * @param {JsonObject} [fields]
   */
  async #send(session, content, fields) {
    this.#isOwed = true;
    await this.#flying(async () => {
      if (this.#connecting !== undefined) await this.#connecting;
      // The user of a stream gives frames, where that of a client may give a text: `fields` says which.
      const isFrame = this.#isMapped && this.#command.stream === true;
      await session.send(content, isFrame ? { ...fields } : fields);
    });
  }

  /**
   * @param {Session} session
   * @param {string} method
   * @param {any[]} args
   */
  async #call(session, method, args) {
    const { call } = session;
    if (call === undefined) throw new Unsupported(`method ${method}`);
    return this.#flying(async () => {
      if (this.#connecting !== undefined) await this.#connecting;
      return call(method, args);
    });
  }

  /** @template T @param {() => Promise<T>} work */
  async #flying(work) {
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
      this.#endIfNothingIsOwed();
    }
  }

  /** @param {Session} session */
  #endInput(session) {
    if (!this.#isMapped) return void session.endInput?.();
    this.#isInputOver = true;
    this.#endIfNothingIsOwed();
  }

  /** Query on a client: what its user does when every answer has come. */
  #endIfNothingIsOwed() {
    const isOpen = !this.#isInputOver || this.#isOwed || this.#inFlight > 0 || this.#callbacks.open > 0;
    if (!this.#isMapped || this.#isEnding || isOpen || this.#session === undefined) return;
    this.#isEnding = true;
    const session = this.#session;
    const end = async () => (session.endInput === undefined ? this.#close(session) : session.endInput());
    end().catch((error) => this.#over(error));
  }

  /** Ends the loop as `break` does: nothing more is told. */
  async #leave() {
    this.#isLeft = true;
    this.#left.resolve();
    this.#resumed.resolve();
    const session = this.#session;
    if (session?.leave !== undefined) await session.leave();
    else if (session !== undefined) await this.#close(session);
    this.#flushStderr();
  }

  /** @param {Session} session */
  #close(session) {
    if (!this.#isMapped) return session.disconnect?.();
    this.#closing ??= Promise.resolve(session.disconnect?.()).finally(() => {
      setTimeout(() => this.#left.resolve(), LOOP_LAG_MS).unref();
    });
    return this.#closing;
  }

  /** Resolves when nothing of the run goes on. */
  async end() {
    this.#callbacks.end();
    this.#session?.release?.();
    this.#resumed.resolve();
    try {
      if (this.#session !== undefined)
        await (this.#session.disconnect === undefined ? this.#leave() : this.#close(this.#session));
    } finally {
      this.#left.resolve();
    }
    await this.#loop;
  }

  /** @param {string} text */
  #onStderr(text) {
    const lines = (this.#stderr + text).split('\n');
    this.#stderr = lines.pop() ?? '';
    for (const line of lines) this.#tell('stderr', { text: line });
  }

  #flushStderr() {
    if (this.#stderr !== '') this.#tell('stderr', { text: this.#stderr });
    this.#stderr = '';
  }
}

/** The callbacks of one run, as its `start` command describes them: what each call returns, throws or waits for. */
export class Callbacks {
  #specs;
  #tell;
  #onIdle;
  #calls = new Map();
  /** @type {Map<string, ReturnType<typeof deferred>>} */
  #cues = new Map();

  /** Calls that go on. */
  open = 0;

  /**
   * @param {Record<string, JsonObject>} specs - By name: `returns` (the n-th call's value; the last repeats), `throws`
   *   and `waitFor` (for every call, or a list with `null` for "not this one"), `ignoresAbort`.
   * @param {(what: string, fields: JsonObject) => void} tell
   */
  constructor(specs, tell, onIdle = () => {}) {
    this.#specs = specs;
    this.#tell = tell;
    this.#onIdle = onIdle;
  }

  /** Lets the calls go on that wait for it, and those that will. @param {string} name */
  cue(name) {
    this.#cue(name).resolve();
  }

  /** The run is over: nothing waits any longer, and nothing is told any more. */
  end() {
    this.#tell = () => {};
    for (const { resolve } of this.#cues.values()) resolve();
  }

  /**
   * Tells of the call, then does what its description says.
   *
   * @param {string} name
   * @param {unknown} input - The first argument of the callback.
   * @param {AbortSignal} [signal]
   * @param {JsonObject} [more] - Further fields of the event: `tool_use_id`.
   */
  async call(name, input, signal, more = {}) {
    const spec = this.#specs[name] ?? {};
    const call = this.#calls.get(name) ?? 0;
    this.#calls.set(name, call + 1);
    this.#tell('callback', { name, call, input, ...more });
    this.open += 1;
    try {
      const cue = nth(spec.waitFor, call);
      if (cue !== undefined) await this.#wait(cue, { name, call, spec, signal });
    } finally {
      this.open -= 1;
      // The answer is written first.
      if (this.open === 0) setImmediate(this.#onIdle);
    }
    const thrown = nth(spec.throws, call);
    if (thrown !== undefined) throw new Error(thrown);
    const value = spec.returns?.[Math.min(call, spec.returns.length - 1)];
    return value !== null && typeof value === 'object' && '$raw' in value ? value.$raw : value;
  }

  /**
   * @param {string} cue
   * @param {{ name: string, call: number, spec: JsonObject, signal?: AbortSignal | undefined }} of
   */
  #wait(cue, { name, call, spec, signal }) {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#tell('cancelled', { name, call });
        if (spec.ignoresAbort !== true) reject(signal?.reason ?? new Error('aborted'));
      };
      const done = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(undefined);
      };
      if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
      this.#cue(cue).promise.then(done);
    });
  }

  /** @param {string} name */
  #cue(name) {
    const cue = this.#cues.get(name) ?? deferred();
    this.#cues.set(name, cue);
    return cue;
  }
}

/** One value for every call, or a list with one for each; the last repeats. @param {any} given @param {number} call */
function nth(given, call) {
  const value = Array.isArray(given) ? given[Math.min(call, given.length - 1)] : given;
  return value ?? undefined;
}

function deferred() {
  /** @type {(value?: any) => void} */
  let resolve = () => {};
  const promise = new Promise((onResolve) => {
    resolve = onResolve;
  });
  return { promise, resolve };
}

/**
 * An error as the driver protocol has it.
 *
 * @param {unknown} error
 * @param {Port['classify']} classify
 */
function normalError(error, classify) {
  if (!(error instanceof Error)) return { kind: 'other', message: String(error), class: typeof error };
  const named = error.name === 'Error' ? error.constructor.name : error.name;
  return { message: error.message, class: named, ...classify(error) };
}
