import type { Script, ScriptItem } from '../../../src/testing/index.js';
import { createFrames } from '../../../src/testing/index.js';
import { messagesOf, processesOf } from '../../recordings/load.js';

/** The first turn of a recording, frame by frame, behind a prompt. What the CLI did for API errors it does at its end too. */
export function recordedTurn(recording: string): Script {
  const first = processesOf(recording)[0];
  if (first === undefined) throw new Error(`${recording} has no process`);
  const messages = messagesOf(first);
  const end = messages.findIndex(({ type }) => type === 'result');
  return [createFrames().prompt(), ...(messages.slice(0, end + 1) as ScriptItem[])];
}
