import { onTestFinished } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import type { SDKMessage } from '../../src/parser/message.js';
import { planLaunch } from '../../src/query/launch/plan-launch.js';
import type { Options } from '../../src/query/options.js';
import type { PromptItems } from '../../src/query/prompt.js';
import { QuerySession } from '../../src/query/query-session.js';
import { TranscriptFolder } from '../../src/query/transcript-mirror/transcript-folder.js';
import type { FrameTransport } from '../../src/transport/transport.js';
import type { JsonObject } from '../../src/util/json.js';
import { createMemoryPair, type MemoryPairOptions, type MemoryPeer } from '../helpers/memory-pair.js';
import { WrittenFrames } from '../helpers/written-frames.js';

export interface MemorySessionOptions extends MemoryPairOptions {
  /** @defaultValue a string */
  readonly prompt?: string | PromptItems;
  readonly options?: Options;
  /** False: `initialize` stays without an answer. @defaultValue true */
  readonly answersInitialize?: boolean;
  /** Stands between the session and the pair. */
  readonly wrap?: (transport: FrameTransport) => FrameTransport;
  /** When the peer counts as started. @defaultValue at once */
  readonly peerStarted?: Promise<void>;
  /** Called per frame from the session, after the answer to `initialize`. */
  readonly onFrame?: (frame: JsonObject) => void;
}

/** Where the script's transcripts are, for options with a `sessionStore`. */
export const MEMORY_CONFIG_FOLDER = '/config';

export interface MemorySession {
  readonly session: QuerySession;
  readonly peer: MemoryPeer;
  readonly diagnostics: readonly Diagnostic[];
}

/** A started session whose CLI is a script in this process: no child, so time can be a test's own. */
export function memorySession(over: MemorySessionOptions = {}): MemorySession {
  const { prompt = 'Go.', options = {}, wrap = (transport) => transport } = over;
  const { transport, peer } = createMemoryPair(over);
  const diagnostics: Diagnostic[] = [];
  const written = new WrittenFrames();
  const emit = peer.emit.bind(peer);
  peer.emit = (frame) => {
    written.asked(frame);
    emit(frame);
  };
  peer.onFrame = (frame) => {
    written.wrote(frame);
    if (over.answersInitialize !== false && subtypeOf(frame) === 'initialize') {
      peer.emit(answerTo(frame));
    }
    over.onFrame?.(frame);
  };
  const plan = planLaunch(options, {
    env: {},
    platform: 'linux',
    sdkVersion: '0.0.0',
    front: 'query',
    prompt: typeof prompt === 'string' ? 'string' : 'stream',
    createMcpEndpointFactory,
  });
  const session = new QuerySession({
    plan,
    transport: wrap(transport),
    prompt,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    peerStarted: over.peerStarted,
    mirror: plan.sessionStore && { ...plan.sessionStore, folder: new TranscriptFolder(MEMORY_CONFIG_FOLDER, '/') },
  });
  onTestFinished(() => peer.exit());
  session.start();
  return { session, peer, diagnostics };
}

/** The subtype of a control request; `undefined` for every other frame. */
export function subtypeOf(frame: JsonObject): unknown {
  return frame.type === 'control_request' ? (frame.request as JsonObject).subtype : undefined;
}

/** A success answer to a control request. */
export function answerTo(request: JsonObject, response: JsonObject = {}): JsonObject {
  const { request_id } = request;
  return { type: 'control_response', response: { subtype: 'success', request_id, response } };
}

/** Lets everything happen that needs no time. Works while timers are faked, if `setImmediate` is not. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** For `vi.useFakeTimers`: the clocks that the SDK reads, and not the event loop's own. */
export const CLOCKS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const;

/** What a loop over the session would see: the messages' types, then the error's `errorClass` or `end`. */
export async function readAll(session: QuerySession): Promise<readonly string[]> {
  const seen: string[] = [];
  try {
    for (;;) {
      const step: IteratorResult<SDKMessage, undefined> = await session.messages.next();
      if (step.done === true) return [...seen, 'end'];
      seen.push(step.value.type);
    }
  } catch (error) {
    return [...seen, String(Reflect.get(error as object, 'errorClass'))];
  }
}
