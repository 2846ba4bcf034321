/** Further questions of `port-checks.mjs`: ends, cancellations and calls at odd moments. */
import { ECHO, hooksOf } from './port-checks-parts.mjs';

const prompt = 'Go.';

/** @type {import('./port-checks.mjs').Checks} */
export const MOMENTS = {
  'close-at-start': {
    about: 'A session is closed as soon as it is started.',
    turns: [],
    play: async (at) => {
      await at.start({ mode: 'query', stream: true });
      await at.close();
      await at.pause(3000);
      at.tellLeft();
    },
  },
  'cancel-is-shown': {
    about: 'A turn is interrupted while a PreToolUse hook is open: the CLI cancels its request.',
    turns: [ECHO, 'Done.'],
    play: async (at) => {
      const callbacks = { hook: { waitFor: 'never', returns: [{}] } };
      await at.start({ mode: 'client', options: hooksOf('PreToolUse'), callbacks });
      await at.send(prompt);
      await at.called('hook', 10_000);
      await at.call('interrupt');
      await at.results(1, 8000);
      at.tellMessages();
    },
  },
  'question-while-nobody-reads': {
    about:
      'The user stops reading messages; behind 2,000 pieces of a text the model calls a tool that needs a permission.',
    turns: [
      {
        blocks: [
          { type: 'text', text: 'x'.repeat(8000) },
          { type: 'tool_use', name: 'Bash', input: { command: 'touch made.txt', description: 'Make a file' } },
        ],
        chunkSize: 4,
      },
      'Done.',
    ],
    play: async (at) => {
      await at.start({
        ...{ mode: 'query', stream: true, callbacks: { ask: { returns: [{ behavior: 'allow' }] } } },
        options: { canUseTool: { $callback: 'ask' }, includePartialMessages: true },
      });
      await at.command('pause');
      await at.send(prompt);
      await at.called('ask', 10_000);
      at.tellCalls('ask');
      await at.command('resume');
      await at.results(1, 10_000);
      at.tellCalls('ask');
    },
  },
  'same-hook-twice': {
    about: 'One function is registered for PreToolUse and for PostToolUse; the model calls Bash.',
    turns: [ECHO, 'Done.'],
    play: async (at) => {
      const options = hooksOf('PreToolUse', 'PostToolUse');
      await at.start({ mode: 'query', prompt, options, callbacks: { hook: { returns: [{}] } } });
      await at.over();
      at.tellCalls('hook');
    },
  },
};
