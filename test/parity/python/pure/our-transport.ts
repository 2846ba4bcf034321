import * as sdk from '../../../../src/index.js';
import { type ErrorShown, optionsOf, shortly, storeOf, within } from './our-run-support.js';
import type { PureCall } from './program.js';

type Call = Extract<PureCall, { readonly op: 'transport' }>;

const TURN = [
  { type: 'system', subtype: 'init' },
  {
    type: 'result',
    subtype: 'success',
    duration_ms: 1,
    duration_api_ms: 1,
    is_error: false,
    num_turns: 1,
    session_id: 's',
    result: 'done',
  },
];

/** Answers `initialize`, and a user message with one turn; then its output ends. */
class OwnTransport {
  readonly called = new Set<string>();
  readonly written: string[] = [];
  readonly #frames: (object | undefined)[] = [];
  #wake: () => void = () => {};

  connect(): void {
    this.called.add('connect');
  }

  write(data: string): void {
    this.called.add('write');
    const frame = JSON.parse(data) as { type: string; request_id?: string };
    this.written.push(frame.type);
    if (frame.type === 'user') for (const one of TURN) this.#put(one);
    if (frame.type !== 'control_request') return;
    const response = { subtype: 'success', request_id: frame.request_id, response: {} };
    this.#put({ type: 'control_response', response });
  }

  async *readMessages(): AsyncGenerator<never> {
    this.called.add('read');
    for (;;) {
      while (this.#frames.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const frame = this.#frames.shift();
      if (frame === undefined) return;
      yield frame as never;
    }
  }

  close(): void {
    this.called.add('close');
    this.#put(undefined);
  }

  isReady(): boolean {
    return true;
  }

  endInput(): void {
    this.called.add('endInput');
    this.#put(undefined);
  }

  #put(frame: object | undefined): void {
    this.#frames.push(frame);
    this.#wake();
  }
}

/** A query over a transport of the program's own; the twin of `transport` in `pure.py`. */
export async function runOverTransport(call: Call, errorShown: ErrorShown): Promise<unknown> {
  const own = new OwnTransport();
  const made = storeOf(call);
  const answer: Record<string, unknown> = {};
  const consume = async (): Promise<readonly string[]> => {
    const messages: string[] = [];
    const options = { ...optionsOf(call, made), transport: own as sdk.Transport };
    for await (const message of sdk.query({ prompt: 'Hi', options })) messages.push(shortly(message));
    return messages;
  };
  const messages = await within(consume(), 10_000, answer, errorShown);
  return {
    ...answer,
    ...(messages === undefined ? {} : { messages }),
    written: own.written,
    called: [...own.called].sort(),
    ...(made === undefined ? {} : { calls: made.calls }),
  };
}
