import { readdirSync, readFileSync } from 'node:fs';
import type { AgentEvent } from '../../../src/adapter/agent/agent-event.js';
import { EventNormalizer } from '../../../src/adapter/agent/event-normalizer.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../src/util/json.js';

const FOLDER = new URL('../../fixtures/recordings/', import.meta.url);

export const RECORDINGS: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.slice(0, -'.jsonl'.length));

/** A message as the CLI was recorded sending it, and when. */
export interface Recorded {
  readonly atMs: number;
  readonly message: JsonObject;
}

/** What reaches a consumer of the SDK: no control frames. One list for each process of the recording. */
export function messagesOf(recording: string): readonly (readonly Recorded[])[] {
  const processes = new Map<unknown, Recorded[]>();
  for (const line of readFileSync(new URL(`${recording}.jsonl`, FOLDER), 'utf8').split('\n')) {
    const { t, dir, data, proc } = parseJsonObject(line) ?? {};
    if (dir !== 'out' || !isJsonObject(data)) continue;
    if (String(data.type).startsWith('control_')) continue;
    const list = processes.get(proc) ?? [];
    processes.set(proc, list);
    list.push({ atMs: Number(t), message: data });
  }
  return [...processes.values()];
}

/** A clock that stands still until it is moved. */
export class StillClock {
  ms = 0;

  now(): number {
    return 1_700_000_000_000 + this.ms;
  }

  monotonic(): number {
    return this.ms;
  }
}

/** What each message of one process became, and the end. */
export function normalize(
  messages: readonly Recorded[],
  refused: readonly string[] = [],
): { readonly each: readonly (readonly AgentEvent[])[]; readonly events: readonly AgentEvent[] } {
  const clock = new StillClock();
  clock.ms = messages[0]?.atMs ?? 0;
  const normalizer = makeNormalizer(clock);
  for (const id of refused) normalizer.refused(id);
  const each = messages.map(({ atMs, message }) => {
    clock.ms = atMs;
    return normalizer.accept(message);
  });
  return { each, events: [...each.flat(), ...normalizer.finish({ kind: 'ended' })] };
}

export function makeNormalizer(
  clock: StillClock = new StillClock(),
  options: Partial<ConstructorParameters<typeof EventNormalizer>[0]> = {},
): EventNormalizer {
  return new EventNormalizer({
    agent: 'claude-code',
    sessionId: 'made-up',
    resume: undefined,
    requested: { model: undefined, cwd: '/here' },
    includeThinking: true,
    clock,
    ...options,
  });
}
