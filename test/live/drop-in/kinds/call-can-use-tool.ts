/** A test suite that calls its own permission callback and hook, without a session, and then with one. */
import assert from 'node:assert/strict';
import { type CanUseTool, type HookCallback, type PermissionResult, query } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

const denyShell: CanUseTool = async (toolName, input) =>
  toolName === 'Bash' ? { behavior: 'deny', message: 'No shell here.' } : { behavior: 'allow', updatedInput: input };
const remind: HookCallback = async () => ({ continue: true, systemMessage: 'Mind the gap.' });

const { signal } = new AbortController();
const ask = async (tool: string): Promise<PermissionResult | null> =>
  await denyShell(tool, { a: 1 }, { signal, toolUseID: 't', requestId: 'r' });

assert.deepEqual(await ask('Read'), { behavior: 'allow', updatedInput: { a: 1 } });
const denied = await ask('Bash');
assert.equal(denied?.behavior === 'deny' && denied.message, 'No shell here.');
const output = await remind(
  { hook_event_name: 'Stop', session_id: 's', transcript_path: '', cwd: '/', stop_hook_active: false },
  undefined,
  { signal },
);
say('hook', output);

const options = { permissionMode: 'default' as const, canUseTool: denyShell, hooks: { Stop: [{ hooks: [remind] }] } };
for await (const message of query({ prompt: 'Run it.', options })) {
  if (message.type === 'result')
    say(
      'denials',
      message.permission_denials.map(({ tool_name }) => tool_name),
    );
}
