/**
 * Secure review: a copy of a project is read in a sandbox without a network, and the findings come back typed.
 *
 *   node examples/adapter/secure-review.mjs [PROJECT]
 *
 * No tool reaches a host; the CLI itself still reaches the API. WebFetch and WebSearch are gone from the tools.
 */
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
  mounts: [
    {
      hostPath: process.argv[2] ?? import.meta.dirname,
      mountPath: 'project',
      excludeGlob: ['**/node_modules/*', '.git/*'],
      maxBytes: 20_000_000,
    },
  ],
});

const prompt = new Prompt({
  ns: 'stories',
  key: 'secure-review',
  sections: [
    new MarkdownSection({
      title: 'Task',
      key: 'task',
      template: 'Review the project for security problems. Change nothing. Name file and line.',
    }),
    workspace,
  ],
  output: {
    type: 'object',
    properties: {
      findings: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            file: { type: 'string' },
            line: { type: 'integer' },
            severity: { enum: ['low', 'medium', 'high'] },
            problem: { type: 'string' },
          },
          required: ['file', 'severity', 'problem'],
        },
      },
    },
    required: ['findings'],
  },
});

const adapter = new ClaudeAgentAdapter({
  clientConfig: {
    ...machine,
    isolation: { networkPolicy: NetworkPolicy.noNetwork(), passEnv },
  },
});

try {
  const { output, isolation, report } = await adapter.evaluate(prompt, { session, diff: true });
  for (const { file, line, severity, problem } of output.findings) {
    console.log(`${severity.padEnd(6)} ${file}${line === undefined ? '' : `:${line}`}  ${problem}`);
  }
  console.log(`${output.findings.length} finding(s)`);
  check('the sandbox was asked for', isolation.requested);
  check('the CLI named our settings as those in force', isolation.settingsConfirmed);
  check('no web tool is offered', !report.tools.offered.some((name) => name.startsWith('Web')));
  check('nothing was changed', report.files?.length === 0);
} finally {
  await workspace.cleanup();
}
