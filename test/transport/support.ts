import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '../../src/diagnostics.js';
import { createSubprocessTransport, type SubprocessSpec } from '../../src/transport/subprocess.js';
import type { FrameReceiver, FrameTransport, TransportEnd } from '../../src/transport/transport.js';
import { createDeferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';

/** Both signals, soon: where only the end of the ladder matters. */
export const QUICK_LADDER = { sigtermMs: 60, sigkillMs: 160 };

/** SIGTERM soon, and time enough to act on it on a busy machine. */
export const SIGTERM_SOON = { sigtermMs: 60, sigkillMs: 60_000 };

export interface RecordingReceiver extends FrameReceiver {
  readonly frames: JsonObject[];
  readonly sizes: number[];
  readonly diagnostics: Diagnostic[];
  /** Every call in order: `frame`, the diagnostic's code, `end`. */
  readonly log: string[];
  readonly end: Promise<TransportEnd>;
  /** Resolves with the first frame that fits. */
  frame(fits: (frame: JsonObject) => boolean): Promise<JsonObject>;
}

export function createReceiver(): RecordingReceiver {
  const end = createDeferred<TransportEnd>();
  const waiting = new Set<{
    readonly fits: (frame: JsonObject) => boolean;
    readonly resolve: (frame: JsonObject) => void;
  }>();
  const receiver: RecordingReceiver = {
    frames: [],
    sizes: [],
    diagnostics: [],
    log: [],
    end: end.promise,
    frame: (fits) => {
      const seen = receiver.frames.find(fits);
      if (seen !== undefined) return Promise.resolve(seen);
      return new Promise((resolve) => waiting.add({ fits, resolve }));
    },
    onFrame: (frame, bytes) => {
      receiver.frames.push(frame);
      receiver.sizes.push(bytes);
      receiver.log.push('frame');
      for (const waiter of waiting) {
        if (!waiter.fits(frame)) continue;
        waiting.delete(waiter);
        waiter.resolve(frame);
      }
    },
    onDiagnostic: (diagnostic) => {
      receiver.diagnostics.push(diagnostic);
      receiver.log.push(diagnostic.code);
    },
    onEnd: (value) => {
      receiver.log.push('end');
      end.resolve(value);
    },
  };
  return receiver;
}

/** The program of all process behaviours; its first argument, or `PEER_MODE`, says which. */
export const PEER = fixturePath('peer');

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`../fixtures/cli/${name}.mjs`, import.meta.url));
}

/** What to spawn for a mode of `peer.mjs`. */
export function fixtureSpec(
  mode: string,
  args: readonly string[] = [],
  overrides: Partial<SubprocessSpec> = {},
): SubprocessSpec {
  return {
    file: process.execPath,
    args: [PEER, mode, ...args],
    env: { PATH: process.env.PATH ?? '' },
    maxBufferBytes: 1024 * 1024,
    exitGraceMs: 5_000,
    ...overrides,
  };
}

const started: FrameTransport[] = [];

/** Spawns `peer.mjs` in a mode; {@link closeStarted} ends it at the latest. */
export function startFixture(mode: string, args: readonly string[] = [], overrides: Partial<SubprocessSpec> = {}) {
  const transport = createSubprocessTransport(fixtureSpec(mode, args, overrides));
  const receiver = createReceiver();
  transport.open(receiver);
  started.push(transport);
  return { transport, receiver };
}

/** For `afterEach`: no test leaves a process behind. */
export async function closeStarted(): Promise<void> {
  await Promise.all(started.splice(0).map((transport) => transport.close({ sigtermMs: 0, sigkillMs: 0 })));
}

/** True while a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
