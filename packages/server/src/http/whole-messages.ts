import { setImmediate as otherWork } from 'node:timers/promises';
import type { LoggedEvent } from '../events/conversation-event.js';

const BATCH = 1_000;

type Events = AsyncIterator<LoggedEvent, void>;
type Pulled = IteratorResult<LoggedEvent, void>;

/** A message that is still being streamed has at most so many deltas held back; then they are passed on. */
const MAX_HELD = 10_000;
/** Reading a log takes less, and a reader does not notice it. */
const QUIET_MS = 50;

/**
 * Leaves out of a replay the deltas (`stream_event`) of messages that are whole by now. What happens from now on comes as
 * it is, and so do the deltas of a message that was cut off or is not whole yet. Ids keep their meaning.
 */
export function wholeMessages(events: Events, now: number): Events {
  const pulled = pulledFrom(events, now);
  return {
    next: () => pulled.next(),
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
  };
}

async function* pulledFrom(events: Events, now: number): AsyncGenerator<LoggedEvent, void> {
  const quiet = new Quiet();
  try {
    yield* filtered(events, now, quiet);
  } finally {
    quiet.end();
  }
}

async function* filtered(events: Events, now: number, quiet: Quiet): AsyncGenerator<LoggedEvent, void> {
  let held: LoggedEvent[] = [];
  let leftOut = 0;
  let next: Promise<Pulled> | undefined;
  /** Whose last message is whole: an agent's, by the call that started it, or `null` for the conversation's own. */
  const whole = new Set<unknown>();
  for (let isReplay = true; ; ) {
    next ??= events.next();
    const result = held.length > 0 ? await quiet.race(next) : await next;
    if (result === 'quiet') {
      yield* held;
      held = [];
      continue;
    }
    next = undefined;
    if (result.done === true) {
      yield* held;
      return;
    }
    const entry = result.value;
    const parent = parentOf(entry);
    isReplay &&= entry.at < now;
    if (isReplay && isDelta(entry)) {
      if (begins(entry)) whole.delete(parent);
      leftOut += 1;
      // A log in memory never waits, and others must be served meanwhile.
      if (leftOut % BATCH === 0) await otherWork();
      if (whole.has(parent)) continue;
      held.push(entry);
      if (held.length < MAX_HELD) continue;
      yield* held;
      held = [];
      continue;
    }
    if (isReplay && isWhole(entry)) {
      whole.add(parent);
      held = held.filter((each) => parentOf(each) !== parent);
    }
    // In the order of their ids.
    yield* held;
    held = [];
    quiet.end();
    yield entry;
  }
}

const messageOf = ({ event }: LoggedEvent) => (event.type === 'message' ? event.message : undefined);
const isDelta = (entry: LoggedEvent): boolean => messageOf(entry)?.type === 'stream_event';

const isWhole = (entry: LoggedEvent): boolean => messageOf(entry)?.type === 'assistant';

function parentOf(entry: LoggedEvent): unknown {
  return Reflect.get(messageOf(entry) ?? {}, 'parent_tool_use_id');
}

/** Whether it belongs to what follows, and not to a block that is over. */
function begins(entry: LoggedEvent): boolean {
  const message = messageOf(entry);
  return message?.type === 'stream_event' && ['message_start', 'content_block_start'].includes(message.event.type);
}

/** One timer for all waits. */
class Quiet {
  #timer: NodeJS.Timeout | undefined;
  #tell: (quiet: 'quiet') => void = () => {};

  async race(next: Promise<Pulled>): Promise<Pulled | 'quiet'> {
    this.#timer ??= setTimeout(() => this.#tell('quiet'), QUIET_MS);
    this.#timer.refresh();
    return await new Promise((resolve, reject) => {
      this.#tell = resolve;
      next.then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
