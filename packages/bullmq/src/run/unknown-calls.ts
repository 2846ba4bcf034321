import { type Answer, parseAnswer } from '../queue/answer-data.js';
import type { UnknownCall } from '../redis/job-state.js';
import { fail, uncount } from './endings.js';
import type { JobContext } from './job-context.js';
import type { FullProfile } from './profile.js';
import { callsText } from './resume-prompt.js';

/** What somebody said about unknown calls. @throws while nobody has. */
export async function answerOf(context: JobContext, profile: FullProfile): Promise<Answer | undefined> {
  const { state, moves } = context;
  const asked = state.get('ask');
  if (asked === undefined) return undefined;
  const { until, calls } = questionOf(asked);
  const answer = parseAnswer(state.get('answer'));
  if (answer === undefined) {
    if (Date.now() < until) throw await moves.toDelayed(until);
    await failUnknown(context, calls, ` Nobody answered within ${profile.limits.askMs} ms.`);
  }
  if (answer?.behavior === 'stop') await failUnknown(context, calls, ' Somebody decided to stop.');
  return answer;
}

/** Goes on, asks or fails, as the profile says. @throws unless the job goes on. */
export async function judgeUnknown(
  context: JobContext,
  calls: readonly UnknownCall[],
  profile: FullProfile,
  answer: Answer | undefined,
  attempt: number,
): Promise<void> {
  if (calls.length === 0) return;
  const { state, moves } = context;
  const asked = state.get('ask');
  const wereAsked = new Set(asked === undefined ? [] : questionOf(asked).calls.map(({ id }) => id));
  const isAnswered = answer !== undefined && calls.every(({ id }) => wereAsked.has(id));
  if (profile.onUnknownToolCall === 'retry' || isAnswered) return await state.settleCalls(calls);
  if (profile.onUnknownToolCall === 'stop') await failUnknown(context, calls, '');
  const until = Date.now() + profile.limits.askMs;
  // Nothing was run: the wait does not count.
  await uncount(context, { ask: JSON.stringify({ until, calls }), answer: '' });
  await context.progressOf(attempt).end({ state: 'waiting_for_answer', until, unknownCalls: calls.slice(0, 20) });
  throw await moves.toDelayed(until);
}

/** As it came out of Redis. One that cannot be read is over, and the job fails as if nobody had answered. */
function questionOf(stored: string): { readonly until: number; readonly calls: readonly UnknownCall[] } {
  try {
    const { until, calls } = JSON.parse(stored);
    const isWhole = typeof until === 'number' && Array.isArray(calls);
    if (isWhole && calls.every((call) => typeof call?.id === 'string' && typeof call.name === 'string')) {
      return { until, calls };
    }
  } catch {
    // Something else has written there.
  }
  return { until: 0, calls: [] };
}

async function failUnknown(context: JobContext, calls: readonly UnknownCall[], more: string): Promise<never> {
  return await fail(
    context,
    'outcome_unknown',
    `${callsText(calls) || 'A tool call'} was cut in the middle and may have taken effect. Look before you ask for it again.${more}`,
  );
}
