import type { DiagnosticListener } from '../../diagnostics.js';
import type { FrameReceiver, FrameTransport } from '../../transport/transport.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { inMicrotask } from '../../util/next-turn.js';
import type { Adapted } from './gate.js';
import { hookAnswerAdapter } from './hook-answers.js';

/** The transport, with the frames changed that its release of the CLI does not honour as they are. */
export function adaptFrames(
  transport: FrameTransport,
  adapted: Adapted,
  onDiagnostic: DiagnosticListener,
): FrameTransport {
  const { initialize, hookAnswers, planRefused } = adapted;
  const isPlain = hookAnswers === undefined && planRefused === undefined && Object.keys(initialize).length === 0;
  return isPlain ? transport : withChanges(transport, adapted, onDiagnostic);
}

// The transport itself is changed: a wrapper would have to pass on the ten other methods.
function withChanges(
  transport: FrameTransport,
  { initialize, hookAnswers, planRefused }: Adapted,
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
        if (planRefused === undefined || request.subtype !== 'set_permission_mode' || request.mode !== 'plan')
          return send(frame);
        inMicrotask(() => refuse(frame, planRefused));
        return true;
      }
      const body = isJsonObject(response) ? adaptAnswer?.(response) : undefined;
      return send(body === undefined ? frame : { ...frame, response: body });
    },
  });

  /** Answers as a release would that does not know the request. */
  function refuse({ request_id }: JsonObject, error: string): void {
    const answer = { type: 'control_response', response: { subtype: 'error', request_id, error } };
    if (transport.isWritable) receiver?.onFrame(answer, JSON.stringify(answer).length, undefined);
  }
}
