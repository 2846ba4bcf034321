import type { Callbacks, ControlPolicy } from '../../src/control/controller-options.js';
import { QueryController } from '../../src/control/query-controller.js';
import type { Diagnostic } from '../../src/diagnostics.js';
import { ProcessError, SessionClosedError } from '../../src/errors.js';
import type { TransportEnd } from '../../src/transport/transport.js';
import type { JsonObject } from '../../src/util/json.js';
import { FakePeer } from './fake-peer.js';

export interface SessionOptions {
  readonly callbacks?: Partial<Callbacks>;
  readonly policy?: Partial<ControlPolicy>;
  readonly initialize?: JsonObject;
  readonly nextRequestId?: () => string;
}

export interface TestSession {
  readonly peer: FakePeer;
  readonly controller: QueryController;
  readonly messages: JsonObject[];
  readonly hidden: string[];
  readonly diagnostics: Diagnostic[];
  readonly codes: () => string[];
  readonly ends: TransportEnd[];
  readonly inputEnds: () => number;
}

/** A controller with a fake peer. `needStdin` follows the callbacks unless given. */
export function createSession(options: SessionOptions = {}): TestSession {
  const peer = new FakePeer();
  const messages: JsonObject[] = [];
  const hidden: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const ends: TransportEnd[] = [];
  let inputEnds = 0;
  const callbacks: Callbacks = {
    hooks: [],
    mcpServers: new Map(),
    onHookError: 'report',
    needStdin: Object.keys(options.callbacks ?? {}).length > 0,
    ...options.callbacks,
  };
  const controller = new QueryController({
    transport: peer,
    callbacks,
    initialize: options.initialize ?? {},
    policy: {
      closeRule: 'held',
      answerAfterCancel: true,
      fillDenyMessage: false,
      initializeTimeoutMs: 60_000,
      controlTimeoutMs: undefined,
      ...options.policy,
    },
    ...(options.nextRequestId === undefined ? {} : { nextRequestId: options.nextRequestId }),
    receiver: {
      onMessage: (frame) => messages.push(frame),
      onHiddenFrame: (type) => hidden.push(type),
      onTranscriptMirror: () => {},
      onInputEnd: () => {
        inputEnds += 1;
      },
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      onEnd: (end) => {
        ends.push(end);
        const exit = end.exit;
        if (exit !== undefined && exit.exitCode !== 0) return ProcessError.fromExit(exit);
        return end.error ?? new SessionClosedError('The session ended');
      },
    },
  });
  return {
    peer,
    controller,
    messages,
    hidden,
    diagnostics,
    codes: () => diagnostics.map((diagnostic) => diagnostic.code),
    ends,
    inputEnds: () => inputEnds,
  };
}

/** The same, started. */
export function startSession(options: SessionOptions = {}): TestSession {
  const session = createSession(options);
  session.controller.start();
  return session;
}

export const EXIT_1: TransportEnd = { exit: { exitCode: 1, signal: null, stderrTail: 'boom' } };

export const RESULT: JsonObject = { type: 'result', subtype: 'success', is_error: false };

export const USER: JsonObject = { type: 'user', message: { role: 'user', content: 'hi' } };

export function state(value: string): JsonObject {
  return { type: 'system', subtype: 'session_state_changed', state: value, sdk_host_only: true };
}

/** The real one, whatever clock a test has installed. */
const setRealImmediate = globalThis.setImmediate;

/** The next turn of the event loop, in which stdin closes. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setRealImmediate(resolve));

/** Lets every promise reaction that is ready run, a message behind a question pass, and stdin close. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  await nextTurn();
  await nextTurn();
}
