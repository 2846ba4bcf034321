import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, bypass } from './guards.mjs';
import { failure } from './stage.mjs';

/* Limits that settings and agents have, each with a call that only a release that knows nothing of it lets through. */

const CONTENT = 'CONTENT-OF-SECRET';

/** `open` if a file is there, or has the content. */
function word(seen, file, content) {
  const isThere = existsSync(file) && (content === undefined || readFileSync(file, 'utf8').includes(content));
  return failure(seen) ?? (isThere ? 'open' : 'closed');
}

/**
 * A run in bypass mode whose commands are sandboxed. @returns the word of each file. Without the file that the last
 * command leaves, the sandbox has started none.
 */
async function sandboxed(stage, { network, ...sandbox }, commands) {
  const control = join(stage.work, 'control');
  // The filter of sockets cannot be set up in a namespace.
  const settings = {
    sandbox: {
      enabled: true,
      autoAllowBashIfSandboxed: true,
      ...sandbox,
      network: { allowAllUnixSockets: true, ...network },
    },
  };
  const seen = await bypass(stage, {
    args: ['--settings', JSON.stringify(settings)],
    calls: [...commands, `echo x > ${control}`].map((command) => bash(command)),
    env: { PROBE_TOKEN: CONTENT },
  });
  return (file, content) => (existsSync(control) ? word(seen, file, content) : (failure(seen) ?? 'no command runs'));
}

async function files(stage) {
  const place = (name) => join(stage.work, name);
  const [hidden, credential] = ['hidden', 'credential'].map((name) => stage.write(stage.outside(name), CONTENT));
  const sandbox = {
    filesystem: { denyRead: [hidden], denyWrite: [place('locked')] },
    credentials: { files: [{ path: credential, mode: 'deny' }], envVars: [{ name: 'PROBE_TOKEN', mode: 'deny' }] },
  };
  stage.write(place('locked/x'), '');
  const limit = await sandboxed(stage, sandbox, [
    `cat ${hidden} > ${place('a')}`,
    `touch ${place('locked/b')}`,
    `cat ${credential} > ${place('c')}`,
    `echo "$PROBE_TOKEN" > ${place('d')}`,
  ]);
  return {
    'sandbox.filesystem.denyRead': limit(place('a'), CONTENT),
    'sandbox.filesystem.denyWrite': limit(place('locked/b')),
    'sandbox.credentials.files': limit(place('c'), CONTENT),
    'sandbox.credentials.envVars': limit(place('d'), CONTENT),
  };
}

/** A command that reaches the Messages API by the sandbox's proxy leaves a file. */
function network(name, lists) {
  return async (stage) => {
    const file = join(stage.work, 'reached');
    const port = '$(echo "$ANTHROPIC_BASE_URL" | sed "s/.*://")';
    const command = `curl -s -m 5 --noproxy '' -o /dev/null -w '%{http_code}' "http://localhost:${port}/" | grep -v 000 | grep -v 403 > ${file}-code && touch ${file}`;
    const limit = await sandboxed(stage, { network: lists }, [command]);
    return { [name]: limit(file) };
  };
}

const OTHERS = { allowedDomains: ['a.example.com'] };

/** Settings that restrict file tools, in bypass mode. */
async function outside(stage) {
  const [read, written] = ['read', 'written'].map((name) => stage.outside(name));
  stage.write(read, CONTENT);
  const permissions = { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true };
  const seen = await bypass(stage, {
    args: ['--settings', JSON.stringify({ permissions })],
    calls: [
      ['Read', { file_path: read }],
      ['Write', { file_path: written, content: 'x' }],
    ],
  });
  const wasRead = JSON.stringify(seen.bodies.at(-1) ?? '').includes(CONTENT);
  return {
    'permissions.blockReadsOutsideWorkingDirectories': failure(seen) ?? (wasRead ? 'open' : 'closed'),
    'permissions.blockWritesOutsideWorkingDirectories': word(seen, written),
  };
}

async function bypassSwitch(stage) {
  const file = join(stage.work, 'made');
  const settings = JSON.stringify({ permissions: { disableBypassPermissionsMode: 'disable' } });
  const seen = await bypass(stage, { args: ['--settings', settings], calls: [bash(`touch ${file}`)] });
  return { 'permissions.disableBypassPermissionsMode': word(seen, file) };
}

/** A server of `--mcp-config` that the settings deny: it is started, or not. */
function servers(name, settings) {
  return async (stage) => {
    const started = stage.outside('server-started');
    const config = JSON.stringify({ mcpServers: { probe: { command: 'touch', args: [started] } } });
    const seen = await stage.play({ args: ['--mcp-config', config, '--settings', JSON.stringify(settings)] });
    return { [name]: word(seen, started) };
  };
}

/** A command of the project that runs a shell command before the model is asked; without the setting it must run. */
async function skillShell(stage) {
  const isMade = async (disableSkillShellExecution) => {
    const file = join(stage.work, `made-${disableSkillShellExecution}`);
    const command = `---\ndescription: A probe.\nallowed-tools: Bash(touch:*)\n---\n!\`touch ${file}\``;
    stage.write(join(stage.work, '.claude', 'commands', 'probe.md'), command);
    const settings = JSON.stringify({ disableSkillShellExecution });
    const seen = await bypass(stage, { args: ['--settings', settings], message: { content: '/probe' } });
    return failure(seen) ?? existsSync(file);
  };
  const [limited, free] = [await isMade(true), await isMade(false)];
  const word = free === false ? 'no command runs' : limited === true ? 'open' : limited === false ? 'closed' : limited;
  return { disableSkillShellExecution: word };
}

/** How often a sub-agent calls the model that may take two turns, and never comes to an end. */
async function agentTurns(stage) {
  const prompt = 'PROMPT-OF-THE-SUB-AGENT';
  const agents = { probe: { description: 'A probe.', prompt, maxTurns: 2 } };
  let turns = 0;
  const calls = (body, done) => {
    if (JSON.stringify(body.system ?? '').includes(prompt)) {
      turns += 1;
      return turns < 6 ? bash('true') : undefined;
    }
    const input = { description: 'x', prompt: 'Go on.', subagent_type: 'probe', run_in_background: false };
    return done === 0 ? ['Task', input] : undefined;
  };
  const seen = await bypass(stage, { calls, initialize: { agents } });
  return { 'agents, maxTurns': turns === 0 ? (failure(seen) ?? 'not started') : turns > 2 ? 'open' : 'closed' };
}

async function context(stage) {
  const initialize = { hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] } };
  const hook = ({ input: { hook_event_name: hookEventName } }) => ({
    hookSpecificOutput: { hookEventName, additionalContext: CONTENT },
  });
  const seen = await bypass(stage, { calls: [bash('true')], initialize, hook });
  const isThere = JSON.stringify(seen.bodies).includes(CONTENT);
  return { 'hook, PreToolUse, additionalContext': failure(seen) ?? (isThere ? 'reaches the model' : 'lost') };
}

export const LIMITS = {
  'sandbox-files': files,
  'sandbox-network': network('sandbox.network, an allowed domain', { allowedDomains: ['localhost'] }),
  'sandbox-denied-domains': network('sandbox.network.deniedDomains', {
    allowedDomains: ['localhost'],
    deniedDomains: ['localhost'],
  }),
  'sandbox-other-domain': network('sandbox.network, another domain', OTHERS),
  'sandbox-strict': network('sandbox.network.strictAllowlist', { ...OTHERS, strictAllowlist: true }),
  outside,
  'bypass-switch': bypassSwitch,
  'denied-servers': servers('deniedMcpServers', { deniedMcpServers: [{ serverName: 'probe' }] }),
  'allowed-servers': servers('allowedMcpServers', { allowedMcpServers: [{ serverName: 'other' }] }),
  'skill-shell': skillShell,
  'agent-turns': agentTurns,
  'hook-context': context,
};
