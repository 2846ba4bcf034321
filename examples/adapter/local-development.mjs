/**
 * Local development: the model works in a folder of yours, with your tools and your network.
 *
 *   node examples/adapter/local-development.mjs [FOLDER]
 *
 * Only your configuration is protected: the run has a home of its own. There is no sandbox. Without `outsideWorkspacePaths: 'allow'`
 * the file tools and many shell commands would stay in the workspace.
 */
import {
  ClaudeAgentAdapter,
  MarkdownSection,
  ModifiedFiles,
  NetworkPolicy,
  Prompt,
  Session,
} from 'claudewire/adapter';
import { check, machine, passEnv, workingFolder } from './machine.mjs';

const prompt = new Prompt({
  ns: 'stories',
  key: 'local-development',
  sections: [
    new MarkdownSection({
      title: 'Task',
      key: 'task',
      template: 'Write NOTES.md: one line on what this folder holds.',
    }),
  ],
});

const adapter = new ClaudeAgentAdapter({
  clientConfig: {
    ...machine,
    cwd: workingFolder(),
    outsideWorkspacePaths: 'allow',
    isolation: {
      networkPolicy: NetworkPolicy.withDomains('*'),
      sandbox: { enabled: false },
      includeHostEnv: true,
      // Besides what `includeHostEnv` copies, which leaves out names such as ANTHROPIC_*.
      passEnv,
    },
  },
});

const session = new Session();
const { text, isolation } = await adapter.evaluate(prompt, { session });
const files = session.query(ModifiedFiles).latest()?.files ?? [];
console.log(text);
for (const { path, tools } of files) console.log(`changed: ${path} (${tools.join(', ')})`);

check('no sandbox was asked for', !isolation.requested);
check(
  'NOTES.md was written',
  files.some(({ path }) => path.endsWith('NOTES.md')),
);
