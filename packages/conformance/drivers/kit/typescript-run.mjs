import { Callbacks } from './callbacks.mjs';
import { normalError } from './normal-error.mjs';
import { materialise } from './options.mjs';
import { PromptQueue } from './prompt-queue.mjs';
import { Unsupported } from './serve.mjs';

/** One session of an SDK with the official TypeScript surface: `query()`, or a client class. */
export class TypeScriptRun {
  #command;
  #sdk;
  #tell;
  #callbacks;
  #materials;
  #abort = new AbortController();
  #prompt = new PromptQueue();
  #session;
  #client;
  #iterator;
  #stderr = '';
  #isLeft = false;
  #resume;
  #paused;
  #loop = Promise.resolve();

  /** @param {{ command: object, sdk: object, stores: Map<string, object>, tell: (what: string, fields?: object) => void }} run */
  constructor({ command, sdk, stores, tell }) {
    this.#command = command;
    this.#sdk = sdk;
    this.#tell = tell;
    this.#callbacks = new Callbacks(command.callbacks ?? {}, tell);
    this.#materials = {
      callbacks: this.#callbacks,
      stores,
      makeServer: sdk.makeServer,
      onStderr: (text) => this.#onStderr(text),
    };
  }

  async start() {
    const { mode, prompt: text, stream } = this.#command;
    const prompt = stream === true ? this.#prompt : text;
    if (mode === 'query') {
      this.#session = this.#sdk.query({ prompt, options: this.#options() });
      this.#iterator = this.#session[Symbol.asyncIterator]();
    } else {
      if (this.#sdk.makeClient === undefined) throw new Unsupported('the SDK has no client');
      this.#client = this.#sdk.makeClient(this.#options());
      await this.#client.connect(prompt);
      this.#iterator = this.#client.receiveMessages();
    }
    this.#loop = this.#pull();
  }

  #options() {
    const { options = {}, cli, cwd } = this.#command;
    const given = materialise(options, this.#materials);
    return {
      cwd,
      pathToClaudeCodeExecutable: cli,
      abortController: this.#abort,
      ...given,
      // It replaces the environment, and without a PATH no `node` is found for the CLI.
      ...(given.env === undefined ? {} : { env: { PATH: process.env.PATH, ...given.env } }),
    };
  }

  async #pull() {
    const { breakAfter = Number.POSITIVE_INFINITY } = this.#command;
    try {
      for (let pulled = 0; !this.#isLeft; ) {
        await this.#paused;
        const { done, value } = await this.#iterator.next();
        if (this.#isLeft) return;
        if (done) break;
        // What an SDK hands on of a line that is no object is still no message; the protocol has objects only.
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        this.#tell('message', { message: isObject ? value : { $value: value } });
        pulled += 1;
        if (pulled === breakAfter) return await this.leave();
      }
    } catch (error) {
      this.#flushStderr();
      if (!this.#isLeft) this.#tell('error', { error: this.errorOf(error) });
      return;
    }
    this.#flushStderr();
    if (!this.#isLeft) this.#tell('end');
  }

  errorOf(error) {
    return normalError(error, this.#sdk.classify);
  }

  async send({ content, fields }) {
    const message = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...fields };
    if (this.#command.stream === true) return this.#prompt.push(message);
    if (this.#client === undefined) throw new Unsupported('send to a query with a string prompt');
    if (typeof content === 'string' && fields === undefined) return this.#client.query(content);
    return this.#client.query(oneOf(message));
  }

  endInput() {
    if (this.#command.stream !== true) throw new Unsupported('end_input without a prompt stream');
    this.#prompt.end();
  }

  async call({ method, args = [] }) {
    const target = this.#session ?? this.#client;
    const name = this.#client === undefined ? method : (this.#sdk.clientNames?.[method] ?? method);
    if (typeof target[name] !== 'function') throw new Unsupported(`method ${method}`);
    return target[name](...args.map((value) => materialise(value, this.#materials, [method])));
  }

  pause() {
    this.#paused = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume() {
    this.#resume?.();
  }

  /** Ends the loop as `break` does. */
  async leave() {
    this.#isLeft = true;
    this.#resume?.();
    await this.#iterator?.return?.();
    this.#flushStderr();
  }

  async close() {
    if (this.#client === undefined) this.#session.close();
    else await this.#client.disconnect();
  }

  abort(reason) {
    this.#abort.abort(reason);
  }

  cue(name) {
    this.#callbacks.cue(name);
  }

  /** Resolves when nothing of the run goes on. */
  async end() {
    this.#callbacks.end();
    this.#prompt.abandon();
    this.#resume?.();
    const isOpen = this.#session !== undefined || this.#client !== undefined;
    if (isOpen) await this.close();
    await this.#loop;
  }

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

async function* oneOf(message) {
  yield message;
}
