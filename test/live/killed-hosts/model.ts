import type { BlocksTurn } from '../../../src/testing/messages-api/turn.js';

const ASKED = /Do (pay|bash|build|wake) (\d+)\./g;

/** What a turn is asked. */
export const promptOf = (kind: string, turn: number): string => `Do ${kind} ${turn}.`;
/** What the conversation is to send itself. */
export const reminderOf = (turn: number): string => `Remember ${turn}.`;

/** What the model says: one call for each thing that the user asks, and a word to everything else. */
export function turnOf(body: unknown): BlocksTurn | string {
  const { messages = [] } = Object(body) as { messages?: readonly { role?: string }[] };
  // What was said since the model spoke. A message that follows a call that was cut brings its result along.
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const last = JSON.stringify(since).split('"tool_result"').at(-1) ?? '';
  const [, kind, number] = [...last.matchAll(ASKED)].at(-1) ?? [];
  const turn = Number(number);
  if (kind === undefined) return 'Done.';
  const command = (seconds: number) => `echo start ${turn} >> ledger; sleep ${seconds}; echo end ${turn} >> ledger`;
  if (kind === 'pay') return call('mcp__bank__pay', { turn });
  if (kind === 'bash') return call('Bash', { command: command(0.4), description: 'Works' });
  if (kind === 'build')
    return call('Bash', { command: command(1), description: `Builds ${turn}`, run_in_background: true });
  return call('ScheduleWakeup', { delaySeconds: 60, reason: 'x', prompt: reminderOf(turn) });
}

function call(name: string, input: Record<string, unknown>): BlocksTurn {
  return { blocks: [{ type: 'tool_use', name, input }] };
}
