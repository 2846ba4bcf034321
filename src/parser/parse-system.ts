import { isJsonObject, type JsonObject, stringField } from '../util/json.js';
import { FieldReader, type IssueList } from './field-reader.js';

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
export type SystemMessage = GenericSystemMessage | HookEventMessage | MirrorErrorMessage | TaskMessage;

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

export interface TaskStartedMessage {
  readonly kind: 'task_started';
  readonly subtype: 'task_started';
  readonly taskId: string;
  readonly description: string;
  readonly uuid: string;
  readonly sessionId: string;
  readonly toolUseId: string | undefined;
  readonly taskType: string | undefined;
  readonly data: JsonObject;
}

export interface TaskProgressMessage {
  readonly kind: 'task_progress';
  readonly subtype: 'task_progress';
  readonly taskId: string;
  readonly description: string;
  readonly usage: JsonObject;
  readonly uuid: string;
  readonly sessionId: string;
  readonly toolUseId: string | undefined;
  readonly lastToolName: string | undefined;
  readonly data: JsonObject;
}

export interface TaskNotificationMessage {
  readonly kind: 'task_notification';
  readonly subtype: 'task_notification';
  readonly taskId: string;
  /** `completed`, `failed` or `stopped`, as far as is known. */
  readonly status: string;
  readonly outputFile: string;
  readonly summary: string;
  readonly uuid: string;
  readonly sessionId: string;
  readonly toolUseId: string | undefined;
  readonly usage: JsonObject | undefined;
  readonly data: JsonObject;
}

/** Parses whatever it holds: a change without an id or a patch is still a change (PY-244). */
export interface TaskUpdatedMessage {
  readonly kind: 'task_updated';
  readonly subtype: 'task_updated';
  /** Empty when the frame names none. */
  readonly taskId: string;
  /** Empty when the frame has none that is an object. */
  readonly patch: JsonObject;
  /** `patch.status`. */
  readonly status: string | undefined;
  readonly uuid: string | undefined;
  readonly sessionId: string | undefined;
  readonly data: JsonObject;
}

export type TaskMessage = TaskStartedMessage | TaskProgressMessage | TaskNotificationMessage | TaskUpdatedMessage;

function parseTaskStarted(frame: JsonObject, issues: IssueList): TaskStartedMessage {
  const fields = new FieldReader(frame, 'system message', issues);
  return {
    kind: 'task_started',
    subtype: 'task_started',
    taskId: fields.string('task_id'),
    description: fields.string('description'),
    uuid: fields.string('uuid'),
    sessionId: fields.string('session_id'),
    toolUseId: fields.optionalString('tool_use_id'),
    taskType: fields.optionalString('task_type'),
    data: frame,
  };
}

function parseTaskProgress(frame: JsonObject, issues: IssueList): TaskProgressMessage {
  const fields = new FieldReader(frame, 'system message', issues);
  return {
    kind: 'task_progress',
    subtype: 'task_progress',
    taskId: fields.string('task_id'),
    description: fields.string('description'),
    usage: fields.object('usage'),
    uuid: fields.string('uuid'),
    sessionId: fields.string('session_id'),
    toolUseId: fields.optionalString('tool_use_id'),
    lastToolName: fields.optionalString('last_tool_name'),
    data: frame,
  };
}

function parseTaskNotification(frame: JsonObject, issues: IssueList): TaskNotificationMessage {
  const fields = new FieldReader(frame, 'system message', issues);
  return {
    kind: 'task_notification',
    subtype: 'task_notification',
    taskId: fields.string('task_id'),
    status: fields.string('status'),
    outputFile: fields.string('output_file'),
    summary: fields.string('summary'),
    uuid: fields.string('uuid'),
    sessionId: fields.string('session_id'),
    toolUseId: fields.optionalString('tool_use_id'),
    usage: fields.optionalObject('usage'),
    data: frame,
  };
}

function parseTaskUpdated(frame: JsonObject): TaskUpdatedMessage {
  const patch = isJsonObject(frame.patch) ? frame.patch : {};
  return {
    kind: 'task_updated',
    subtype: 'task_updated',
    taskId: stringField(frame, 'task_id') ?? '',
    patch,
    status: stringField(patch, 'status'),
    uuid: stringField(frame, 'uuid'),
    sessionId: stringField(frame, 'session_id'),
    data: frame,
  };
}
