/**
 * Offline: no tool reaches anything, and the model works on what it is given.
 *
 *   node examples/adapter/offline.mjs [FILE]
 *
 * The API endpoint is still needed: offline are the tools, not the CLI.
 */
import { fileURLToPath } from 'node:url';
import {
  ClaudeAgentAdapter,
  ClaudeAgentWorkspaceSection,
  MarkdownSection,
  NetworkPolicy,
  Prompt,
  Session,
} from 'claudewire/adapter';
import { check, machine, passEnv } from './machine.mjs';

const session = new Session();
const workspace = await ClaudeAgentWorkspaceSection.create({
  session,
  mounts: [{ hostPath: process.argv[2] ?? fileURLToPath(import.meta.url), mountPath: 'text' }],
});
const prompt = new Prompt({
  ns: 'stories',
  key: 'offline',
  sections: [
    new MarkdownSection({
      title: 'Task',
      key: 'task',
      template: 'Sum up the file `text` in one sentence.',
    }),
    workspace,
  ],
});
const adapter = new ClaudeAgentAdapter({
  clientConfig: { ...machine, isolation: { networkPolicy: NetworkPolicy.noNetwork(), passEnv } },
});

try {
  const { text, report } = await adapter.evaluate(prompt, { session });
  console.log(text);
  check('there is a sentence', text !== null);
  const { network } = report.effectiveSettings.sandbox;
  check('no host is listed, and none may be asked for', network.strictAllowlist);
  check('the list is empty', network.allowedDomains.length === 0);
} finally {
  await workspace.cleanup();
}
