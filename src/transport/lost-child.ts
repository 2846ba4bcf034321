import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Node tells here of every child process object, synchronously, before it spawns. */
const CHANNEL = 'child_process';

/** A start that threw. */
export class FailedStart {
  /** What the operating system said when Node reports that on the child, else what was thrown. Never rejects. */
  readonly reason: Promise<unknown>;

  constructor(reason: Promise<unknown>) {
    this.reason = reason;
  }
}

/**
 * Runs `start`, which makes one child process through a library, and looks after the child when the
 * library throws.
 *
 * Without free descriptors (EMFILE, ENFILE) Node gives the child no streams and emits `error` on it in
 * the next tick. execa stumbles over the missing streams before anybody can listen, and an `error`
 * that nobody listens to ends the host. On this channel the child can still be reached.
 */
export function startWatched<Child>(start: () => Child): Child | FailedStart {
  let made: ChildProcess | undefined;
  const onMade = (message: unknown): void => {
    made ??= (message as { readonly process: ChildProcess }).process;
  };
  subscribe(CHANNEL, onMade);
  try {
    return start();
  } catch (thrown) {
    return new FailedStart(firstError(made, thrown));
  } finally {
    unsubscribe(CHANNEL, onMade);
  }
}

function firstError(child: ChildProcess | undefined, thrown: unknown): Promise<unknown> {
  return new Promise((resolve) => {
    child?.on('error', resolve);
    // The event comes in the next tick or not at all.
    setImmediate(resolve, thrown);
  });
}
