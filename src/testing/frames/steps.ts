import type { SpawnExpectation } from '../scenario/scenario-types.js';
import type { PromptExpectation, ScriptItem } from '../script/script-types.js';

/** What a script does besides sending messages. */
export interface StepBuilders {
  /**
   * Waits for the next user message.
   *
   * @param expected - Its text, a pattern for it or a test of it; judged when the scripted CLI is closed. @defaultValue any
   */
  prompt(expected?: PromptExpectation): ScriptItem;
  /**
   * What follows is played by the next process the application starts.
   *
   * @param expected - `argv` by flag (`{ '--resume': id }`; `'$absent'`: not given), `env` by name, `cwd`. The process
   *   fails at once when they differ.
   */
  process(expected?: SpawnExpectation): ScriptItem;
  /** Milliseconds. */
  pause(delayMs: number): ScriptItem;
  stderr(text: string): ScriptItem;
  exit(exitCode: number): ScriptItem;
  /** Waits until the application ends the input. */
  endOfInput(): ScriptItem;
}

export function stepBuilders(): StepBuilders {
  return {
    prompt: (expected) => ({ prompt: expected }),
    process: (expected = {}) => ({ spawn: expected }),
    pause: (delayMs) => ({ delayMs }),
    stderr: (text) => ({ stderr: text }),
    exit: (exitCode) => ({ exit: exitCode }),
    endOfInput: () => ({ wait: 'EOF' }),
  };
}
