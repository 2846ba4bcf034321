import type { LaunchCase } from './launch-case.js';

/** What the SDK adds when nothing else says so. */
const OURS = {
  CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
  CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
  CLAUDE_AGENT_SDK_VERSION: 'claudewire/0.1.0',
};
/** The same where the host's variables are taken. */
const INHERITED = { ...OURS, NoDefaultCurrentDirectoryInExePath: '1' };
const TRACE = { traceparent: '00-aa-bb-01', tracestate: 'k=v' };
const NATIVE = { path: undefined, runtime: 'node', runtimeArgs: [] };

export const spawnEnvCases: readonly LaunchCase[] = [
  { ids: ['TS-001'], name: 'defaults', options: {}, argv: [], files: [], warns: [], cwd: null },
  {
    ids: ['TS-003'],
    name: "the host's variables and those of the SDK",
    options: {},
    host: { env: { PATH: '/bin', GONE: undefined } },
    env: { PATH: '/bin', ...INHERITED },
  },
  {
    ids: ['TS-003'],
    name: 'a version inherited from an SDK further up is replaced',
    options: {},
    host: { env: { CLAUDE_AGENT_SDK_VERSION: '9' } },
    env: INHERITED,
  },
  {
    ids: ['TS-003'],
    name: "the caller's own version stays",
    options: { env: { CLAUDE_AGENT_SDK_VERSION: '9' } },
    env: { ...OURS, CLAUDE_AGENT_SDK_VERSION: '9' },
  },
  {
    ids: ['TS-004'],
    name: 'an inherited entry point and session-state flag stay',
    options: {},
    host: { env: { CLAUDE_CODE_ENTRYPOINT: 'x', CLAUDE_CODE_SDK_READS_SESSION_STATE: '0' } },
    env: { ...INHERITED, CLAUDE_CODE_ENTRYPOINT: 'x', CLAUDE_CODE_SDK_READS_SESSION_STATE: '0' },
  },
  {
    ids: ['TS-005'],
    name: 'NODE_OPTIONS of the host is removed',
    options: {},
    host: { env: { NODE_OPTIONS: '--inspect' } },
    env: INHERITED,
  },
  {
    ids: ['TS-005'],
    name: 'NODE_OPTIONS in `env` is removed',
    options: { env: { NODE_OPTIONS: '--inspect', A: '1' } },
    env: { A: '1', ...OURS },
  },
  {
    ids: ['TS-005'],
    name: 'Windows takes every spelling of a name for one',
    options: { env: { Node_Options: '--inspect', claude_code_entrypoint: 'x' } },
    host: { platform: 'win32' },
    env: {
      claude_code_entrypoint: 'x',
      CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
      NoDefaultCurrentDirectoryInExePath: '1',
      CLAUDE_AGENT_SDK_VERSION: 'claudewire/0.1.0',
    },
  },
  {
    ids: ['TS-005'],
    name: 'Windows takes no program from the working directory, unless the caller says so (D-5)',
    options: { env: { nodefaultcurrentdirectoryinexepath: '' } },
    host: { platform: 'win32' },
    env: { nodefaultcurrentdirectoryinexepath: '', ...OURS },
  },
  {
    ids: ['TS-005'],
    name: 'elsewhere another spelling is another variable',
    options: { env: { Node_Options: '--inspect' } },
    env: { Node_Options: '--inspect', ...OURS },
  },
  { ids: ['TS-006'], name: 'DEBUG is removed', options: {}, host: { env: { DEBUG: 'x' } }, env: INHERITED },
  {
    ids: ['TS-006'],
    name: 'DEBUG is 1 with DEBUG_CLAUDE_AGENT_SDK',
    options: {},
    host: { env: { DEBUG: 'x', DEBUG_CLAUDE_AGENT_SDK: '1' } },
    env: { DEBUG_CLAUDE_AGENT_SDK: '1', DEBUG: '1', ...INHERITED },
  },
  {
    ids: ['TS-007'],
    name: '`env` replaces the environment',
    options: { env: { A: '1' } },
    host: { env: { PATH: '/bin' } },
    env: { A: '1', ...OURS },
  },
  {
    ids: ['TS-008'],
    name: 'undefined leaves a name out, in a frozen object too',
    options: { env: Object.freeze({ A: undefined, B: '' }) },
    env: { B: '', ...OURS },
  },
  {
    ids: ['TS-008'],
    name: 'numbers and booleans become text, null leaves the name out',
    options: { env: { A: 1, B: true, C: null } },
    env: { A: '1', B: 'true', ...OURS },
  },
  {
    ids: ['TS-008'],
    name: 'an object as a value is refused without showing it',
    options: { env: { A: { secret: 1 } } },
    throws: { option: 'env.A', message: '`env.A` must be a string, got object' },
  },
  {
    ids: ['TS-008'],
    name: 'a NUL in a value is refused without showing it',
    options: { env: { A: 'secret\0' } },
    throws: { option: 'env.A', message: '`env.A` must be a string without NUL characters, got one that contains NUL.' },
  },
  {
    ids: ['TS-009', 'TS-010', 'TS-014'],
    name: 'the path is handed to the executor as it is',
    options: { pathToClaudeCodeExecutable: 'x.js' },
    command: { ...NATIVE, path: 'x.js' },
  },
  {
    ids: ['TS-011'],
    name: 'the runtime of scripts',
    options: { executable: 'bun' },
    command: { ...NATIVE, runtime: 'bun' },
  },
  {
    ids: ['TS-012'],
    name: 'arguments of the runtime',
    options: { executableArgs: ['--x', 'y'] },
    command: { ...NATIVE, runtimeArgs: ['--x', 'y'] },
  },
  { ids: ['TS-013'], name: 'a working directory', options: { cwd: '/w' }, cwd: '/w' },
  { ids: ['TS-013'], name: 'none', options: {}, cwd: null },
  {
    ids: ['TS-013'],
    name: 'one that is not text',
    options: { cwd: 5 },
    throws: { option: 'cwd', message: 'must be a string, got number 5' },
  },
  {
    ids: ['TS-019'],
    name: 'the active span becomes the parent instead of an inherited one',
    options: {},
    host: { env: { TRACEPARENT: 'old', TRACESTATE: 'old' }, traceContext: TRACE },
    env: { ...INHERITED, TRACEPARENT: '00-aa-bb-01', TRACESTATE: 'k=v' },
  },
  {
    ids: ['TS-019'],
    name: 'a span without a state drops an inherited state',
    options: {},
    host: { env: { TRACESTATE: 'old' }, traceContext: { traceparent: '00-aa-bb-01' } },
    env: { ...INHERITED, TRACEPARENT: '00-aa-bb-01' },
  },
  {
    ids: ['TS-019'],
    name: "the caller's own trace stays whole",
    options: { env: { TRACEPARENT: 'mine' } },
    host: { traceContext: TRACE },
    env: { TRACEPARENT: 'mine', ...OURS },
  },
  {
    ids: ['TS-019'],
    name: 'without a span inherited values pass',
    options: {},
    host: { env: { TRACEPARENT: 'old' } },
    env: { TRACEPARENT: 'old', ...INHERITED },
  },
  { ids: ['TS-020'], name: 'without a path the executor looks for the executable', options: {}, command: NATIVE },
  {
    ids: ['TS-065'],
    name: 'file checkpointing',
    options: { enableFileCheckpointing: true },
    env: { ...INHERITED, CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' },
  },
  { ids: ['TS-065'], name: 'file checkpointing off', options: { enableFileCheckpointing: false }, env: INHERITED },
  {
    ids: ['TS-066'],
    name: 'preview format of questions',
    options: { toolConfig: { askUserQuestion: { previewFormat: 'html' } } },
    env: { ...INHERITED, CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: 'html' },
  },
  {
    ids: [],
    name: 'a process group of its own is nothing that the CLI sees',
    options: { ownProcessGroup: true },
    argv: [],
    env: INHERITED,
  },
  {
    ids: [],
    name: 'a process group of its own, for a process that the application starts',
    options: { ownProcessGroup: true, spawnClaudeCodeProcess: () => {} },
    throws: { option: 'ownProcessGroup', message: 'ownProcessGroup cannot be used with spawnClaudeCodeProcess' },
  },
  {
    ids: [],
    name: 'a process group of its own, over a transport',
    options: {
      ownProcessGroup: true,
      transport: { write() {}, async *readMessages() {}, endInput() {}, isReady: () => true, close() {} },
    },
    throws: { option: 'ownProcessGroup', message: 'spawnClaudeCodeProcess or transport' },
  },
  {
    ids: [],
    name: 'no process group of its own beside a spawner',
    options: { ownProcessGroup: false, spawnClaudeCodeProcess: () => {} },
    argv: [],
  },
];
