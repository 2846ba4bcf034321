import { readFields } from '../options/read-fields.js';
import type { AgentEvent } from './agent-event.js';
import type { AgentAdapter, AgentOptions } from './agent-types.js';
import { supervisedRun } from './supervised-run.js';
import { leavable, Pull, type Wakeup } from './wakeup.js';

/** One run of many. */
export interface ParallelTask {
  readonly adapter: AgentAdapter;
  readonly prompt: string;
  readonly options?: AgentOptions | undefined;
}

/**
 * Runs tasks side by side and gives their events as they come; `metadata.taskIndex` says whose. Each task ends with exactly
 * one `done`, and what one does wrong does not touch the others. Leaving the loop ends them all.
 *
 * @param options.signal - Ends every task that still runs, in addition to the tasks' own signals.
 * @throws AdapterConfigError at once: another option.
 */
export function runParallel(
  tasks: readonly ParallelTask[],
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<AgentEvent, void, void> {
  readFields(options, 'options', ['signal']);
  return leavable((wakeup) => merged(tasks, options.signal, wakeup));
}

async function* merged(
  tasks: readonly ParallelTask[],
  signal: AbortSignal | undefined,
  wakeup: Wakeup,
): AsyncGenerator<AgentEvent, void, void> {
  /** Tasks whose next event is there, in the order of arrival. */
  const ready: number[] = [];
  const streams = tasks.map((task: Partial<ParallelTask> | undefined) => {
    const { adapter, prompt = '', options } = task ?? {};
    return supervisedRun(adapter, prompt, withSignal(options ?? {}, signal));
  });
  const pulls = streams.map(
    (stream, index) =>
      new Pull(stream, () => {
        ready.push(index);
        wakeup.wake();
      }),
  );
  let running = tasks.length;
  try {
    for (const pull of pulls) pull.start();
    while (running > 0 && !wakeup.isLeft) {
      const index = ready.shift();
      const pull = index === undefined ? undefined : pulls[index];
      if (index === undefined || pull === undefined) {
        await wakeup.wait();
        continue;
      }
      const arrival = pull.take();
      if (arrival?.kind !== 'item') {
        running -= 1;
        continue;
      }
      const event = arrival.value;
      yield { ...event, metadata: { ...event.metadata, taskIndex: index } };
      pull.start();
    }
  } finally {
    await Promise.allSettled(streams.map((stream) => stream.return()));
  }
}

function withSignal(options: AgentOptions, signal: AbortSignal | undefined): AgentOptions {
  if (signal === undefined) return options;
  const own: unknown = options.abortSignal;
  if (own === undefined) return { ...options, abortSignal: signal };
  // One that is none is the adapter's to refuse.
  return own instanceof AbortSignal
    ? { ...options, abortSignal: AbortSignal.any([own, signal]) }
    : options;
}
