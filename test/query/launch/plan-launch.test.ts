import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidOptionError } from '../../../src/errors.js';
import { createSdkMcpServer, tool } from '../../../src/index.js';
import { maySpendBefore } from '../../../src/query/launch/plan-launch.js';
import type { Options } from '../../../src/query/options.js';
import { Loggable } from '../../../src/query/session-log/loggable.js';
import { plan } from './launch-case.js';

const noop = async () => null;

/** Options that are not usable beside another one of `USABLE`, or not at all. */
type ApartName = 'ownProcessGroup' | 'permissionPromptToolName' | 'sessionStore' | 'transport';

/** One usable value per option: what the fuzzer starts from. A new option does not compile without one. */
const USABLE: Readonly<Record<Exclude<keyof Options, ApartName>, unknown>> = {
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'a' },
  planModeInstructions: 'a',
  title: 'a',
  promptSuggestions: true,
  verbatimPrompts: true,
  tools: ['A'],
  allowedTools: ['A'],
  disallowedTools: ['A'],
  toolAliases: { A: 'B' },
  toolConfig: { askUserQuestion: { previewFormat: 'html' } },
  skills: ['a'],
  permissionMode: 'plan',
  allowDangerouslySkipPermissions: true,
  canUseTool: noop,
  permissionPrompts: 'none',
  model: 'm',
  fallbackModel: 'f',
  maxTurns: 1,
  maxBudgetUsd: 1,
  taskBudget: { total: 1 },
  thinking: { type: 'enabled', budgetTokens: 1, display: 'omitted' },
  maxThinkingTokens: 1,
  effort: 'low',
  betas: ['a'],
  outputFormat: { type: 'json_schema', schema: { type: 'object' } },
  includePartialMessages: true,
  includeHookEvents: true,
  forwardSubagentText: true,
  agentProgressSummaries: true,
  continue: true,
  resume: 'r',
  forkSession: true,
  sessionId: '11111111-2222-4333-8444-555555555555',
  resumeSessionAt: 'm',
  resumeDropsTurn: 'm',
  persistSession: false,
  enableFileCheckpointing: true,
  sessionStoreFlush: 'eager',
  loadTimeoutMs: 1,
  agent: 'a',
  agents: { a: { description: 'd', prompt: 'p', mcpServers: [{ s: { command: 'x' } }] } },
  plugins: [{ type: 'local', path: 'p' }],
  pluginDelivery: 'initialize',
  mcpServers: { a: { command: 'x', env: { A: 'a' } } },
  mcpServersDelivery: 'argv',
  strictMcpConfig: true,
  hooks: { Stop: [{ matcher: 'a', hooks: [noop], timeout: 1, onFailure: 'block' }] },
  onElicitation: noop,
  onUserDialog: noop,
  unhandledElicitation: 'cancel',
  supportedDialogKinds: ['a'],
  perTaskStopAffordance: true,
  settings: { env: { A: 'a' }, sandbox: { network: { httpProxyPort: 1 } } },
  sandbox: { enabled: true, network: { allowedDomains: ['a'] }, filesystem: { denyRead: ['a'] } },
  managedSettings: { a: 1 },
  settingSources: ['user'],
  cwd: '/w',
  additionalDirectories: ['/d'],
  projectConfigRoot: '/p',
  clientApp: 'my-app/1.0.0',
  claudeCodeVersion: 'newest',
  env: { A: 'a' },
  executable: 'bun',
  executableArgs: ['--x'],
  pathToClaudeCodeExecutable: '/claude',
  extraArgs: { a: null, b: 'v', settings: '{}' },
  debug: true,
  debugFile: 'f',
  stderr: noop,
  abortController: new AbortController(),
  spawnClaudeCodeProcess: noop,
  initializeTimeoutMs: 1,
  controlTimeoutMs: 1,
  idleTimeoutMs: 1,
  deadlineMs: 1,
  exitGraceMs: 1,
  maxBufferBytes: 1,
  maxQueuedBytes: 1,
  maxSpooledBytes: 1,
  onHookError: 'deny',
  onDiagnostic: noop,
  logger: { trace: noop, debug: noop, info: noop, warn: noop, error: noop },
  incompleteStream: 'throw',
};
const APART: Readonly<Record<ApartName, unknown>> = {
  ownProcessGroup: true,
  permissionPromptToolName: 't',
  sessionStore: { append: noop, load: noop },
  transport: { write: noop, readMessages: noop, endInput: noop, isReady: noop, close: noop },
};
const ALL: Readonly<Record<string, unknown>> = { ...USABLE, ...APART };

test('all options that can be combined make a plan', () => {
  expect(() => plan(deepFreeze({ ...USABLE }))).not.toThrow();
});

/** What an option needs beside it to change anything. */
const BESIDE: Readonly<Record<string, object>> = {
  sessionStoreFlush: { sessionStore: APART.sessionStore },
  loadTimeoutMs: { sessionStore: APART.sessionStore, resume: USABLE.sessionId },
  pluginDelivery: { plugins: USABLE.plugins },
  mcpServersDelivery: { mcpServers: USABLE.mcpServers },
  supportedDialogKinds: { onUserDialog: noop },
};

test.each(Object.keys(ALL))('%s: the plan has it', (name) => {
  const beside = BESIDE[name];
  const advice = `the plan ignores the option \`${name}\`: send it (src/query/launch), or add to BESIDE what it needs`;
  expect(plan({ ...beside, [name]: ALL[name] }), advice).not.toEqual(plan(beside));
});

/** Without `extraArgs`, whose flags nobody knows. */
const withKnownFlags = Object.keys(ALL).filter((name) => name !== 'extraArgs');

test.each(withKnownFlags)('%s: the log shows the flags that it sends', (name) => {
  const { args } = plan({ ...BESIDE[name], [name]: ALL[name] });
  const shown = new Loggable({}).args(args);
  const hidden = args.filter((arg, at) => /^--[a-z]/.test(arg) && !shown[at]?.startsWith(arg.replace(/=.*/, '')));
  const advice = 'the flag before it has no value: add that to BARE_FLAGS in src/query/session-log/loggable.ts';
  expect(hidden, advice).toEqual([]);
});

test('the log shows the values of all flags but those that may hold a secret', () => {
  const source = readFileSync(new URL('../../../src/query/launch/argv.ts', import.meta.url), 'utf8');
  const code = source.replace(/^\s*\/?\*.*$/gm, '');
  const written = [...code.matchAll(/(?:\b(?:flag|listFlag|configFlag|toggle)\('|['`]--)([a-z][a-zA-Z-]+)/g)];
  const flags = new Set(written.map(([, name]) => `--${name}`));
  expect(flags).toContain('--model');
  const hidden = [...flags].filter((name) => new Loggable({}).args([name, '--value'])[1] !== '--value');
  const advice =
    'add the flag in src/query/session-log/loggable.ts: to BARE_FLAGS if it has no value, to PLAIN_FLAGS if its value is never private; else here';
  expect(hidden, advice).toEqual(['--json-schema', '--mcp-config', '--managed-settings', '--settings']);
});

test('every option has its line in docs/reference/options.md', () => {
  const page = readFileSync(new URL('../../../docs/reference/options.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map((match) => match[1]);
  const missing = Object.keys(ALL).filter((name) => !documented.includes(name));
  expect(missing, 'a new option needs a row in docs/reference/options.md').toEqual([]);
});

test.each(Object.keys(ALL))('%s: null and undefined mean not given', (name) => {
  const bare = JSON.stringify(plan({}));
  expect(JSON.stringify(plan({ [name]: undefined }))).toBe(bare);
  if (name !== 'systemPrompt') expect(JSON.stringify(plan({ [name]: null }))).toBe(bare);
});

test.each(Object.keys(ALL))('%s: a symbol is refused by name', (name) => {
  expect(() => plan({ [name]: Symbol('x') })).toThrow(
    expect.objectContaining({
      name: 'InvalidOptionError',
      option: expect.stringMatching(new RegExp(`^${name}`)),
      message: expect.stringContaining(`\`${name}`),
    }),
  );
});

test.each([[undefined], [null], [{ unknownOption: 1 }], [Object.create({})]])(
  'no options (%j) and unknown ones give the plan of a bare call',
  (options) => expect(plan(options)).toEqual(plan({})),
);

test.each([['text'], [5], [true], [[]], [() => {}]])('options that are %o are refused', (options) => {
  expect(() => plan(options)).toThrow(InvalidOptionError);
});

test('options of a prototype are read too', () => {
  expect(plan(Object.create({ model: 'm' })).args).toContain('--model=m');
});

test('the plan holds copies: a later change of the options does not reach it', () => {
  const options = {
    systemPrompt: ['a', 'b'],
    agents: { a: { description: 'd', prompt: 'p' } },
    executableArgs: ['x'],
    skills: ['s'],
    env: { A: 'a' },
  };
  const made = plan(options);
  const before = JSON.stringify(made);
  options.systemPrompt.push('c');
  options.agents.a.prompt = 'q';
  options.executableArgs.push('y');
  options.skills.push('t');
  options.env.A = 'b';
  expect(JSON.stringify(made)).toBe(before);
});

describe('the placeholder of a private file', () => {
  test('stands where its argIndex says, after the flag', () => {
    const { args, files } = plan({
      settings: { env: { A: 'a' } },
      mcpServers: { a: { command: 'x', env: { A: 'a' } } },
      extraArgs: { x: '<path of settings.json>' },
    });
    expect(files.map(({ argIndex, name }) => [args[argIndex - 1], name])).toEqual([
      ['--mcp-config', 'mcp-config.json'],
      ['--settings', 'settings.json'],
    ]);
  });
});

describe('properties', () => {
  const names = Object.keys(ALL);
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.anything({
      maxDepth: 2,
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
    }),
    fc.constantFrom(noop, Symbol('x'), new AbortController(), -1, Number.NaN),
  );
  /** Usable values with any number of places overwritten by junk. */
  const options = fc
    .tuple(fc.subarray(names), fc.array(fc.tuple(fc.nat(), fc.nat(), junk), { maxLength: 4 }))
    .map(([chosen, changes]) => {
      const value: Record<string, unknown> = structuredCloneOf(
        Object.fromEntries(chosen.map((name) => [name, ALL[name]])),
      );
      for (const [pick, depth, replacement] of changes) overwrite(value, pick, depth % 4, replacement);
      return value;
    });

  test('any options make a plan or an InvalidOptionError, and are not changed', () => {
    fc.assert(
      fc.property(options, (value) => {
        // Frozen: changing anything would be a TypeError.
        deepFreeze(value);
        try {
          expect(plan(value).args.every((arg) => typeof arg === 'string')).toBe(true);
        } catch (error) {
          if (!(error instanceof InvalidOptionError)) throw error;
          expect(error.option).not.toBe('');
        }
      }),
      { numRuns: 1500 },
    );
  });

  test('a secret in env or headers of a server or of the settings never reaches argv', () => {
    const secret = 'S3CRET-0123456789';
    const holder = fc.constantFrom(
      { command: 'x', env: { KEY: secret } },
      { type: 'http', url: 'https://h', headers: { authorization: `Bearer ${secret}` } },
      { type: 'sse', url: `https://h/?key=${secret}` },
      { type: 'later', env: [secret] },
    );
    const settings = { env: { KEY: secret }, a: 1 };
    const safe = fc
      .subarray(
        names.filter(
          (name) =>
            ![
              'settings',
              'mcpServers',
              'mcpServersDelivery',
              'spawnClaudeCodeProcess',
              'transport',
              'sessionStore',
              'permissionPromptToolName',
              'extraArgs',
            ].includes(name),
        ),
      )
      .map((chosen) => Object.fromEntries(chosen.map((name) => [name, ALL[name]])));
    fc.assert(
      fc.property(
        safe,
        fc.dictionary(fc.string(), holder, { minKeys: 1, maxKeys: 3 }),
        fc.constantFrom(
          { settings },
          { settings: JSON.stringify(settings) },
          { extraArgs: { settings: JSON.stringify(settings) } },
        ),
        (rest, mcpServers, withSettings) => {
          const needsDialog = { onUserDialog: noop };
          const { args, files, env } = plan({ ...rest, ...needsDialog, ...withSettings, mcpServers });
          expect(args.join('\0')).not.toContain(secret);
          expect(JSON.stringify(env)).not.toContain(secret);
          expect(files).toHaveLength(2);
          for (const { content } of files) expect(content).toContain(secret);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('an error message never shows a value of env', () => {
    expect(() => plan({ env: { A: ['S3CRET'] } })).toThrow(/^(?!.*S3CRET)/);
    expect(() => plan({ env: { A: 'S3CRET\0' } })).toThrow(/^(?!.*S3CRET)/);
  });

  test("the host's environment is not changed", () => {
    const env = Object.freeze({ NODE_OPTIONS: 'x', DEBUG: 'y' });
    expect(plan({}, { env }).env).not.toHaveProperty('DEBUG');
    const before = { ...process.env };
    expect(plan({ env: process.env }).env).toHaveProperty('CLAUDE_CODE_ENTRYPOINT');
    expect({ ...process.env }).toEqual(before);
  });
});

/** Replaces one member, some levels down. */
function overwrite(target: object, pick: number, depth: number, replacement: unknown): void {
  const keys = Object.keys(target);
  const key = keys[pick % Math.max(1, keys.length)];
  if (key === undefined) return;
  const record = target as Record<string, unknown>;
  const member = record[key];
  if (depth > 0 && isPlain(member)) overwrite(member, pick >> 2, depth - 1, replacement);
  else record[key] = replacement;
}

function isPlain(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A deep copy of plain objects and lists; functions and live objects stay the same. */
function structuredCloneOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structuredCloneOf) as T;
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, structuredCloneOf(member)])) as T;
}

function deepFreeze<T>(value: T): T {
  if (isPlain(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

describe('a run whose totals may begin with what was used before', () => {
  const store = { append: noop, load: noop, listSessions: async () => [] };
  test.each([
    ['a new session', {}, false],
    ['`continue`', { continue: true }, true],
    ['`resume`', { resume: 'r' }, true],
    ['`--from-pr`', { extraArgs: { 'from-pr': '1' } }, true],
    ['a new session with a store', { sessionStore: store }, false],
    ['`continue` from a store, for which no flag is sent', { continue: true, sessionStore: store }, true],
  ])('%s', (_, options, expected) => {
    expect(maySpendBefore(plan(options as never))).toBe(expected);
  });
});

const hook = async () => ({});
const WRONG_CASE = 'Option `hooks.preToolUse` would never run: write `PreToolUse`.';
test.each([
  {
    name: 'a server in the place of the record of servers',
    options: { mcpServers: createSdkMcpServer({ name: 'a' }) },
    error: { option: 'mcpServers.type', hint: expect.stringContaining('`mcpServers: { name: server }`') },
  },
  {
    name: 'a hook in the place of a matcher',
    options: { hooks: { PreToolUse: [hook] } },
    error: { option: 'hooks.PreToolUse[0]', hint: expect.stringContaining('hooks: [fn] }]`') },
  },
  {
    name: 'a hook in the place of a list of matchers',
    options: { hooks: { PreToolUse: hook } },
    error: { option: 'hooks.PreToolUse', hint: expect.stringContaining('hooks: [fn] }]`') },
  },
  {
    name: 'a hook whose event is in the wrong case',
    options: { hooks: { preToolUse: [{ hooks: [hook] }] } },
    error: { option: 'hooks.preToolUse', message: WRONG_CASE },
  },
  {
    name: 'a tool in the place of its name',
    options: { tools: [tool('a', 'd', {}, async () => ({ content: [] }))] },
    error: { option: 'tools[0]', hint: expect.stringContaining('createSdkMcpServer({ name, tools })') },
  },
])('$name: the error says what to write', ({ options, error }) => {
  expect(() => plan(options)).toThrow(expect.objectContaining(error));
});
