import { InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import type { Script } from 'claudewire/testing';
import type { ApprovalStore } from '../../src/approvals/approval-store.js';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { SESSION } from './hosts.js';
import { tempFolder } from './temp-folder.js';

export const CALL = { tool_name: 'Bash', tool_input: { command: 'deploy' }, tool_use_id: 'toolu_1' };
export const DEFER = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' } };
export const ALLOW = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
export const DENY = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
export const RESUMED = { argv: { '--resume': SESSION, '--await-initialize': true } };

type Kit = Parameters<Extract<Script, (...args: never[]) => unknown>>[0];

/** The turn that ends with a call that waits. */
export const deferring = ({ prompt, init, toolUse, hook, result }: Kit) => [
  ...[prompt('Deploy'), init(), toolUse('Bash', CALL.tool_input, { toolUseId: CALL.tool_use_id })],
  hook('PreToolUse', CALL, { expect: DEFER }),
  result('', {
    ...{ terminal_reason: 'tool_deferred', stop_reason: 'tool_deferred' },
    deferred_tool_use: { id: CALL.tool_use_id, name: 'Bash', input: CALL.tool_input },
  }),
];

export interface Shared {
  readonly cwd: string;
  readonly approvals: ApprovalStore;
  readonly options: Partial<SessionHostOptions>;
}

/** Stores that several hosts share, with what the real CLI mirrors during the first turn. */
export async function sharedStores(over: Partial<SessionHostOptions['approvals']> = {}): Promise<Shared> {
  const cwd = tempFolder();
  const sessionStore = new InMemorySessionStore();
  await sessionStore.append({ projectKey: projectKeyForDirectory(cwd), sessionId: SESSION }, [
    {
      ...{ type: 'user', uuid: '22222222-2222-4222-8222-222222222222', parentUuid: null, sessionId: SESSION, cwd },
      ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'Deploy' } },
    },
  ]);
  const approvals = new InMemoryApprovalStore();
  return {
    cwd,
    approvals,
    options: {
      ...{ store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog(), sessionStore },
      approvals: {
        store: approvals,
        keys: [{ id: 'k1', secret: new Uint8Array(32).fill(7) }],
        needsApproval: ({ toolName }) => toolName === 'Bash',
        ...over,
      },
    },
  };
}
