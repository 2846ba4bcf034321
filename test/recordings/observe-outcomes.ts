import { isResultMessage } from '../../src/parser/guards.js';
import { type OutcomeKind, outcomeOf } from '../../src/parser/outcome.js';
import { SessionRecord } from '../../src/query/session-record.js';
import { messagesOf, processesOf, type RecordedProcess } from './load.js';

/** How the turns of one process ended, and how the process did. */
export interface ObservedOutcomes {
  /** One per result, from the messages up to it. */
  readonly turns: readonly OutcomeKind[];
  /** From all messages and the exit. */
  readonly end: OutcomeKind;
}

export function observeOutcomes(name: string): ObservedOutcomes[] {
  return processesOf(name).map(observe);
}

function observe(process: RecordedProcess): ObservedOutcomes {
  const messages = messagesOf(process);
  const memory = new SessionRecord();
  for (const frame of process.frames) memory.note(frame);
  const turns = messages.flatMap((message, index) =>
    isResultMessage(message) ? [outcomeOf(messages.slice(0, index + 1)).kind] : [],
  );
  return { turns, end: outcomeOf(messages, memory.toError({ exit: process.exit })).kind };
}
