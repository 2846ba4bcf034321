// @ts-check
/** Stands in for an SDK: it starts the CLI, and reads and writes its frames. Delete it when your SDK is in its place. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linesOf } from './driver-kit.mjs';

const ARGS = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];
const HIDDEN = ['control_request', 'control_response', 'control_cancel_request', 'keep_alive', 'transcript_mirror'];
/** How long the CLI has to leave after the end of its input. */
const EXIT_GRACE_MS = 5_000;

export class HostError extends Error {
  /**
   * @param {string} kind - One of the kinds of the driver protocol.
   * @param {string} message
   * @param {{ exit_code?: number, signal?: string }} [more]
   */
  constructor(kind, message, more) {
    super(message);
    this.normal = { kind, ...more };
  }
}

export class Host {
  /** @type {any[]} */
  #inbox = [];
  #wake = () => {};
  /** @type {Map<string, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #isClosing = false;
  #isOver = false;
  /** @type {HostError | undefined} */
  #failure;
  #child;
  #exited;

  /** @param {{ cli: string, cwd: string, args: string[], onStderr: (text: string) => void }} options */
  constructor({ cli, cwd, args, onStderr }) {
    const env = { ...process.env, CLAUDE_CODE_ENTRYPOINT: 'mini-host' };
    this.#child = spawn(cli, [...ARGS, ...args], { cwd, env, stdio: 'pipe' });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', onStderr);
    const reading = this.#read();
    this.#exited = once(this.#child, 'close').then(
      ([code, signal]) => reading.then(() => this.#end(code, signal)),
      (error) => this.#over(new HostError('not_found', error.message)),
    );
  }

  async connect() {
    await this.#request({ subtype: 'initialize' });
  }

  /**
   * @param {string | object[]} content
   * @param {object} [fields]
   */
  send(content, fields) {
    const message = { role: 'user', content };
    this.#write({ type: 'user', message, parent_tool_use_id: null, session_id: '', ...fields });
  }

  /** The next message, as an iterator gives it; throws what ended the session. */
  async receive() {
    while (this.#inbox.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isOver) return { done: true };
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
    }
    return { value: this.#inbox.shift() };
  }

  /** Ends the input, and the CLI when it does not leave then. */
  async close() {
    this.#isClosing = true;
    this.#child.stdin.end();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), EXIT_GRACE_MS);
    await this.#exited;
    clearTimeout(kill);
  }

  /** @param {object} request */
  #request(request) {
    const id = `mini_${this.#waiting.size + 1}`;
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#write({ type: 'control_request', request_id: id, request });
    return answered;
  }

  /** @param {object} frame */
  #write(frame) {
    if (this.#isOver) throw new HostError('closed', 'the session is over');
    this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  async #read() {
    for await (const line of linesOf(this.#child.stdout)) {
      const frame = parsed(line);
      if (typeof frame === 'object' && frame !== null && !Array.isArray(frame)) this.#take(frame);
    }
    this.#child.stdin.end();
  }

  /** @param {any} frame */
  #take(frame) {
    if (frame.type === 'control_response') {
      const { request_id: id, subtype, response, error } = frame.response ?? {};
      if (subtype === 'error') this.#waiting.get(id)?.reject(new HostError('control', error));
      else this.#waiting.get(id)?.resolve(response);
    } else if (frame.type === 'control_request') {
      const response = { subtype: 'error', request_id: frame.request_id, error: 'not supported' };
      this.#write({ type: 'control_response', response });
    } else if (!HIDDEN.includes(frame.type)) {
      this.#inbox.push(frame);
      this.#wake();
    }
  }

  /**
   * @param {number | null} code
   * @param {string | null} signal
   */
  #end(code, signal) {
    if (code === 0 || this.#isClosing) return this.#over();
    const more = signal === null ? { exit_code: code ?? 0 } : { signal };
    return this.#over(new HostError('process_exit', `the CLI ended: ${signal ?? code}`, more));
  }

  /** @param {HostError} [failure] */
  #over(failure) {
    this.#isOver = true;
    this.#failure = failure;
    for (const { reject } of this.#waiting.values()) reject(failure ?? new HostError('closed', 'the CLI has left'));
    this.#wake();
  }
}

/** @param {string} line */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
