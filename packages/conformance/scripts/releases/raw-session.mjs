import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const ANSWER_MS = 60_000;
const RESULT_MS = 120_000;
const EXIT_MS = 10_000;

/** One run of the CLI whose frames are written by hand, so that no SDK changes what is measured. */
export class RawSession {
  frames = [];
  stderr = '';
  #child;
  #count = 0;
  #pending = new Map();
  #handlers;
  #wake = new Set();
  #exited;
  hasEnded = false;
  /** Whether it had ended when its turn was looked at. */
  ended = false;

  /**
   * @param {readonly string[]} command the CLI with its arguments
   * @param {{ cwd: string, env: Record<string, string | undefined> }} place
   * @param {Record<string, (request: object) => object | undefined>} handlers of the CLI's own requests by subtype: the
   *   body of the answer, `{ error }` for an error answer, or `undefined` for none
   */
  constructor([file, ...args], place, handlers) {
    this.#handlers = handlers;
    this.#child = spawn(file, args, { ...place, stdio: 'pipe', detached: true });
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', (error) => (this.stderr += String(error)));
    this.#child.stderr.on('data', (data) => (this.stderr += data));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line));
    this.#exited = new Promise((resolve) => {
      const over = () => {
        this.hasEnded = true;
        for (const settle of this.#pending.values()) settle({ gone: true });
        this.#notify();
        resolve();
      };
      this.#child.once('close', over);
      this.#child.once('error', over);
    });
  }

  get exitCode() {
    return this.#child.exitCode;
  }

  write(frame) {
    this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  /** @returns `{ response }`, `{ error }`, `{ gone: true }` when the process ended, `{ never: true }` when nothing came in time */
  request(subtype, payload = {}, limitMs = ANSWER_MS) {
    const id = `req-${++this.#count}`;
    const answer = new Promise((resolve) => this.#pending.set(id, resolve));
    this.write({ type: 'control_request', request_id: id, request: { subtype, ...payload } });
    return Promise.race([answer, later(limitMs).then(() => ({ never: true }))]);
  }

  /** @param {{ content: string }} message and whatever else the frame has */
  say({ content, ...more }) {
    this.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '', ...more });
  }

  /** @returns the first frame from index `from` on that fits; `undefined` when the process ended or the time is over */
  async until(fits, { from = 0, limitMs = RESULT_MS } = {}) {
    const limit = later(limitMs).then(() => 'late');
    for (;;) {
      const found = this.frames.slice(from).find(fits);
      if (found !== undefined || this.hasEnded) return found;
      const next = new Promise((resolve) => this.#wake.add(resolve));
      if ((await Promise.race([next, limit])) === 'late') return undefined;
    }
  }

  /** Of the process alone, not of what it has started. */
  signal(name) {
    this.#child.kill(name);
  }

  /** Ends stdin. */
  end() {
    this.#child.stdin.end();
  }

  /** Ends stdin, then kills the process group. */
  async close(graceMs = EXIT_MS) {
    this.end();
    await Promise.race([this.#exited, later(graceMs)]);
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
    await Promise.race([this.#exited, later(EXIT_MS)]);
  }

  #take(line) {
    let frame;
    try {
      frame = JSON.parse(line);
    } catch {
      this.stderr += `${line}\n`;
      return;
    }
    this.frames.push(frame);
    if (frame.type === 'control_response') {
      const { request_id: id, ...body } = frame.response;
      this.#pending.get(id)?.(body.subtype === 'error' ? { error: body.error } : { response: body.response ?? {} });
    }
    if (frame.type === 'control_request') this.#answer(frame);
    this.#notify();
  }

  #answer({ request_id, request }) {
    const body = this.#handlers[request.subtype]?.(request);
    if (body === undefined) return;
    const answer = 'error' in body ? { subtype: 'error', ...body } : { subtype: 'success', response: body };
    this.write({ type: 'control_response', response: { request_id, ...answer } });
  }

  #notify() {
    for (const wake of this.#wake) wake();
    this.#wake.clear();
  }
}

export function later(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
