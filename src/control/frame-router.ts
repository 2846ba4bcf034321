import type { JsonObject } from '../util/json.js';

/** Where the frames of one session go. */
export interface FrameSinks {
  onResponse(frame: JsonObject): void;
  onRequest(frame: JsonObject): void;
  onCancel(frame: JsonObject): void;
  /** A frame for the consumer, as it came. */
  onMessage(frame: JsonObject, bytes: number, line: string | undefined): void;
  onHiddenFrame(type: string): void;
  /** After {@link onHiddenFrame}: the frame itself, which may carry a `startup_mark`. */
  onKeepAlive(frame: JsonObject): void;
  /** After {@link onHiddenFrame}: what the CLI wrote to a transcript. */
  onTranscriptMirror(frame: JsonObject, bytes: number): void;
  /** After {@link onMessage}: the turn has a result. */
  onResult(): void;
  /** A `system` frame, shown or not. */
  onSystem(subtype: unknown, frame: JsonObject): void;
}

/**
 * Sorts frames by `type`. Hidden from the consumer are control frames, `keep_alive`,
 * `transcript_mirror`, and session states meant for the host only (TS-169, TS-169a). Everything
 * else is shown, also what nobody knows (TS-168).
 */
export function routeFrame(
  frame: JsonObject,
  bytes: number,
  line: string | undefined,
  sinks: FrameSinks,
): void {
  const type = frame.type;
  switch (type) {
    // First what comes by the thousand.
    case 'stream_event':
    case 'assistant':
    case 'user':
      sinks.onMessage(frame, bytes, line);
      return;
    case 'system':
      if (isHostOnlyState(frame)) sinks.onHiddenFrame(type);
      else sinks.onMessage(frame, bytes, line);
      sinks.onSystem(frame.subtype, frame);
      return;
    case 'result':
      sinks.onMessage(frame, bytes, line);
      sinks.onResult();
      return;
    case 'control_response':
      sinks.onHiddenFrame(type);
      sinks.onResponse(frame);
      return;
    case 'control_request':
      sinks.onHiddenFrame(type);
      sinks.onRequest(frame);
      return;
    case 'control_cancel_request':
      sinks.onHiddenFrame(type);
      sinks.onCancel(frame);
      return;
    case 'keep_alive':
      sinks.onHiddenFrame(type);
      sinks.onKeepAlive(frame);
      return;
    case 'transcript_mirror':
      sinks.onHiddenFrame(type);
      sinks.onTranscriptMirror(frame, bytes);
      return;
    default:
      sinks.onMessage(frame, bytes, line);
  }
}

function isHostOnlyState(frame: JsonObject): boolean {
  return frame.subtype === 'session_state_changed' && frame.sdk_host_only === true;
}
