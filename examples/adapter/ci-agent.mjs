/**
 * CI agent: checks a checkout and leaves its report in a folder, with nothing of the job's environment.
 *
 *   ANTHROPIC_API_KEY=... node examples/adapter/ci-agent.mjs [CHECKOUT]
 *
 * The output folder must exist or be relative: a relative one is made. As root in a container the child needs `IS_SANDBOX`, and the
 * container must allow `bwrap`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  ClaudeAgentAdapter,
  Deadline,
  MarkdownSection,
  NetworkPolicy,
  Prompt,
  Session,
} from 'claudewire/adapter';
import { check, machine, passEnv, workingFolder } from './machine.mjs';

const OUTPUT = 'ci-report';
const cwd = workingFolder();
const prompt = new Prompt({
  ns: 'stories',
  key: 'ci',
  sections: [
    new MarkdownSection({
      title: 'Task',
      key: 'task',
      template: `Look for files that do not belong in a repository. Write what you found to ${OUTPUT}/report.txt.`,
    }),
  ],
  output: {
    type: 'object',
    properties: { passed: { type: 'boolean' }, summary: { type: 'string' } },
    required: ['passed', 'summary'],
  },
});

const adapter = new ClaudeAgentAdapter({
  clientConfig: {
    ...machine,
    cwd,
    maxTurns: 30,
    isolation: {
      networkPolicy: NetworkPolicy.noNetwork(),
      apiKey: process.env.ANTHROPIC_API_KEY,
      sandbox: { writablePaths: [OUTPUT] },
      passEnv,
    },
  },
});

const { output, report } = await adapter.evaluate(prompt, {
  session: new Session(),
  deadline: Deadline.fromNow(10 * 60_000),
});
console.log(`${output.passed ? 'passed' : 'failed'}: ${output.summary}`);
console.log(
  `${report.usage.costUsd ?? 0} USD, ${report.timings.totalMs > 0 ? 'timed' : 'untimed'}`,
);

check('the output folder was made', existsSync(join(cwd, OUTPUT)));
check('no web tool is offered', !report.tools.offered.some((name) => name.startsWith('Web')));
