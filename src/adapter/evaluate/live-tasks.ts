import type { SDKMessage } from '../../index.js';
import {
  isTaskNotificationMessage,
  isTaskStartedMessage,
  isTaskUpdatedMessage,
} from '../../parser/guards.js';
import { fieldsOf, isSystemMessage } from '../../parser/read-message.js';
import { isJsonObject } from '../../util/json.js';

const ENDED: ReadonlySet<unknown> = new Set([
  ...['completed', 'failed', 'stopped', 'killed', 'cancelled'],
]);

/** Tasks that the CLI said it started and not that they ended: agents and commands, in the background or not. */
export class LiveTasks {
  readonly #ids = new Set<string>();

  get ids(): readonly string[] {
    return [...this.#ids];
  }

  onMessage(message: SDKMessage): void {
    if (isTaskStartedMessage(message)) this.#add(fieldsOf(message).task_id);
    else if (isTaskNotificationMessage(message)) this.#remove(fieldsOf(message).task_id);
    else if (isTaskUpdatedMessage(message)) {
      const { task_id: id, patch } = fieldsOf(message);
      if (isJsonObject(patch) && ENDED.has(patch.status)) this.#remove(id);
    } else if (isSystemMessage(message, 'background_tasks_changed')) {
      const { tasks } = fieldsOf(message);
      for (const task of Array.isArray(tasks) ? tasks : []) {
        if (isJsonObject(task)) this.#add(task.task_id);
      }
    }
  }

  #add(id: unknown): void {
    if (typeof id === 'string') this.#ids.add(id);
  }

  #remove(id: unknown): void {
    if (typeof id === 'string') this.#ids.delete(id);
  }
}
