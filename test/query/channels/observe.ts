import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { type ClaudewireChannels, channelNames } from '../../../src/index.js';
import { RunTally } from '../../../src/parser/run-summary.js';
import { RunChannels } from '../../../src/query/channels/run-channels.js';

export interface Published {
  readonly kind: keyof ClaudewireChannels;
  readonly event: 'start' | 'end' | 'error';
  readonly context: ClaudewireChannels[keyof ClaudewireChannels];
}

/** Everything that is published until the test ends, in order. */
export function observeChannels(): Published[] {
  const seen: Published[] = [];
  for (const [kind, events] of Object.entries(channelNames)) {
    for (const [event, name] of Object.entries(events)) {
      const listener = (context: unknown): void => {
        // Built from `channelNames`, whose keys are these.
        seen.push({ kind, event, context } as Published);
      };
      subscribe(name, listener);
      onTestFinished(() => void unsubscribe(name, listener));
    }
  }
  return seen;
}

/** Contexts of a kind, at one of their events. */
export function contextsOf<Kind extends keyof ClaudewireChannels>(
  seen: readonly Published[],
  kind: Kind,
  event: Published['event'] = 'end',
): ClaudewireChannels[Kind][] {
  const found = seen.filter((each) => each.kind === kind && each.event === event);
  return found.map(({ context }) => context as ClaudewireChannels[Kind]);
}

const RECORDINGS = new URL('../../fixtures/recordings/', import.meta.url);

export const recordingNames = (): string[] =>
  readdirSync(RECORDINGS).flatMap((file) => (file.endsWith('.jsonl') ? [file.slice(0, -'.jsonl'.length)] : []));

/** Gives the frames of a recording to a new run, as its transport would. A recording may have several processes. */
export function playRecording(name: string): void {
  const lines = readFileSync(new URL(`${name}.jsonl`, RECORDINGS), 'utf8')
    .split('\n')
    .filter(Boolean);
  const run = RunChannels.open('query', undefined);
  run?.onOpen();
  run?.onOpened();
  for (const line of lines) {
    const { dir, data } = JSON.parse(line);
    if (typeof data !== 'object' || data === null) continue;
    if (dir === 'in') run?.onFrameOut(data);
    else if (dir === 'out') run?.onFrameIn(data);
  }
  run?.onEnd({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
  run?.onOver(new RunTally({}).summary({ error: undefined, isClosed: true, durationMs: 0 }));
}
