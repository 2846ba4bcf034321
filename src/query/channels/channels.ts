import { type Channel, channel } from 'node:diagnostics_channel';
import type { ClaudewireChannels, OperationContext } from './contexts.js';
import type { Ending } from './ending.js';

const KINDS = [
  ...['query', 'turn', 'agent', 'chat', 'tool'],
  ...['hook', 'permission', 'question', 'mcp', 'control', 'process'],
] as const satisfies readonly (keyof ClaudewireChannels)[];

type Event = 'start' | 'end' | 'error';

/**
 * The names of the channels of `node:diagnostics_channel`, by operation and event: `channelNames.tool.end` is
 * `tracing:claudewire:tool:end`. Subscribe before the run starts: runs that began earlier are not published.
 *
 * @example
 * diagnostics_channel.subscribe(channelNames.tool.end, (tool) => console.log((tool as ToolContext).toolName));
 */
export const channelNames: {
  readonly [Kind in keyof ClaudewireChannels]: { readonly [E in Event]: `tracing:claudewire:${Kind}:${E}` };
} = Object.freeze(
  Object.fromEntries(KINDS.map((kind) => [kind, Object.freeze(byEvent((e) => `tracing:claudewire:${kind}:${e}`))])),
  // Built from the same words as the type.
) as typeof channelNames;

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

const CHANNELS = Object.fromEntries(
  KINDS.map((kind) => [kind, byEvent((event) => new HeldChannel(channelNames[kind][event]))]),
) as Record<keyof ClaudewireChannels, Record<Event, HeldChannel>>;
const ALL = Object.values(CHANNELS).flatMap((events) => Object.values(events));

function byEvent<T>(make: (event: Event) => T): Record<Event, T> {
  return { start: make('start'), end: make('end'), error: make('error') };
}

/** Without subscribers a run makes nothing for its channels. */
export function hasSubscribers(): boolean {
  return ALL.some((each) => each.subscribed !== undefined);
}

/** Whether somebody waits for the end of such operations. */
export function isSubscribed(kind: keyof ClaudewireChannels): boolean {
  return CHANNELS[kind].end.subscribed !== undefined;
}

/** A context while the operation runs: only its publisher may change it. */
export type Open<Context> = { -readonly [Key in keyof Context]: Context[Key] };

export function publishStart<Kind extends keyof ClaudewireChannels>(kind: Kind, context: ClaudewireChannels[Kind]) {
  publish(CHANNELS[kind].start, context);
}

/** Publishes `error`, if there is one, and `end`. */
export function publishEnd<Kind extends keyof ClaudewireChannels>(
  kind: Kind,
  context: Open<ClaudewireChannels[Kind]>,
  at: number,
  ending?: Ending,
): void {
  const open: Open<OperationContext> = context;
  open.endedAt = at;
  if (typeof ending === 'string') open.stopped = ending;
  else if (ending !== undefined) {
    open.error = ending;
    publish(CHANNELS[kind].error, context);
  }
  publish(CHANNELS[kind].end, context);
}

function publish(to: HeldChannel, context: object): void {
  to.subscribed?.publish(context);
}
