/**
 * Multi-service: looks at services of a network, at one on this machine, and at containers.
 *
 *   node examples/adapter/multi-service.mjs [URL OF THE LOCAL SERVICE]
 *
 * `docker` runs outside the sandbox, without any limit. On Linux a plain client inside it does not reach 127.0.0.1, only one that uses
 * the proxy does (`curl --noproxy ''`). Lists of sockets and local binding are for macOS.
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

const SERVICES = ['orders.example.com', '*.billing.example.com'];
const Places = defineParams('Places');

const prompt = new Prompt({
  ns: 'stories',
  key: 'multi-service',
  sections: [
    new MarkdownSection({
      title: 'Task',
      key: 'task',
      params: Places,
      template: `
        Say which services answer: $services, and $local on this machine (use \`curl --noproxy ''\` for that one).
        List the containers with \`docker ps\`.
      `,
    }),
  ],
  output: {
    type: 'object',
    properties: { service: { type: 'string' }, isUp: { type: 'boolean' } },
    required: ['service', 'isUp'],
  },
  outputContainer: 'array',
}).bind(Places, {
  services: SERVICES.join(', '),
  local: process.argv[2] ?? 'http://127.0.0.1:8080/',
});
// The argument is an address here, and no folder.
process.argv.length = 2;

const adapter = new ClaudeAgentAdapter({
  clientConfig: {
    ...machine,
    cwd: workingFolder(),
    isolation: {
      networkPolicy: new NetworkPolicy({ allowedDomains: SERVICES, allowLocalhost: true }),
      sandbox: { excludedCommands: ['docker'] },
      passEnv,
    },
  },
});

const { output, report } = await adapter.evaluate(prompt, { session: new Session() });
for (const { service, isUp } of output) console.log(`${isUp ? 'up  ' : 'down'} ${service}`);

const { sandbox } = report.effectiveSettings;
check('docker may leave the sandbox', sandbox.excludedCommands.includes('docker:*'));
check('nothing else may', sandbox.allowUnsandboxedCommands === false);
check('something was said of a service', output.length > 0);
