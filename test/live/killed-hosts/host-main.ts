/** A host as a program of its own, which the test kills. Settings come in `HOST`, as JSON. Prints its address. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createHandler,
  createSessionHost,
  FileApprovalStore,
  FileConversationStore,
  FileEventLog,
  FileWakeUpStore,
  serve,
  type TenantOptions,
} from '../../../packages/server/src/index.js';
import { createSdkMcpServer, FileSessionStore, tool } from '../../../src/index.js';

export interface HostSettings {
  /** Where the stores, the ledger and the tenants are. */
  readonly folder: string;
  readonly cwd: string;
  readonly cli: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly leaseMs: number;
}

const { folder, cwd, cli, env, leaseMs }: HostSettings = JSON.parse(process.env.HOST ?? '{}');
const at = (name: string): string => join(folder, 'stores', name);

const pay = tool(
  'pay',
  'Pays.',
  { type: 'object', properties: { turn: { type: 'number' } }, required: ['turn'] },
  async ({ turn }) => {
    appendFileSync(join(cwd, 'ledger'), `start ${turn}\n`);
    await new Promise((resolve) => setTimeout(resolve, 400));
    return { content: [{ type: 'text', text: `paid ${turn}` }] };
  },
);

const host = createSessionHost({
  store: new FileConversationStore(at('conversations')),
  sessionStore: new FileSessionStore(at('sessions')),
  eventLog: new FileEventLog(at('events')),
  wakeUps: new FileWakeUpStore(at('wake-ups')),
  limits: { leaseMs, wakeUpMs: 200, idleMs: 1_000, interruptMs: 3_000, processes: 8 },
  approvals: {
    store: new FileApprovalStore(at('approvals')),
    keys: [{ id: 'k1', secret: new Uint8Array(32).fill(7) }],
    needsApproval: ({ toolName, input }) =>
      toolName === 'mcp__bank__pay' || (toolName === 'Bash' && input.run_in_background !== true),
  },
  optionsFor: (tenant) => {
    const home = join(folder, 'tenants', tenant);
    mkdirSync(home, { recursive: true });
    return {
      ...{ cwd, pathToClaudeCodeExecutable: cli, env: { ...env, CLAUDE_CONFIG_DIR: home }, settingSources: [] },
      allowedTools: ['Bash', 'ScheduleWakeup', 'mcp__bank__pay'],
      mcpServers: { bank: createSdkMcpServer({ name: 'bank', tools: [pay] }) },
    } as TenantOptions;
  },
});
const server = await serve({ handler: createHandler({ host }), port: 0 });
console.log(server.url);
