import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * Keeps a channel alive, and stays on the one that subscribers find by its name. Without a reference a channel is garbage
 * collected together with its subscribers. And when Node 20 collects an earlier channel of the same name late, it removes the
 * current one from its registry, so that later subscribers get yet another.
 */
export class HeldChannel {
  readonly #name: string;
  #channel: Channel;

  constructor(name: string) {
    this.#name = name;
    this.#channel = channel(name);
  }

  /** `undefined` without subscribers. */
  get subscribed(): Channel | undefined {
    if (!this.#channel.hasSubscribers) this.#channel = channel(this.#name);
    return this.#channel.hasSubscribers ? this.#channel : undefined;
  }
}
