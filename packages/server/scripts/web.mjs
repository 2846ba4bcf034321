/** The web page on a scripted CLI: no Claude Code, no key, no network. Started by `npm run example -- web`. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemorySessionStore } from 'claudewire';
import { scriptedCli } from 'claudewire/testing';
import { createHandler, createSessionHost, InMemoryConversationStore, serve } from '../dist/index.js';

const OPTIONS = [
  { label: 'Patch', description: 'only fixes' },
  { label: 'Minor', description: 'new features' },
];

/** Every process plays this: a tool that needs permission, then a question, in turns. */
const story = ({ prompt, init, partialText, assistantText, toolUse, permission, toolResult, result, pause }) => {
  const say = (text) => {
    const pieces = text.match(/\S+\s*/g) ?? [text];
    const [start, open, ...rest] = partialText(pieces);
    return [start, open, ...rest.flatMap((frame) => [pause(30), frame]), assistantText(text)];
  };
  const tests = [
    ...[prompt(), init(), ...say('I will run the tests first, to see where we stand.')],
    toolUse('Bash', { command: 'npm test' }),
    permission(),
    toolResult('This is a scripted stand-in: nothing was run, whatever you answered.'),
    ...say(
      'That was the whole way of a tool: asked, answered, and back to the model. Write again, and I will ask you.',
    ),
    result(undefined, { total_cost_usd: 0.0123 }),
  ];
  const question = [
    ...[prompt(), init(), ...say('One thing is yours to decide.')],
    toolUse('AskUserQuestion', {
      questions: [{ question: 'Which version is next?', header: 'Version', multiSelect: false, options: OPTIONS }],
    }),
    permission(),
    toolResult('Your answer was taken.'),
    ...say('Thank you. Your choice went back to the model as the answer of a tool.'),
    result(undefined, { total_cost_usd: 0.0246 }),
  ];
  return Array.from({ length: 20 }, () => [...tests, ...question]).flat();
};

/** Serves until SIGINT or SIGTERM. */
export async function serveExample() {
  const folder = mkdtempSync(join(tmpdir(), 'cw-web-'));
  const cli = scriptedCli(story, { reuse: true, inProcess: true, stepTimeoutMs: 0, deadlineMs: 0 });
  const host = createSessionHost({
    store: new InMemoryConversationStore(),
    sessionStore: new InMemorySessionStore(),
    optionsFor: () => ({
      ...cli.options,
      cwd: folder,
      includePartialMessages: true,
      env: { CLAUDE_CONFIG_DIR: folder },
    }),
  });
  const server = await serve({ handler: createHandler({ host, page: true, onError: console.error }), port: 0 });
  console.log(`${server.url}/   Ctrl-C ends it`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await host.close();
  await server.close();
  // The story is never told to its end, so there is nothing to judge.
  await cli.close().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
