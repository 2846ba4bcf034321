import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClaudewireChannels, channelNames } from 'claudewire';

export type Listeners = {
  readonly [Kind in keyof ClaudewireChannels]?: {
    readonly start?: (context: ClaudewireChannels[Kind]) => unknown;
    readonly end?: (context: ClaudewireChannels[Kind]) => unknown;
  };
};

/**
 * Subscribes. What a listener throws goes to `onError`: from a subscriber it would be an uncaught exception of the
 * program. `onError` must not throw.
 * @returns what ends it.
 */
export function listen(
  listeners: Listeners,
  onError: (channel: string, error: unknown) => void = () => {},
): () => void {
  const undo: (() => void)[] = [];
  for (const [kind, events] of Object.entries(listeners)) {
    for (const [event, listener] of Object.entries(events)) {
      const name = channelNames[kind as keyof ClaudewireChannels][event as 'start' | 'end'];
      const contained = (context: unknown): void => {
        try {
          // The channel's own context: `Listeners` has the same keys as the channels.
          (listener as (context: unknown) => void)(context);
        } catch (error) {
          onError(name, error);
        }
      };
      subscribe(name, contained);
      undo.push(() => void unsubscribe(name, contained));
    }
  }
  return () => {
    for (const each of undo.splice(0)) each();
  };
}
