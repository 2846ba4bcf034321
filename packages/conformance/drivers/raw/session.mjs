import { spawn } from 'node:child_process';
import { Unsupported } from '../kit/driver-kit.mjs';
import { argvOf, initializeOf } from './launch.mjs';

const HIDDEN = ['keep_alive', 'transcript_mirror'];

/** A failure with what the driver protocol has for it. */
export class Failure extends Error {
  constructor(kind, message, more = {}) {
    super(message);
    this.normal = { kind, ...more };
  }
}

/** One CLI process: frames out, frames in, nothing else. */
export class Session {
  #options;
  #isStream;
  #onStderr;
  #callbacks;
  #child;
  #ended;
  #hookIds = new Map();
  #pending = new Map();
  #open = new Map();
  #inbox = [];
  #wake = () => {};
  #failure;
  #lastId = 0;
  #results = 0;
  #said = '';
  #errorResult;
  #isOver = false;
  #isClosing = false;
  #wantsEnd = false;

  /** The answer to `initialize`. */
  initialized;

  constructor({ options, callbacks, streams, onStderr }) {
    this.#options = options;
    this.#isStream = streams;
    this.#onStderr = onStderr;
    this.#callbacks = callbacks;
  }

  start({ mode, cli, cwd, prompt }) {
    const { env = process.env } = this.#options;
    const initialize = initializeOf(this.#options, this.#hookIds);
    this.#child = spawn(cli, argvOf(this.#options, mode === 'text'), {
      cwd,
      env: {
        ...{ PATH: process.env.PATH, CLAUDE_CODE_ENTRYPOINT: 'raw', CLAUDE_AGENT_SDK_VERSION: '1' },
        ...env,
        NODE_OPTIONS: undefined,
      },
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', ({ code, message }) =>
        resolve(this.#end(new Failure(code === 'ENOENT' ? 'not_found' : 'launch', message))),
      );
      this.#child.on('close', (code, signal) => resolve(this.#onClose(code, signal)));
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', (text) => this.#hear(text));
    this.#readFrames();
    if (mode === 'text') {
      // The CLI reads its prompt to the end of stdin, and no frame.
      this.#child.stdin.end(prompt);
      return;
    }
    this.initialized = this.request(initialize);
    this.initialized.catch(() => {});
    if (!this.#isStream) this.send([{ type: 'text', text: prompt }]);
  }

  #readFrames() {
    // Only a newline ends a line; readline would also cut at U+2028.
    let pieces = [];
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      const [first, ...more] = text.split('\n');
      pieces.push(first);
      for (const next of more) {
        this.#onLine(pieces.join(''));
        pieces = [next];
      }
    });
    this.#child.stdout.on('end', () => {
      this.#onLine(pieces.join(''));
      // Nobody listens to a host that hears nothing.
      this.#child.stdin.end();
    });
  }

  #write(frame) {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  send(content, fields) {
    const message = { role: 'user', content };
    this.#write({ type: 'user', session_id: '', message, parent_tool_use_id: null, ...fields });
  }

  request(request) {
    if (this.#isOver || this.#isClosing) throw new Failure('closed', 'the run is over');
    this.#lastId += 1;
    const id = `raw_${this.#lastId}`;
    this.#write({ type: 'control_request', request_id: id, request });
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  #onLine(line) {
    let frame;
    try {
      frame = JSON.parse(line);
    } catch {
      return;
    }
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return;
    if (frame.type === 'control_response') this.#onResponse(frame.response ?? {});
    else if (frame.type === 'control_request') {
      void this.#onRequest(frame.request_id, frame.request ?? {});
    } else if (frame.type === 'control_cancel_request') this.#open.get(frame.request_id)?.abort();
    else if (!HIDDEN.includes(frame.type) && frame.sdk_host_only !== true) this.#onMessage(frame);
  }

  #onMessage(message) {
    this.#inbox.push(message);
    this.#wake();
    if (message.type !== 'result') return;
    this.#results += 1;
    this.#errorResult = message.is_error === true ? message : undefined;
    // A string prompt is one turn: with its result nothing more is to be said.
    if (!this.#isStream) this.#wantsEnd = true;
    this.#endStdin();
  }

  #onResponse({ request_id: id, subtype, response, error = '', error_code }) {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (subtype !== 'error') waiting?.resolve(response);
    else waiting?.reject(new Failure('control', error, error_code && { error_code }));
    this.#endStdin();
  }

  async #onRequest(id, request) {
    if (this.#open.has(id)) return;
    const aborter = new AbortController();
    this.#open.set(id, aborter);
    let response;
    try {
      response = { subtype: 'success', response: await this.#answer(request, aborter.signal) };
    } catch (error) {
      const code = error instanceof Unsupported && { error_code: 'unsupported_request' };
      response = { subtype: 'error', error: error.message, ...code };
    }
    this.#open.delete(id);
    if (aborter.signal.aborted || this.#isOver) return;
    this.#write({ type: 'control_response', response: { ...response, request_id: id } });
  }

  async #answer({ subtype, ...asked }, signal) {
    const { canUseTool, onElicitation } = this.#options;
    if (subtype === 'can_use_tool' && canUseTool !== undefined) {
      const { permission_suggestions: suggestions, ...given } = asked;
      const input = { ...given, suggestions };
      const answer = await this.#callbacks.call(canUseTool.$callback, input, signal);
      if (answer?.behavior === 'allow') return { updatedInput: asked.input, ...answer };
      if (answer?.behavior === 'deny') return answer;
      throw new Error('the permission callback returned neither an allow nor a deny');
    }
    if (subtype === 'hook_callback' && this.#hookIds.has(asked.callback_id)) {
      const { callback_id, input, tool_use_id } = asked;
      const more = tool_use_id === undefined ? {} : { tool_use_id };
      const name = this.#hookIds.get(callback_id);
      return (await this.#callbacks.call(name, input, signal, more)) ?? {};
    }
    if (subtype === 'elicitation') {
      if (onElicitation === undefined) return { action: 'decline' };
      return this.#callbacks.call(onElicitation.$callback, asked, signal);
    }
    throw new Unsupported(`unsupported request: ${subtype}`);
  }

  /** No more messages will be sent. With callbacks, stdin stays open until a result. */
  endInput() {
    this.#wantsEnd = true;
    this.#endStdin();
  }

  #endStdin() {
    const { hooks, canUseTool, onElicitation } = this.#options;
    const hasCallbacks = [hooks, canUseTool, onElicitation].some((each) => each !== undefined);
    if (!this.#wantsEnd || this.#pending.size > 0 || (hasCallbacks && this.#results === 0)) return;
    this.#child.stdin.end();
  }

  #hear(text) {
    this.#said = (this.#said + text).slice(-2_000);
    if (this.#options.stderr !== undefined) this.#onStderr(text);
  }

  #onClose(code, signal) {
    if (this.#isClosing || code === 0) return this.#end();
    const exit = signal === null ? { exit_code: code } : { signal };
    const { result, errors, subtype } = this.#errorResult ?? {};
    if (subtype === undefined) {
      const message = `the CLI ended: ${signal ?? code}. ${this.#said}`;
      return this.#end(new Failure('process_exit', message, exit));
    }
    return this.#end(new Failure('result', result ?? errors?.join('; ') ?? subtype, exit));
  }

  #end(error) {
    this.#failure = error;
    const gone = error ?? new Failure('closed', 'the CLI ended');
    for (const { reject } of this.#pending.values()) reject(gone);
    for (const aborter of this.#open.values()) aborter.abort();
    this.#isOver = true;
    this.#wake();
  }

  /** The next message, as an iterator gives it; throws what ended the run. */
  async receive() {
    while (this.#inbox.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isOver) return { done: true };
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
    return { value: this.#inbox.shift() };
  }

  /** End of input, SIGTERM, SIGKILL. Resolves when the CLI is gone. */
  async close() {
    this.#isClosing = true;
    this.#child?.stdin.end();
    const terminate = setTimeout(() => this.#child?.kill('SIGTERM'), 2_000);
    const kill = setTimeout(() => this.#child?.kill('SIGKILL'), 7_000);
    await this.#ended;
    clearTimeout(terminate);
    clearTimeout(kill);
  }
}
