import type { Transport } from '@anthropic-ai/claude-agent-sdk';

/** What programs do with a value that is typed as a transport. */

export async function* questions(transport: Transport): AsyncGenerator<string> {
  for await (const message of transport.readMessages()) {
    if (message.type === 'control_request') yield message.request_id;
    if (message.type === 'result') return;
  }
}

export async function first(transport: Transport): Promise<string | undefined> {
  const { value, done } = await transport.readMessages().next();
  return done ? undefined : value?.type;
}

export async function stop(transport: Transport): Promise<void> {
  await transport.readMessages().return();
  return transport.close();
}

/** A transport of the program's own, around another one. */
export class Logged implements Transport {
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async write(data: string): Promise<void> {
    console.log(data);
    await this.#inner.write(data);
  }

  async *readMessages(): ReturnType<Transport['readMessages']> {
    yield* this.#inner.readMessages();
  }

  endInput(): void {
    this.#inner.endInput();
  }

  isReady(): boolean {
    return this.#inner.isReady();
  }

  async close(): Promise<void> {
    this.#inner.close();
    await this.#inner.waitForExit?.();
  }
}
