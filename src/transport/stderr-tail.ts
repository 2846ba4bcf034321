import type { Readable } from 'node:stream';
import type { DiagnosticListener } from '../diagnostics.js';
import { errorText } from '../util/error-text.js';

/** How much of stderr an error shows, as in the official SDK. UTF-16 units. */
export const STDERR_TAIL_UNITS = 2048;

export interface StderrListeners {
  /** Per chunk, not per line. A character that is split between two chunks comes with the second. */
  readonly onText: ((text: string) => void) | undefined;
  readonly onDiagnostic: DiagnosticListener;
  /** Once: stderr ended, was destroyed or failed. */
  readonly onEnd: () => void;
}

/** Drains a child's stderr, passes it on, and keeps the end of it. */
export class StderrTail {
  readonly #listeners: StderrListeners;
  #tail = '';
  #hasEnded = false;

  constructor(stream: Readable, listeners: StderrListeners) {
    this.#listeners = listeners;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#onText(text));
    stream.on('end', () => this.#onEnd());
    stream.on('close', () => this.#onEnd());
    stream.on('error', () => this.#onEnd());
  }

  /** The last {@link STDERR_TAIL_UNITS} so far, trimmed. */
  get text(): string {
    return this.#tail.trim();
  }

  #onText(text: string): void {
    this.#tail = (this.#tail + text).slice(-STDERR_TAIL_UNITS);
    try {
      const returned: unknown = this.#listeners.onText?.(text);
      // An `async` callback fits the type, and its rejection would end the host.
      if (typeof returned === 'object' && returned !== null) {
        Promise.resolve(returned).catch((error: unknown) => this.#onThrew(error));
      }
    } catch (error) {
      this.#onThrew(error);
    }
  }

  #onThrew(error: unknown): void {
    this.#listeners.onDiagnostic({
      code: 'listener_threw',
      message: 'The `stderr` callback threw; its error was contained',
      details: { error: errorText(error) },
    });
  }

  #onEnd(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listeners.onEnd();
  }
}
