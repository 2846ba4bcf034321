import type { DiagnosticListener } from '../../diagnostics.js';
import type { FrameReceiver, FrameTransport } from '../../transport/transport.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { inMicrotask } from '../../util/next-turn.js';
import type { Adapted } from './gate.js';
import { hookAnswerAdapter } from './hook-answers.js';
import { adaptDecision, adaptRequest } from './later-changes.js';

/** The transport, with the frames changed that its release of the CLI does not honour as they are. */
export function adaptFrames(
  transport: FrameTransport,
  adapted: Adapted,
  onDiagnostic: DiagnosticListener,
): FrameTransport {
  const { initialize, hookAnswers, later } = adapted;
  const isPlain = (hookAnswers ?? later) === undefined && Object.keys(initialize).length === 0;
  return isPlain ? transport : withChanges(transport, adapted, onDiagnostic);
}

// The transport itself is changed: a wrapper would have to pass on the ten other methods.
function withChanges(
  transport: FrameTransport,
  { initialize, hookAnswers, later }: Adapted,
  onDiagnostic: DiagnosticListener,
): FrameTransport {
  const adaptAnswer = hookAnswers === undefined ? undefined : hookAnswerAdapter(hookAnswers, onDiagnostic);
  const [send, open] = [transport.send.bind(transport), transport.open.bind(transport)];
  let receiver: FrameReceiver | undefined;
  return Object.assign(transport, {
    open: (given: FrameReceiver): void => {
      receiver = given;
      open(given);
    },
    send: (frame: JsonObject): boolean => {
      const { request, response } = frame;
      if (isJsonObject(request)) {
        if (request.subtype === 'initialize') return send({ ...frame, request: { ...request, ...initialize } });
        const changed = later && adaptRequest(request, later);
        if (changed === undefined) return send(frame);
        if ('request' in changed) return send({ ...frame, request: changed.request });
        inMicrotask(() => refuse(frame, changed.refused));
        return true;
      }
      if (!isJsonObject(response)) return send(frame);
      const body = (later && adaptDecision(response, later)) ?? adaptAnswer?.(response);
      return send(body === undefined ? frame : { ...frame, response: body });
    },
  });

  /** Answers as a release would that does not know the request. */
  function refuse({ request_id }: JsonObject, error: string): void {
    const answer = { type: 'control_response', response: { subtype: 'error', request_id, error } };
    if (transport.isWritable) receiver?.onFrame(answer, JSON.stringify(answer).length, undefined);
  }
}
