/** Further questions of `port-checks.mjs`: lines that the CLI writes seldom, since the API gave something odd. */

const prompt = 'Go.';
const MIB = 1_048_576;
const nested = (depth) => (depth === 0 ? 'deep' : { in: nested(depth - 1) });
/** Bash refuses a field that it does not know; the call is shown to the host all the same. */
const deepCall = (depth) => {
  const input = { command: 'echo out', description: 'Print a word', more: nested(depth) };
  return { blocks: [{ type: 'tool_use', name: 'Bash', input }] };
};
const messagesOf =
  (options, limitMs = 10_000) =>
  async (at) => {
    await at.start({ mode: 'query', prompt, options });
    await at.over(limitMs);
    at.tellMessages();
  };

/** @type {import('./port-checks.mjs').Checks} */
export const LINES = {
  'half-a-surrogate-pair': {
    about: 'The API gives a text with half of a surrogate pair as an escape; the CLI hands it on.',
    turns: ['before \ud83d after'],
    play: messagesOf({}),
  },
  'input-200-deep': {
    about: 'The model calls Bash with an input that is nested 200 deep.',
    turns: [deepCall(200), 'Done.'],
    play: messagesOf({ allowedTools: ['Bash'] }),
  },
  'input-1000-deep': {
    about: 'The model calls Bash with an input that is nested 1,000 deep.',
    turns: [deepCall(1000), 'Done.'],
    play: messagesOf({ allowedTools: ['Bash'] }),
  },
  'text-of-2-mib': {
    about: 'The model answers with a text of 2 MiB, which the CLI writes as one line.',
    turns: [{ text: 'x'.repeat(2 * MIB), chunkSize: 65_536 }],
    play: messagesOf({}, 60_000),
  },
  'message-with-uuid': {
    about: 'A message has a `uuid`: the CLI then writes `command_lifecycle`.',
    turns: ['Hello.'],
    play: async (at) => {
      await at.start({ mode: 'query', stream: true });
      await at.send(prompt, { uuid: '11111111-2222-4333-8444-555555555555' });
      await at.results(1, 10_000);
      await at.over(2000);
      at.tellMessages();
    },
  },
};
