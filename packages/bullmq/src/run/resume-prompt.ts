import type { UnknownCall } from '../redis/job-state.js';

const GO_ON =
  'Your work on my last request was interrupted before it was finished. Go on from where this conversation ends. ' +
  'Do not repeat what is already done.';

/** What a run is asked: the job's prompt, unless the session has it already. Then the model is told to go on. */
export function promptFor(params: {
  readonly prompt: string;
  readonly isKnown: boolean;
  readonly unknownCalls: readonly UnknownCall[];
  readonly neverStarted: readonly UnknownCall[];
  readonly note: string | undefined;
}): string {
  const { prompt, isKnown, unknownCalls, neverStarted, note } = params;
  const parts = [
    ...[isKnown ? GO_ON : prompt, unknownText(unknownCalls), note === undefined ? '' : `About these calls: ${note}`],
    notStartedText(neverStarted),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function unknownText(calls: readonly UnknownCall[]): string {
  if (calls.length === 0) return '';
  return (
    `The result of these tool calls is unknown, since they were cut while they ran: ${callsText(calls)}. ` +
    'Nobody rejected them, whatever their result says. Each of them may have taken effect, wholly, in part or not at all. ' +
    'Find out which before you repeat one.'
  );
}

function notStartedText(calls: readonly UnknownCall[]): string {
  if (calls.length === 0) return '';
  return `These tool calls did not start, and nobody rejected them: ${callsText(calls)}. Make them if they are still needed.`;
}

const MAX_SHOWN = 20;

/** `Bash (toolu_1), Write (toolu_2)`. Names and ids come from a transcript, so they are cut and have no line ends. */
export function callsText(calls: readonly UnknownCall[]): string {
  const shown = calls.slice(0, MAX_SHOWN).map(({ id, name }) => `${word(name)} (${word(id)})`);
  const more = calls.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${more} more` : '');
}

function word(text: string): string {
  return text.replace(/[^\w.:/-]+/g, '_').slice(0, 80);
}
