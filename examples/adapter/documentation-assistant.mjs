/**
 * Documentation assistant: answers from the pages of some hosts, and of no others.
 *
 *   node examples/adapter/documentation-assistant.mjs [QUESTION]
 *
 * WebFetch first asks a host of the vendor about the domain, and without an answer it fetches nothing: `skipWebFetchPreflight`
 * leaves that question out. WebFetch obeys no sandbox setting: our hook holds it to the list.
 */
import {
  ClaudeAgentAdapter,
  defineParams,
  MarkdownSection,
  NetworkPolicy,
  Prompt,
  Session,
} from 'claudewire/adapter';
import { check, machine, passEnv, workingFolder } from './machine.mjs';

const HOSTS = ['nodejs.org', 'docs.python.org'];
const Question = defineParams('Question');

const prompt = new Prompt({
  ns: 'stories',
  key: 'documentation',
  sections: [
    new MarkdownSection({
      title: 'Task',
      key: 'task',
      params: Question,
      template: 'Answer from the documentation at $hosts, and say which page says so: $question',
    }),
  ],
}).bind(Question, {
  hosts: HOSTS.join(' and '),
  question: process.argv[2] ?? 'What does the option "recursive" of fs.rm() do?',
});
// The argument is a question here, and no folder.
process.argv.length = 2;

const adapter = new ClaudeAgentAdapter({
  clientConfig: {
    ...machine,
    cwd: workingFolder(),
    isolation: {
      networkPolicy: NetworkPolicy.withDomains(...HOSTS),
      sandbox: { bashAutoAllow: true },
      skipWebFetchPreflight: true,
      passEnv,
    },
  },
});

const session = new Session();
const { text, report } = await adapter.evaluate(prompt, { session });
console.log(text);
for (const { toolName, reason } of report.denials) console.log(`refused: ${toolName}, ${reason}`);

const fetched = session
  .events()
  .filter(({ type, name, success }) => type === 'toolInvoked' && name === 'WebFetch' && success)
  .map(({ params }) => new URL(params.url).hostname);
check(
  `only ${HOSTS} were read, not ${fetched}`,
  fetched.every((host) => HOSTS.includes(host)),
);
check('there is an answer', text !== null);
