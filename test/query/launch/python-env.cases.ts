import type { LaunchCase } from './launch-case.js';

const OURS = {
  CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
  CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
  CLAUDE_AGENT_SDK_VERSION: 'claudewire/0.1.0',
};
/** The same where the host's variables are taken. */
const INHERITED = { ...OURS, NoDefaultCurrentDirectoryInExePath: '1' };
const REPLACES = 'In the official TypeScript SDK `env` replaces the environment.';

/** The Python SDK's rows about the environment, said with our options. */
export const pythonEnvCases: readonly LaunchCase[] = [
  {
    ids: ['PY-070'],
    name: 'the mark of a CLI further up',
    options: {},
    host: { env: { CLAUDECODE: '1' } },
    env: { CLAUDECODE: '1', ...INHERITED },
    differs: 'Python removes it; the official TypeScript SDK passes it on.',
  },
  {
    ids: ['PY-071'],
    name: 'an inherited entry point',
    options: {},
    host: { env: { CLAUDE_CODE_ENTRYPOINT: 'x' } },
    env: { ...INHERITED, CLAUDE_CODE_ENTRYPOINT: 'x' },
    differs: 'Python replaces it; in the official TypeScript SDK it stays (TS-004).',
  },
  {
    ids: ['PY-071'],
    name: "the caller's entry point",
    options: { env: { CLAUDE_CODE_ENTRYPOINT: 'x' } },
    env: { ...OURS, CLAUDE_CODE_ENTRYPOINT: 'x' },
  },
  {
    ids: ['PY-072'],
    name: "the caller's version",
    options: { env: { CLAUDE_AGENT_SDK_VERSION: 'x' } },
    env: { ...OURS, CLAUDE_AGENT_SDK_VERSION: 'x' },
    differs: 'Python overrides it; in the official TypeScript SDK it wins.',
  },
  {
    ids: ['PY-350'],
    name: 'the name of the app, over the variable',
    options: { clientApp: 'my-app/1.0.0', env: { CLAUDE_AGENT_SDK_CLIENT_APP: 'x' } },
    env: { CLAUDE_AGENT_SDK_CLIENT_APP: 'my-app/1.0.0', ...OURS },
    differs: 'The official TypeScript SDK does not have the option.',
  },
  {
    ids: ['PY-073'],
    name: 'a variable in both',
    options: { env: { A: 'mine' } },
    host: { env: { A: 'host', B: 'host' } },
    env: { A: 'mine', ...OURS },
    differs: REPLACES,
  },
  {
    ids: ['PY-074'],
    name: 'checkpointing',
    options: { enableFileCheckpointing: true, env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'no' } },
    env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true', ...OURS },
  },
  {
    ids: ['PY-075'],
    name: 'the working directory',
    options: { cwd: '/w', env: { PWD: '/p' } },
    cwd: '/w',
    env: { PWD: '/p', ...OURS },
    differs: 'Python sets `PWD`; the official TypeScript SDK does not.',
  },
  {
    ids: ['PY-076'],
    name: 'a span',
    options: {},
    host: { env: { TRACEPARENT: 'old', TRACESTATE: 'old' }, traceContext: { traceparent: 'new' } },
    env: { TRACEPARENT: 'new', ...INHERITED },
  },
  {
    ids: ['PY-076'],
    name: 'no span',
    options: {},
    host: { env: { TRACEPARENT: 'old', TRACESTATE: 'old' } },
    env: { TRACEPARENT: 'old', TRACESTATE: 'old', ...INHERITED },
  },
];
