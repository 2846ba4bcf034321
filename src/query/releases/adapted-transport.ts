import type { FrameReceiver, FrameTransport } from '../../transport/transport.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Adapted } from './gate.js';

/** The transport, with the frames changed that its release of the CLI does not honour as they are. */
export function adaptFrames(transport: FrameTransport, adapted: Adapted): FrameTransport {
  const { initialize, askDenied, planRefused } = adapted;
  const isPlain = askDenied === undefined && planRefused === undefined && Object.keys(initialize).length === 0;
  return isPlain ? transport : withChanges(transport, adapted);
}

// The transport itself is changed: a wrapper would have to pass on the ten other methods.
function withChanges(transport: FrameTransport, { initialize, askDenied, planRefused }: Adapted): FrameTransport {
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
        queueMicrotask(() => refuse(frame, planRefused));
        return true;
      }
      const body = askDenied !== undefined && isJsonObject(response) ? withoutAsking(response, askDenied) : undefined;
      return send(body === undefined ? frame : { ...frame, response: body });
    },
  });

  /** Answers as a release would that does not know the request. */
  function refuse({ request_id }: JsonObject, error: string): void {
    const answer = { type: 'control_response', response: { subtype: 'error', request_id, error } };
    if (transport.isWritable) receiver?.onFrame(answer, JSON.stringify(answer).length, undefined);
  }
}

/** The body of an answer, with a denial in place of a decision other than yes and no. `undefined`: it has none. */
function withoutAsking(body: JsonObject, reason: string): JsonObject | undefined {
  const output = isJsonObject(body.response) ? body.response.hookSpecificOutput : undefined;
  const decision = isJsonObject(output) ? output.permissionDecision : undefined;
  if (!isJsonObject(output) || (decision !== 'ask' && decision !== 'defer')) return undefined;
  const given = output.permissionDecisionReason;
  const reasons = typeof given === 'string' && given !== '' ? `${given} (${reason})` : reason;
  const denied = { ...output, permissionDecision: 'deny', permissionDecisionReason: reasons };
  return { ...body, response: { ...(body.response as JsonObject), hookSpecificOutput: denied } };
}
