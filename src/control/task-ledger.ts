import { isJsonObject, type JsonObject, omitUndefined, stringField } from '../util/json.js';

interface LiveTask {
  /** Such as `local_bash`. A task that was moved to the background has none until the next list. */
  readonly type?: string;
  readonly description?: string;
}

/**
 * What a task frame changed. `finished`: a background task ended by itself, and a turn about it follows
 * (`bash-background`, `subagent`). `stopped`: one was killed, and none follows (`stop-task`, `subagent-interrupt`).
 */
export type TaskChange = 'none' | 'started' | 'finished' | 'stopped';

const FINISHED: ReadonlySet<unknown> = new Set(['completed', 'failed']);
const STOPPED: ReadonlySet<unknown> = new Set(['stopped', 'killed', 'cancelled']);

/** Tasks that work towards an end. Others, such as shells and monitors, may run for ever. */
const WORKER_TYPES: ReadonlySet<unknown> = new Set(['local_agent', 'local_workflow', 'remote_agent']);

/** Tasks of these types run in the background even if a CLI does not say so. */
const BACKGROUND_TYPES: ReadonlySet<unknown> = new Set(['local_agent', 'local_workflow']);

/**
 * The background tasks of the CLI, from its `system` frames. Foreground tasks do not count: their turn waits for them.
 * Neither do ambient ones (watchers), which may never end.
 */
export class TaskLedger {
  readonly #live = new Map<string, LiveTask>();

  get liveCount(): number {
    return this.#live.size;
  }

  get liveIds(): Iterable<string> {
    return this.#live.keys();
  }

  /** True while an agent or a workflow lives. */
  get isAtWork(): boolean {
    return [...this.#live.values()].some(({ type }) => WORKER_TYPES.has(type));
  }

  /** The live tasks for a person: `; still running: local_bash "Serve" (bwdczu7m3)`. Empty when none lives. */
  get stillRunning(): string {
    const tasks = [...this.#live].map(
      ([id, { type = 'task', description }]) =>
        `${type}${description === undefined ? '' : ` ${JSON.stringify(description)}`} (${id})`,
    );
    return tasks.length === 0 ? '' : `; still running: ${tasks.join(', ')}`;
  }

  /** Takes one `system` frame in. Frames that are not about tasks change nothing. */
  apply(subtype: unknown, frame: JsonObject): TaskChange {
    switch (subtype) {
      case 'task_started':
        return isBackground(frame) ? this.#start(frame) : 'none';
      case 'task_updated':
        return this.#update(frame);
      case 'task_notification':
        return this.#end(frame, STOPPED.has(frame.status) ? 'stopped' : 'finished');
      case 'background_tasks_changed':
        return this.#replace(frame.tasks);
      default:
        return 'none';
    }
  }

  #start(frame: JsonObject): TaskChange {
    const taskId = stringField(frame, 'task_id');
    if (taskId === undefined || this.#live.has(taskId)) return 'none';
    this.#live.set(taskId, liveTask(frame));
    return 'started';
  }

  #update(frame: JsonObject): TaskChange {
    const patch = frame.patch;
    if (!isJsonObject(patch)) return 'none';
    if (FINISHED.has(patch.status)) return this.#end(frame, 'finished');
    if (STOPPED.has(patch.status)) return this.#end(frame, 'stopped');
    return patch.is_backgrounded === true ? this.#start(frame) : 'none';
  }

  #end(frame: JsonObject, change: 'finished' | 'stopped'): TaskChange {
    const taskId = stringField(frame, 'task_id');
    return taskId !== undefined && this.#live.delete(taskId) ? change : 'none';
  }

  /** The whole list, which repairs whatever single frames were missed. */
  #replace(tasks: unknown): TaskChange {
    if (!Array.isArray(tasks)) return 'none';
    const before = new Map(this.#live);
    this.#live.clear();
    for (const task of tasks) {
      if (!isJsonObject(task) || isAmbient(task)) continue;
      const taskId = stringField(task, 'task_id');
      if (taskId !== undefined) this.#live.set(taskId, { ...before.get(taskId), ...liveTask(task) });
    }
    // How a task that is gone ended was not said: a turn about it may follow.
    if ([...before.keys()].some((taskId) => !this.#live.has(taskId))) return 'finished';
    return this.#live.size > before.size ? 'started' : 'none';
  }
}

function liveTask(task: JsonObject): LiveTask {
  return omitUndefined({ type: stringField(task, 'task_type'), description: stringField(task, 'description') });
}

function isBackground(frame: JsonObject): boolean {
  if (isAmbient(frame)) return false;
  const isBackgrounded = frame.is_backgrounded;
  return isBackgrounded === undefined ? BACKGROUND_TYPES.has(frame.task_type) : isBackgrounded === true;
}

function isAmbient(task: JsonObject): boolean {
  return task.ambient === true || task.skip_transcript === true;
}
