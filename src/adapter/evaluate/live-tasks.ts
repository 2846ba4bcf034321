import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';

const ENDED: ReadonlySet<unknown> = new Set([
  ...['completed', 'failed', 'stopped', 'killed', 'cancelled'],
]);

/** Tasks that the CLI said it started and not that they ended: agents and commands, in the background or not. */
export class LiveTasks {
  readonly #ids = new Set<string>();

  get ids(): readonly string[] {
    return [...this.#ids];
  }

  onMessage(message: JsonObject): void {
    if (message.type !== 'system') return;
    const { subtype, patch, tasks } = message;
    if (subtype === 'task_started') this.#add(message);
    else if (subtype === 'task_notification') this.#remove(message);
    else if (subtype === 'task_updated' && isJsonObject(patch) && ENDED.has(patch.status)) {
      this.#remove(message);
    } else if (subtype === 'background_tasks_changed' && Array.isArray(tasks)) {
      for (const task of tasks) if (isJsonObject(task)) this.#add(task);
    }
  }

  #add(task: JsonObject): void {
    const id = stringField(task, 'task_id');
    if (id !== undefined) this.#ids.add(id);
  }

  #remove(task: JsonObject): void {
    this.#ids.delete(stringField(task, 'task_id') ?? '');
  }
}
