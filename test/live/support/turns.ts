import type { BlocksTurn } from '../../../src/testing/messages-api/turn.js';

/** The model calls Bash once. */
export function bash(command: string, description = 'Run a command'): BlocksTurn {
  return { blocks: [{ type: 'tool_use', name: 'Bash', input: { command, description } }] };
}

/** The call of the `can-use-tool-*` recordings: it changes the folder, so that it is asked about. */
export const TOUCH: BlocksTurn = bash('touch made.txt', 'Make a file');

/** The model calls one tool. */
export function call(name: string, input: Readonly<Record<string, unknown>> = {}): BlocksTurn {
  return { blocks: [{ type: 'tool_use', name, input: { ...input } }] };
}
