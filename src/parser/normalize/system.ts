import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import type { IssueList } from '../issue.js';
import { FieldReader } from './field-reader.js';
import {
  parseTaskNotification,
  parseTaskProgress,
  parseTaskStarted,
  parseTaskUpdated,
  type TaskMessage,
} from './task.js';

/** A `system` frame without a type of its own here, `init` among them. `data` is the frame. */
export interface GenericSystemMessage {
  readonly kind: 'system';
  readonly subtype: string;
  readonly data: JsonObject;
}

/** A command hook from the settings started or ended. */
export interface HookEventMessage {
  readonly kind: 'hook_event';
  readonly subtype: 'hook_started' | 'hook_response';
  /** The event, such as `PreToolUse`; empty when the frame names none. */
  readonly hookEventName: string;
  readonly sessionId: string | undefined;
  readonly uuid: string | undefined;
  readonly data: JsonObject;
}

/** A session store did not take a batch of the transcript. */
export interface MirrorErrorMessage {
  readonly kind: 'mirror_error';
  readonly subtype: 'mirror_error';
  readonly key: JsonObject | undefined;
  readonly error: string;
  readonly data: JsonObject;
}

/** Every `system` frame: each has its `subtype`, and the frame itself in `data` (PY-247). */
export type SystemMessage =
  | GenericSystemMessage
  | HookEventMessage
  | MirrorErrorMessage
  | TaskMessage;

export function parseSystem(frame: JsonObject, issues: IssueList): SystemMessage {
  const subtype = new FieldReader(frame, 'system message', issues).string('subtype');
  switch (subtype) {
    case 'task_started':
      return parseTaskStarted(frame, issues);
    case 'task_progress':
      return parseTaskProgress(frame, issues);
    case 'task_notification':
      return parseTaskNotification(frame, issues);
    case 'task_updated':
      return parseTaskUpdated(frame);
    case 'hook_started':
    case 'hook_response':
      return {
        kind: 'hook_event',
        subtype,
        hookEventName:
          stringField(frame, 'hook_event') ||
          stringField(frame, 'hook_name') ||
          stringField(frame, 'hook_event_name') ||
          '',
        sessionId: stringField(frame, 'session_id'),
        uuid: stringField(frame, 'uuid'),
        data: frame,
      };
    case 'mirror_error':
      return {
        kind: 'mirror_error',
        subtype,
        key: isJsonObject(frame.key) ? frame.key : undefined,
        error: stringField(frame, 'error') ?? '',
        data: frame,
      };
    default:
      return { kind: 'system', subtype, data: frame };
  }
}
