import { isJsonObject } from './json.js';

/**
 * Recognises the turns that the CLI begins by itself: about a background task (`bash-background`), or at a wake-up that
 * the model scheduled with `ScheduleWakeup` or `CronCreate`. They answer no user message.
 */
export class UnaskedTurns {
  /** A wake-up began the turn that runs. Its result does not say so. */
  #isWakeUp = false;

  /** Call with every `command_lifecycle` and `result`. @returns true for the result of an unasked turn. */
  note(message: unknown): boolean {
    if (!isJsonObject(message)) return false;
    if (message.type === 'command_lifecycle' && typeof message.wakeup_source === 'string') {
      this.#isWakeUp = message.state === 'started';
    }
    if (message.type !== 'result') return false;
    const { origin } = message;
    const isUnasked = this.#isWakeUp || (isJsonObject(origin) && origin.kind === 'task-notification');
    this.#isWakeUp = false;
    return isUnasked;
  }
}
