import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

const CALL_LIMIT_MS = 60_000;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One process that makes calls, one after another. */
export class Caller {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #stderr = '';

  /** @param root - The folder of programs, which is made anew for each: the process lives beside it. */
  constructor([command = '', ...args]: readonly string[], root: string) {
    const { PATH, LD_LIBRARY_PATH } = process.env;
    this.#child = spawn(command, args, {
      cwd: dirname(root),
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH,
        ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
        HOME: root,
        TZ: 'UTC',
        LANG: 'C.UTF-8',
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.on('exit', (code) => this.#fail(new Error(`exit ${code}: ${this.#stderr}`)));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#answered(line));
    }
  }

  async call(call: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const limit = setTimeout(() => {
      this.#waiting.get(id)?.reject(new Error(`no answer to ${JSON.stringify(call).slice(0, 200)}`));
      this.#child.kill('SIGKILL');
    }, CALL_LIMIT_MS);
    this.#child.stdin?.write(`${JSON.stringify({ id, ...call })}\n`);
    try {
      return await answer;
    } finally {
      clearTimeout(limit);
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin?.end();
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    await gone;
    clearTimeout(limit);
  }

  #answered(line: string): void {
    const { id, value, failed } = JSON.parse(line) as { id: number; value?: unknown; failed?: string };
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failed === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(failed));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
