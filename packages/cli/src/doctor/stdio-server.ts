import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { onHostExit } from '../../../../src/util/host-exit.js';
import { within } from '../../../../src/util/race.js';

/** How long a server may take to leave after the end of its input, and again after SIGTERM. */
const LEAVE_MS = 2_000;
/** No server writes nearly as many lines for two answers. The buffer has a limit of its own for the length of one. */
const MAX_LINES = 10_000;

interface StdioServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onStderr: (text: string) => void;
  /** Ends the server at once. */
  readonly signal: AbortSignal | undefined;
}

/**
 * An MCP server in a process group of its own, so that it ends with all that it started: behind `npx` or `sh -c` the server
 * is not the process that was started. For systems with process groups.
 */
export class StdioServer implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioServerOptions;
  readonly #buffer = new ReadBuffer();
  #child: ChildProcessWithoutNullStreams | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #forget = (): void => {};
  #lines = 0;

  constructor(options: StdioServerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, args, cwd, env, onStderr, signal } = this.#options;
    const child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true });
    this.#exited = once(child, 'exit').catch(() => {});
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stderr.on('data', (chunk: Buffer) => onStderr(chunk.toString()));
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.on('close', () => this.onclose?.());
    await once(child, 'spawn');
    child.on('error', (error) => this.onerror?.(error));
    this.#child = child;
    const onAbort = (): void => this.#kill('SIGTERM');
    signal?.addEventListener('abort', onAbort);
    const forgetHostExit = onHostExit(() => this.#kill('SIGKILL'));
    this.#forget = () => {
      signal?.removeEventListener('abort', onAbort);
      forgetHostExit();
    };
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#child === undefined) throw new Error('The server has not started');
    this.#child.stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.stdin.end();
    await within(LEAVE_MS, this.#exited, () => {});
    this.#kill('SIGTERM');
    await within(LEAVE_MS, this.#exited, () => {});
    this.#kill('SIGKILL');
    // What left the group may hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
    this.#forget();
  }

  #read(chunk: Buffer): void {
    const isTaken = this.#attempt(() => this.#append(chunk)) === true;
    // Lines that are no messages are skipped, as the CLI does.
    while (this.#lines < MAX_LINES && this.#attempt(() => this.#handOver()) !== false) this.#lines += 1;
    if (isTaken && this.#lines < MAX_LINES) return;
    this.#options.onStderr('\nIt writes without end.');
    this.#kill('SIGKILL');
    this.#child?.stdout.destroy();
  }

  #append(chunk: Buffer): true {
    this.#buffer.append(chunk);
    return true;
  }

  /** @returns false when no whole line is left. */
  #handOver(): boolean {
    const message = this.#buffer.readMessage();
    if (message !== null) this.onmessage?.(message);
    return message !== null;
  }

  #attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      this.onerror?.(error as Error);
      return undefined;
    }
  }

  #kill(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    try {
      if (pid !== undefined) process.kill(-pid, signal);
    } catch {
      // Everyone in the group is gone.
    }
  }
}
