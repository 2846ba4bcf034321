import type { Turn } from '../../../src/testing/messages-api/turn.js';
import type { JsonObject } from '../../../src/util/json.js';

/**
 * What a recording does not say of how it was made. Its folders (`/work-dir`, `/run-dir`, ...) may be named everywhere: they
 * become those of the run.
 */
export interface Replayed {
  readonly name: string;
  /** Turns of the model by number, from 1, that cannot be read off the messages. */
  readonly turns?: Readonly<Record<number, Turn>>;
  /** Values of environment variables whose names it lists. */
  readonly env?: Readonly<Record<string, string>>;
  /** What `--settings` names, where `get_settings` does not show it. */
  readonly settings?: JsonObject;
  /** Texts of files that were there. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files below `/etc` of the machine. */
  readonly etc?: Readonly<Record<string, string>>;
  /** Names of this machine itself, as its hosts file had them. */
  readonly hosts?: readonly string[];
  /**
   * HTTP servers of the machine, by the port that the recording names. An error says which URL was asked for. Only a port
   * below 1024 is kept.
   */
  readonly servers?: Readonly<Record<number, { readonly status: number; readonly says: string }>>;
  /** What must run, or be sent, before the host goes on: no frame tells. */
  readonly wait?: { readonly process: string } | { readonly ms: number };
  /** Tools ran side by side: which frame comes first is chance. */
  readonly isUnordered?: true;
}

/** Only a pause, or an answer that goes on for ever, keeps a turn open. */
const ENDLESS = { text: 'word '.repeat(10_000), chunkSize: 5, chunkMs: 20 };
const RETRY_ONCE = { CLAUDE_CODE_MAX_RETRIES: '1' };
const RETRY_TWICE = { CLAUDE_CODE_MAX_RETRIES: '2' };
const OFFICIAL = {
  turns: { 1: ENDLESS },
  env: { CLAUDE_AGENT_SDK_VERSION: '0.3.330', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' },
} as const;
const SECRETS = { '/run-dir/other/secret.txt': 'SECRET', '/run-dir/host-home/secret.txt': 'SECRET' };
const NAMES = ['good.example', 'bad.example'];
const EPHEMERAL = {
  env: { HOME: '/run-dir/eph', TMPDIR: '/run-dir/eph/tmp' },
  files: { ...SECRETS, '/run-dir/eph/tmp/.keep': '' },
};

/** Recordings that the live stage makes again as they were made, and compares. */
export const REPLAYED: readonly Replayed[] = [
  {
    name: 'adapter-webfetch-no-preflight',
    hosts: NAMES,
    // It speaks no TLS, and the CLI says so.
    servers: { 443: { status: 200, says: 'HELLO' } },
  },
  { name: 'api-400-credit', turns: { 1: credit() } },
  { name: 'api-403' },
  { name: 'api-404-model' },
  { name: 'api-429-no-header', env: RETRY_TWICE },
  { name: 'api-500-exhausted', env: RETRY_ONCE },
  { name: 'api-529-exhausted', env: RETRY_TWICE },
  {
    name: 'api-connection-refused',
    // Nothing listens there.
    env: { ...RETRY_ONCE, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
  },
  { name: 'api-prompt-too-long', turns: { 1: tooLong() } },
  { name: 'api-timeout', env: { ...RETRY_ONCE, API_TIMEOUT_MS: '300' } },
  { name: 'bash-allowed-tools' },
  { name: 'bash-background' },
  { name: 'bash-background-eof', turns: { 1: inBackground('sleep 0.5; echo finished') } },
  { name: 'hook-ask-accept-edits', isUnordered: true },
  { name: 'hook-command-no-flag' },
  { name: 'hook-events-frames' },
  { name: 'hook-interrupt' },
  { name: 'hook-posttool-continue-false' },
  { name: 'hook-posttool-failure' },
  { name: 'hook-structured-output-stop' },
  { name: 'hook-updated-input-question' },
  { name: 'hooks-all-events' },
  { name: 'info-requests', files: { '/work-dir/notes.txt': 'notes\n' } },
  { name: 'interrupt-bash', wait: { process: 'sleep 20' } },
  { name: 'interrupt-streaming', turns: { 1: ENDLESS }, wait: { ms: 400 } },
  { name: 'max-budget', turns: { 1: costly() } },
  { name: 'mcp-always-load' },
  { name: 'mcp-sdk-interrupt' },
  { name: 'official-sdk-abort', ...OFFICIAL },
  { name: 'official-sdk-close', ...OFFICIAL },
  { name: 'parallel-tools', files: { '/work-dir/a.txt': 'hello\n' }, isUnordered: true },
  { name: 'resume' },
  { name: 'resume-after-kill', wait: { process: 'setTimeout' } },
  { name: 'sandbox-credentials-deny' },
  { name: 'sandbox-deny-read', files: SECRETS },
  { name: 'sandbox-file-tools-blocked', files: SECRETS, isUnordered: true },
  { name: 'sandbox-net-question', hosts: NAMES },
  { name: 'sandbox-net-strict-bypass', hosts: NAMES, isUnordered: true },
  {
    name: 'sandbox-proxy-both',
    hosts: NAMES,
    servers: { 4488: { status: 403, says: 'OURPROXY refused ' } },
    isUnordered: true,
  },
  { name: 'sandbox-required-no-bwrap', env: { CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1', PATH: '/run-dir' } },
  { name: 'sandbox-tmp-allowed', ...EPHEMERAL, servers: { 9001: { status: 200, says: 'HELLO' } }, isUnordered: true },
  { name: 'sandbox-whole-isolation', ...EPHEMERAL, hosts: NAMES, isUnordered: true },
  {
    name: 'settings-managed',
    etc: {
      'claude-code/managed-settings.json': JSON.stringify({
        env: { MARK: 'managed' },
        permissions: { deny: ['NotebookEdit'] },
        sandbox: { network: { allowedDomains: ['extra.example'] }, excludedCommands: ['docker:*'] },
      }),
    },
  },
  {
    name: 'settings-wrong-type',
    settings: { env: { MARK: 'ours' }, sandbox: { network: { allowUnixSockets: true } } },
  },
  { name: 'sigint-streaming', turns: { 1: ENDLESS }, wait: { ms: 400 } },
  { name: 'sigkill-bash', wait: { process: 'sleep 20' } },
  { name: 'structured-output' },
  { name: 'structured-output-failure' },
  { name: 'structured-output-text-only' },
  { name: 'subagent-foreground-forward', isUnordered: true },
  { name: 'tool-errors' },
];

function credit(): Turn {
  return { error: { status: 400, message: 'Your credit balance is too low to access the API.' } };
}

function tooLong(): Turn {
  return { error: { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' } };
}

/** As it was, but shorter. */
function inBackground(command: string): Turn {
  const input = { command, description: 'Run a command', run_in_background: true };
  return { blocks: [{ type: 'tool_use', name: 'Bash', input }] };
}

function costly(): Turn {
  const input = { command: 'echo one', description: 'Run a command' };
  return { blocks: [{ type: 'tool_use', name: 'Bash', input }], usage: { input_tokens: 100_000 } };
}
