import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../../../src/util/json.js';

export interface Reply {
  readonly result?: unknown;
  readonly error?: JsonObject;
  readonly unsupported?: string;
}

const HELLO_MS = 20_000;

/** One driver process, and what it told since the last program. */
export class Link {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, (reply: Reply) => void>();
  readonly #hello: Promise<JsonObject>;
  readonly #waiting = new Set<() => void>();
  #events: JsonObject[] = [];
  #ids = 0;
  #stderr = '';
  #isOver = false;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
    const [file = '', ...args] = command;
    this.#child = spawn(file, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    this.#child.stdin?.on('error', () => {});
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-6000);
    });
    this.#hello = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no hello: ${this.#stderr}`)), HELLO_MS);
      this.#child.once('close', (code, signal) => {
        clearTimeout(timer);
        this.#isOver = true;
        reject(new Error(`the driver ended (${signal ?? code}): ${this.#stderr}`));
        for (const settle of this.#pending.values()) {
          settle({ error: { kind: 'driver', message: `ended (${signal ?? code}): ${this.#stderr}` } });
        }
        this.#wake();
      });
      createInterface({ input: this.#child.stdout! }).on('line', (line) => {
        const message = JSON.parse(line) as JsonObject;
        if (message.event === 'hello') {
          clearTimeout(timer);
          resolve(message);
        } else this.#take(message);
      });
    });
    this.#hello.catch(() => {});
  }

  #take(message: JsonObject): void {
    if (message.event === 'observed') {
      this.#events.push(message);
      this.#wake();
      return;
    }
    const id = Number(message.id);
    this.#pending.get(id)?.(message as Reply);
    this.#pending.delete(id);
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  get hello(): Promise<JsonObject> {
    return this.#hello;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get events(): readonly JsonObject[] {
    return this.#events;
  }

  get stderr(): string {
    return this.#stderr;
  }

  forget(): void {
    this.#events = [];
    this.#stderr = '';
  }

  command(command: JsonObject): Promise<Reply> {
    this.#ids += 1;
    const id = this.#ids;
    return new Promise((resolve) => {
      if (this.#isOver) {
        resolve({ error: { kind: 'driver', message: `it has ended: ${this.#stderr}` } });
        return;
      }
      this.#pending.set(id, resolve);
      this.#child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`);
    });
  }

  /** Resolves with true when `holds` does, asked after each event; with false when the time is up. */
  until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
    if (holds()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (value: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(value);
      };
      const wake = (): void => {
        if (holds()) settle(true);
        else if (this.#isOver) settle(false);
      };
      const timer = setTimeout(() => settle(holds()), timeoutMs);
      this.#waiting.add(wake);
    });
  }

  /** Ends the process as a host would that is done: its input ends. By force when that does not help. */
  async end(graceMs = 3000): Promise<void> {
    if (this.#isOver) return;
    const over = new Promise<void>((resolve) => void this.#child.once('close', () => resolve()));
    this.#child.stdin?.end();
    const timer = setTimeout(() => {
      try {
        process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended.
      }
    }, graceMs);
    await over;
    clearTimeout(timer);
  }
}
