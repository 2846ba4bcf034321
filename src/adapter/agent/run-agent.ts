import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { readFields, wrongArgument } from '../options/read-fields.js';
import type { AgentEvent } from './agent-event.js';
import type { AgentAdapter, AgentOptions } from './agent-types.js';
import { leavable, Pull, type Wakeup } from './merge-iterators.js';
import { supervisedRun } from './supervised-run.js';

/**
 * Runs a registered agent. The stream never throws: mistakes of the adapter become `error` events (`ADAPTER_ERROR`,
 * `MISSING_DONE`), and the last event is the one `done`. After an abort the adapter has 500 ms to end by itself.
 * @throws AdapterConfigError at once: the agent or the registry does not exist.
 */
export function runAgent(
  agent: string,
  prompt: string,
  options: AgentOptions | undefined,
  registry: AdapterRegistry,
): AsyncGenerator<AgentEvent, void, void> {
  if (typeof registry?.get !== 'function' || typeof registry.list !== 'function') {
    throw wrongArgument(
      'registry',
      'runAgent() takes an AdapterRegistry as its fourth argument',
      registry,
      'Make one with `new AdapterRegistry()` and register the adapter there.',
    );
  }
  if (typeof agent !== 'string') {
    const cure = 'Pass the `agent` of a registered adapter, such as "claude-code".';
    throw wrongArgument('agent', 'runAgent() takes the name of an agent', agent, cure);
  }
  const adapter = registry.get(agent);
  if (adapter === undefined) {
    const known = registry.list().join(', ') || 'none';
    throw new AdapterConfigError(`No agent is named ${agent}; registered: ${known}`, ['agent']);
  }
  return supervisedRun(adapter, prompt, options ?? {});
}

/** One run of `runParallel()`. */
export interface ParallelTask {
  readonly adapter: AgentAdapter;
  readonly prompt: string;
  readonly options?: AgentOptions | undefined;
}

/**
 * Runs tasks in parallel and gives their events in the order of arrival, with the index of the task in
 * `metadata.taskIndex`. Each task ends with exactly one `done`, and tasks do not affect each other. Leaving the loop
 * ends all.
 * @param options.signal - Ends every running task, in addition to the tasks' own signals.
 * @throws AdapterConfigError at once: an unknown option.
 */
export function runParallel(
  tasks: readonly ParallelTask[],
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<AgentEvent, void, void> {
  readFields(options, 'options', ['signal']);
  return leavable((wakeup) => mergedEvents(tasks, options.signal, wakeup));
}

async function* mergedEvents(
  tasks: readonly ParallelTask[],
  signal: AbortSignal | undefined,
  wakeup: Wakeup,
): AsyncGenerator<AgentEvent, void, void> {
  /** Tasks whose next event has arrived, in the order of arrival. */
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
  // The adapter refuses a value that is not a signal.
  return own instanceof AbortSignal ? { ...options, abortSignal: AbortSignal.any([own, signal]) } : options;
}

/** Adapters by name. */
export class AdapterRegistry {
  readonly #adapters = new Map<string, AgentAdapter>();

  /**
   * Adds an adapter under its own name.
   * @throws AdapterConfigError the name is taken, or the value is not an adapter.
   */
  register(adapter: AgentAdapter): void {
    const { agent } = adapter;
    if (typeof agent !== 'string' || agent === '' || typeof adapter.run !== 'function') {
      throw new AdapterConfigError(
        `\`adapter\` must have a name (\`agent\`) and \`run()\`; got ${describeValue(adapter)}`,
        ['adapter'],
      );
    }
    if (this.#adapters.has(agent)) {
      throw new AdapterConfigError(`An adapter named ${agent} is registered already; unregister it first`, [
        'adapter.agent',
      ]);
    }
    this.#adapters.set(agent, adapter);
  }

  get(agent: string): AgentAdapter | undefined {
    return this.#adapters.get(agent);
  }

  /** The names, in the order of registration. */
  list(): readonly string[] {
    return [...this.#adapters.keys()];
  }

  /** @returns whether the adapter was registered */
  unregister(agent: string): boolean {
    return this.#adapters.delete(agent);
  }
}
