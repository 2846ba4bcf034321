import { setImmediate } from 'node:timers';

/**
 * Runs a function in the next turn of the event loop, after every promise reaction that is ready.
 *
 * Always the real `setImmediate`: waiting for a clock that a test has stopped would hang. The one of `node:timers` stays
 * real even where this file is loaded after a test runner has replaced the globals.
 */
export const inNextTurn: (run: () => void) => void = setImmediate;
