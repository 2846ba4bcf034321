import { type Channel, channel } from 'node:diagnostics_channel';

/**
 * A channel that stays the one which others get by its name. A channel that nobody holds is collected with its subscribers;
 * and when an older one of the same name is collected late, Node 20 takes the one that came after it out of its register, so
 * that subscribers are given a new one.
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
