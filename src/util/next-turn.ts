import { clearImmediate, setImmediate } from 'node:timers';
import { MessageChannel } from 'node:worker_threads';

/**
 * Runs a function in the next turn of the event loop, after every promise reaction that is ready.
 *
 * Never by a clock that a test has stopped, where it would wait for ever. Some test runners replace the globals, and
 * `node:timers` stays real; `mock.timers` of `node:test` replaces its members too, when it comes before this file.
 */
export const inNextTurn: (run: () => void) => void = isReal(setImmediate) ? setImmediate : byMessage;

function isReal(set: typeof setImmediate): boolean {
  const immediate: object = set(() => {});
  clearImmediate(immediate as NodeJS.Immediate);
  return immediate.constructor?.name === 'Immediate';
}

/** Messages are delivered in a turn of their own. */
function byMessage(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.once('message', () => {
    port1.close();
    run();
  });
  port2.postMessage(undefined);
}

/** Runs a function after what runs now, as `queueMicrotask` does where no test has replaced it. */
export function inMicrotask(run: () => void): void {
  void Promise.resolve().then(run);
}

/** That of the process, also where a test replaces it later. */
export const nextTick: typeof process.nextTick = process.nextTick;
