import { isJsonObject, type JsonObject, stringField } from '../util/json.js';

/**
 * What a task frame changed. `finished`: a background task ended by itself, and a turn about it follows
 * (`bash-background`, `subagent`). `stopped`: one was killed, and none follows (`stop-task`, `subagent-interrupt`).
 */
export type TaskChange = 'none' | 'started' | 'finished' | 'stopped';

const FINISHED: ReadonlySet<unknown> = new Set(['completed', 'failed']);
const STOPPED: ReadonlySet<unknown> = new Set(['stopped', 'killed', 'cancelled']);

/** Tasks of these types run in the background even if a CLI does not say so. */
const BACKGROUND_TYPES: ReadonlySet<unknown> = new Set(['local_agent', 'local_workflow']);

/**
 * The background tasks of the CLI, from its `system` frames. Foreground tasks do not count: their turn waits for them.
 * Neither do ambient ones (watchers), which may never end.
 */
export class TaskLedger {
  readonly #live = new Set<string>();

  get liveCount(): number {
    return this.#live.size;
  }

  get liveIds(): Iterable<string> {
    return this.#live;
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
    this.#live.add(taskId);
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
    const before = [...this.#live];
    this.#live.clear();
    for (const task of tasks) {
      if (!isJsonObject(task) || isAmbient(task)) continue;
      const taskId = stringField(task, 'task_id');
      if (taskId !== undefined) this.#live.add(taskId);
    }
    // How a task that is gone ended was not said: a turn about it may follow.
    if (before.some((taskId) => !this.#live.has(taskId))) return 'finished';
    return this.#live.size > before.length ? 'started' : 'none';
  }
}

function isBackground(frame: JsonObject): boolean {
  if (isAmbient(frame)) return false;
  const isBackgrounded = frame.is_backgrounded;
  return isBackgrounded === undefined ? BACKGROUND_TYPES.has(frame.task_type) : isBackgrounded === true;
}

function isAmbient(task: JsonObject): boolean {
  return task.ambient === true || task.skip_transcript === true;
}
