/** The declarations of published dependents, checked whole over both packages. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { inProject, PROJECTS } from './support/run-program.js';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Hands what one package makes to the other, both ways. */
const CONSUMER = `
import { ClaudeAcpAgent } from '@agentclientprotocol/claude-agent-acp';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import * as provider from 'ai-sdk-provider-claude-code';

const options: sdk.Options = { hooks: { Stop: [{ hooks: [async () => ({})] }] } };
const warm: sdk.WarmQuery = await provider.startup({ options });
const query: provider.Query = warm.query('Hello.');
for await (const message of query) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
provider.createClaudeCodeQueryController(sdk.query({ prompt: 'Hello.', options }));
const store: sdk.SessionStore = new provider.InMemorySessionStore();
const rows: sdk.SDKSessionInfo[] = await provider.listSessions({ sessionStore: store });
const server: sdk.McpServerConfig = provider.createAiSdkMcpServer('tools', {});
provider.createClaudeCode({ defaultSettings: { mcpServers: { server }, canUseTool: options.canUseTool } });
export type Agent = ClaudeAcpAgent;
export { rows };
`;

const CONFIG = {
  compilerOptions: {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'esnext.disposable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    typeRoots: [join(packages, '@types')],
    types: ['node'],
  },
  files: ['consumer.ts'],
};

test.each(PROJECTS)('the declarations of dependents over %s', (project) => {
  const folder = inProject(project, 'types');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
  const tsc = join(packages, 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', timeout: 60_000 });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
