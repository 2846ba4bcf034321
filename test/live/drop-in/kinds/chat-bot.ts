/** A chat bot that keeps one session a channel, and stops a turn that the user takes back. */
import { AbortError, query } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

const sessions = new Map<string, string>();

async function answer(channel: string, prompt: string): Promise<string | undefined> {
  const resume = sessions.get(channel);
  let text: string | undefined;
  for await (const message of query({
    prompt,
    options: { ...(resume === undefined ? {} : { resume }), maxTurns: 3 },
  })) {
    if (message.type === 'system' && message.subtype === 'init') sessions.set(channel, message.session_id);
    if (message.type === 'result' && message.subtype === 'success') text = message.result;
  }
  return text;
}

say('answer', await answer('one', 'I am Ada.'));
say('answer', await answer('two', 'I am Bob.'));
const first = sessions.get('one');
say('answer', await answer('one', 'Who am I?'));
say('same session', sessions.get('one') === first);

const abortController = new AbortController();
const run = query({ prompt: 'Tell a long story.', options: { abortController, includePartialMessages: true } });
try {
  for await (const message of run) if (message.type === 'stream_event') abortController.abort();
} catch (error) {
  const message = error instanceof Error ? error.message : '';
  say('stopped', [error instanceof AbortError, /Operation aborted|aborted by user/.test(message)]);
}
const late = await run.interrupt().then(
  () => 'resolved',
  (error: Error) => /abort|closed/i.test(error.message),
);
say('late', late);
