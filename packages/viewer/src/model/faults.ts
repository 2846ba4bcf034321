import {
  isAPIRetryMessage,
  isAssistantMessage,
  isHookResponseMessage,
  isPermissionDeniedMessage,
  isResultMessage,
  isTaskNotificationMessage,
  isUserMessage,
  parseMessage,
  toolCallOutcomes,
} from 'claudewire';
import { isKnownType, toolResultsIn } from './frame-kind.js';
import { isJsonObject, type JsonObject, listOf, objectAt, shorten, textAt } from './json.js';
import type { Direction, FaultKind, Severity } from './view-data.js';

export interface FoundFault {
  readonly kind: FaultKind;
  readonly severity: Severity;
  readonly text: string;
}

const fault = (kind: FaultKind, severity: Severity, text: string): FoundFault => ({
  kind,
  severity,
  text: shorten(text, 240),
});

const TIME_OUT = /\btime[ds]?[ -]?out\b/i;

/** What is wrong with one frame by itself. */
export function faultsOf(dir: Direction, frame: unknown): readonly FoundFault[] {
  if (dir === 'meta') return isJsonObject(frame) ? metaFaults(frame) : [];
  if (dir === 'err')
    return typeof frame === 'string' && TIME_OUT.test(frame) ? [fault('time-out', 'warning', frame)] : [];
  if (!isJsonObject(frame)) {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
    const isJson = typeof frame !== 'string' || /^\s*$/.test(frame);
    return [fault(isJson ? 'no-frame' : 'bad-json', 'error', `this line is no frame: ${text}`)];
  }
  const type = textAt(frame, 'type');
  if (type === undefined) return [fault('no-frame', 'error', 'a frame without `type`')];
  if (!isKnownType(dir, type)) return [fault('unknown-frame', 'warning', `unknown frame type "${type}"`)];
  return dir === 'in' ? [] : outFaults(frame, type);
}

function outFaults(frame: JsonObject, type: string): readonly FoundFault[] {
  const found: FoundFault[] = [];
  if (!type.startsWith('control_')) {
    const parsed = parseMessage(frame);
    if (!parsed.ok) found.push(fault('bad-frame', 'warning', parsed.issues.map(({ message }) => message).join('; ')));
  }
  if (isResultMessage(frame)) found.push(...resultFaults(frame));
  else if (isAssistantMessage(frame)) found.push(...apiFaults(frame));
  else if (isUserMessage(frame)) found.push(...toolFaults(frame));
  else if (isAPIRetryMessage(frame)) found.push(retryFault(frame));
  else if (isPermissionDeniedMessage(frame)) {
    found.push(fault('permission-denied', 'warning', `permission denied: ${textAt(frame, 'tool_name') ?? ''}`));
  } else if (isHookResponseMessage(frame) && frame.outcome !== 'success') {
    found.push(fault('hook-error', 'warning', `hook ${String(frame.hook_name)}: ${String(frame.outcome)}`));
  } else if (isTaskNotificationMessage(frame) && textAt(frame, 'status') === 'failed') {
    found.push(fault('tool-error', 'error', `task failed: ${textAt(frame, 'summary') ?? ''}`));
  }
  return found;
}

function resultFaults(result: JsonObject): readonly FoundFault[] {
  const subtype = String(result.subtype);
  if (result.is_error !== true && subtype === 'success') return [];
  const errors = listOf(result.errors).map(String).join('; ');
  const why = textAt(result, 'terminal_reason') ?? '';
  const text = `the turn failed: ${[subtype === 'success' ? '' : subtype, why, textAt(result, 'result') ?? errors].filter(Boolean).join(': ')}`;
  return [fault(TIME_OUT.test(text) ? 'time-out' : 'result-error', 'error', text)];
}

function apiFaults(message: JsonObject): readonly FoundFault[] {
  const { error } = message;
  if (error === undefined || error === null) return [];
  const block: unknown = listOf(objectAt(message, 'message').content)[0];
  const text = `${String(error)}: ${textAt(block, 'text') ?? ''}`;
  return [fault(TIME_OUT.test(text) ? 'time-out' : 'api-error', 'error', text)];
}

const KIND = '"non_execution_kind"';

function toolFaults(message: JsonObject): readonly FoundFault[] {
  // Without a field, what follows decides: the span says it.
  const isCut = message.toolDenialKind !== undefined || JSON.stringify(message.tool_result_meta ?? []).includes(KIND);
  const outcomes = isCut ? toolCallOutcomes([message]) : [];
  return toolResultsIn(message).flatMap(({ id, block }) => {
    if (Reflect.get(block, 'is_error') !== true) return [];
    const content: unknown = Reflect.get(block, 'content');
    const text = typeof content === 'string' ? content : (textAt(listOf(content)[0], 'text') ?? '');
    if (outcomes.some((each) => each.id === id && each.kind === 'unknown'))
      return [fault('tool-error', 'error', `tool call cut, nobody knows what it did: ${text}`)];
    return [fault(TIME_OUT.test(text) ? 'time-out' : 'tool-error', 'error', `tool failed: ${text}`)];
  });
}

function retryFault(frame: JsonObject): FoundFault {
  const { attempt, max_retries: max, error, error_status: status, retry_delay_ms: delay } = frame;
  const text = `retry ${String(attempt)} of ${String(max)} in ${String(delay)} ms: ${String(error)} ${String(status ?? '')}`;
  return fault('retry', 'warning', text);
}

function metaFaults(event: JsonObject): readonly FoundFault[] {
  const { event: name, code, signal } = event;
  if (name === 'exit' && code !== 0) {
    return [fault('exit', 'error', signal ? `the process died by ${String(signal)}` : `exit code ${String(code)}`)];
  }
  if (name === 'spawn_failed') return [fault('exit', 'error', `not started: ${String(event.message)}`)];
  if (name === 'signal_received' || name === 'signal_sent') return [fault('signal', 'warning', String(signal))];
  if (name === 'line_too_long') return [fault('too-long', 'warning', `a line of ${String(event.bytes)} bytes`)];
  if (name === 'scenario' && event.status === 'failed') {
    return [fault('failed-scenario', 'error', `${String(event.name)}: ${String(event.reason ?? '')}`)];
  }
  if (name === 'scenario' && event.status === 'driver_error') {
    return [fault('failed-scenario', 'error', `${String(event.name)}: driver error: ${String(event.reason ?? '')}`)];
  }
  if (name === 'verdict' && event.passed === false) {
    return [fault('failed-scenario', 'error', textAt(objectAt(event, 'failure'), 'message') ?? 'not passed')];
  }
  if (name === 'problem') return [fault('no-frame', 'warning', String(event.text))];
  return [];
}
