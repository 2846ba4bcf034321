import type { DiagnosticListener } from '../../diagnostics.js';
import type { FrameReceiver, FrameTransport } from '../../transport/transport.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { inMicrotask } from '../../util/next-turn.js';
import type { Adapted } from './gate.js';
import { HookAllows } from './hook-allows.js';
import { hookAnswerAdapter } from './hook-answers.js';
import { HookClock } from './hook-limits.js';
import { adaptDecision, adaptRequest, laterAfter } from './later-changes.js';

/** The transport, with the frames changed that its release of the CLI does not honour as they are. */
export function adaptFrames(
  transport: FrameTransport,
  adapted: Adapted,
  onDiagnostic: DiagnosticListener,
): FrameTransport {
  const { initialize, hookAllows, hookAnswers, hookLimits, later } = adapted;
  const isPlain =
    (hookAllows ?? hookAnswers ?? hookLimits ?? later) === undefined && Object.keys(initialize).length === 0;
  return isPlain ? transport : withChanges(transport, adapted, onDiagnostic);
}

// The transport itself is changed: a wrapper would have to pass on the ten other methods.
function withChanges(
  transport: FrameTransport,
  { initialize, hookAllows, hookAnswers, hookLimits, later: atStart }: Adapted,
  onDiagnostic: DiagnosticListener,
): FrameTransport {
  const adaptAnswer = hookAnswers === undefined ? undefined : hookAnswerAdapter(hookAnswers, onDiagnostic);
  const [write, open] = [transport.send.bind(transport), transport.open.bind(transport)];
  const send = (frame: JsonObject): boolean => {
    later = later && laterAfter(frame, later);
    return write(frame);
  };
  let receiver: FrameReceiver | undefined;
  let later = atStart;
  const clock = hookLimits && new HookClock(hookLimits, answerLate);
  const allows = hookAllows && new HookAllows(hookAllows, onDiagnostic);
  return Object.assign(transport, {
    open: (given: FrameReceiver): void => {
      receiver = (clock ?? allows) === undefined ? given : watched(given, clock, allows);
      open(receiver);
    },
    send: (frame: JsonObject): boolean => {
      const { request, response } = frame;
      if (isJsonObject(request)) {
        allows?.onRequest(request);
        if (request.subtype === 'initialize') return send({ ...frame, request: { ...request, ...initialize } });
        const changed = later && adaptRequest(request, later);
        if (changed === undefined) return send(frame);
        if ('request' in changed) {
          if (changed.note !== undefined) onDiagnostic(changed.note);
          return send({ ...frame, request: changed.request });
        }
        inMicrotask(() => refuse(frame, changed.refused));
        return true;
      }
      if (!isJsonObject(response)) return send(frame);
      clock?.stop(response.request_id);
      const below = allows?.adapt(response);
      const kept = below ?? response;
      const body = (later && adaptDecision(kept, later)) ?? adaptAnswer?.(kept) ?? below;
      return send(body === undefined ? frame : { ...frame, response: body });
    },
  });

  /** Answers as a release would that does not know the request. */
  function refuse({ request_id }: JsonObject, error: string): void {
    receive({ type: 'control_response', response: { subtype: 'error', request_id, error } });
  }

  /** Answers in place of a hook, and withdraws the request, as newer releases do. */
  function answerLate(requestId: string, response: JsonObject): void {
    if (!transport.isWritable) return;
    send({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } });
    receive({ type: 'control_cancel_request', request_id: requestId });
  }

  function receive(frame: JsonObject): void {
    if (transport.isWritable) receiver?.onFrame(frame, JSON.stringify(frame).length, undefined);
  }
}

function watched(receiver: FrameReceiver, clock: HookClock | undefined, allows: HookAllows | undefined): FrameReceiver {
  const { onDiagnostic } = receiver;
  return {
    onDiagnostic,
    onFrame: (frame, bytes, line) => {
      clock?.onFrame(frame);
      allows?.onFrame(frame);
      receiver.onFrame(frame, bytes, line);
    },
    onEnd: (end) => {
      clock?.stopAll();
      receiver.onEnd(end);
    },
    isWaiting: () => receiver.isWaiting?.() ?? false,
  };
}
