import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as entryPoint from '../../src/adapter/index.js';
import * as bridge from '../../src/bridge.js';
import * as browser from '../../src/browser.js';
import * as core from '../../src/core.js';
import * as index from '../../src/index.js';
import * as testing from '../../src/testing/index.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY_POINT = join(ROOT, 'src/adapter/index.ts');

/** Every name of the entry point that the specification has, value or type. */
const NAMES = `
  ClaudeAgentAdapter ClaudeAgentSDKAdapter ClaudeAgentClientConfig ClaudeAgentSDKClientConfig ClaudeAgentModelConfig
  ClaudeAgentSDKModelConfig PromptResponse EvaluateOptions Conversation AgentRuntime RuntimeOptions RuntimeQuery LoadRuntime
  JsonSchema TypeSpec defineType parseValue TokenUsage Clock
  PromptTemplate Prompt defineParams Section MarkdownSection RenderedPrompt Tool ToolResult ToolContext renderToolPayload
  Session defineSlice defineEvent append replaceLatest upsertBy replaceLatestBy latestReducer InProcessEventBus PublishResult
  VisibilityOverrides SetVisibilityOverride ClearVisibilityOverride ClearAllVisibilityOverrides Workspace ToolPermissions
  ModifiedFiles FileModified Plan PlanUpdated Notification PromptRendered ToolInvoked PromptExecuted
  Deadline Budget BudgetTracker IsolationConfig NetworkPolicy SandboxConfig EphemeralHome
  HostMount HostMountPreview ClaudeAgentWorkspace VfsPath VfsFile VirtualFileSystem WriteFile DeleteEntry
  ClaudeAgentWorkspaceSection syncWorkspaceToVfs extractModifiedFiles writeBackToHost
  PromptEvaluationError ThrottleError DeadlineExceededError BudgetExhaustedError EvaluationAbortedError OutputParseError
  StructuredOutputRetriesError BudgetExceededError PromptValidationError PromptRenderError VisibilityExpansionRequired
  ValidationError AdapterConfigError UnsupportedParameterError WorkspaceSecurityError WorkspaceBudgetExceededError
  WorkspaceSourceMissingError
  AgentAdapter AgentOptions PermissionPolicy AgentEvent ClaudeCodeAdapter AdapterRegistry createEvent generateSessionId
  isAgentEvent runAgent runParallel
  RunReport RUN_REPORT_SCHEMA CheckReport toAdapterLogger
`
  .trim()
  .split(/\s+/);

describe('exports', () => {
  test('the entry point has every name of the specification, and no other entry has its values (AD-005)', () => {
    const exported = exportedNames(ENTRY_POINT);
    expect(NAMES.filter((name) => !exported.has(name))).toEqual([]);
    // The values are really there.
    expect(Object.keys(entryPoint).filter((name) => !exported.has(name))).toEqual([]);
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(Object.keys(exports).filter((entry) => entry.includes('adapter'))).toEqual(['./adapter']);
    const ours = new Set<unknown>(Object.values(entryPoint).filter((value) => Object(value) === value));
    const elsewhere = { bridge, browser, core, index, testing };
    for (const [name, entry] of Object.entries(elsewhere)) {
      const shared = Object.entries(entry).filter(([, value]) => ours.has(value));
      expect({ [name]: shared.map(([key]) => key) }).toEqual({ [name]: [] });
    }
  });
});

/** What a module exports by name, followed through `export *`. */
function exportedNames(file: string): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const names = new Set<string>();
  for (const [, list = ''] of text.matchAll(/export (?:type )?\{([^}]*)\}/g)) {
    for (const item of list.split(',')) {
      const name = item
        .trim()
        .replace(/^type /, '')
        .split(/ as /)
        .at(-1)
        ?.trim();
      if (name) names.add(name);
    }
  }
  const declared = /export (?:abstract )?(?:class|interface|type|const|function|async function) (\w+)/g;
  for (const [, name = ''] of text.matchAll(declared)) names.add(name);
  for (const [, path = ''] of text.matchAll(/export (?:type )?\* from '([^']+)'/g)) {
    const inner = resolve(dirname(file), path.replace(/\.js$/, '.ts'));
    for (const name of exportedNames(inner)) names.add(name);
  }
  return names;
}

test('adapters are made without a look at the environment (AD-002)', () => {
  const { env } = process;
  const read: PropertyKey[] = [];
  process.env = new Proxy(env, {
    get: (target, name) => {
      read.push(name);
      return Reflect.get(target, name);
    },
  });
  try {
    new entryPoint.ClaudeAgentAdapter();
    new entryPoint.ClaudeAgentAdapter({ clientConfig: { isolation: {} } });
    new entryPoint.ClaudeCodeAdapter();
  } finally {
    process.env = env;
  }
  expect(read).toEqual([]);
});

describe('an entry point whose SDK cannot be loaded, on a machine without a CLI', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cw-entryPoint-'));
    await build({
      entryPoints: [ENTRY_POINT],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outExtension: { '.js': '.mjs' },
      logLevel: 'error',
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
      },
      external: ['ajv', 'ajv/*', 'ajv-formats'],
      plugins: [
        {
          name: 'no-sdk',
          setup: (hooks) => {
            hooks.onResolve({ filter: /^\.\.\/\.\.\/(?:index|sdk\/.*)\.js$/ }, () => ({
              path: './there-is-no-sdk.mjs',
              external: true,
            }));
          },
        },
      ],
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a program in a process of its own, with nothing around it. */
  function run(program: string): { readonly stdout: string; readonly stderr: string } {
    const file = join(folder, 'program.mjs');
    writeFileSync(file, program);
    const { stdout, stderr } = spawnSync(process.execPath, [file], {
      env: { PATH: '/nowhere', HOME: '/nowhere' },
      encoding: 'utf8',
    });
    return { stdout, stderr };
  }

  test('it is imported all the same, and an agent can be registered (AD-001)', () => {
    const url = pathToFileURL(join(folder, 'index.mjs')).href;
    const { stdout, stderr } = run(`
      const { AdapterRegistry, ClaudeCodeAdapter, ClaudeAgentAdapter, Prompt } = await import(${JSON.stringify(url)});
      const registry = new AdapterRegistry();
      registry.register(new ClaudeCodeAdapter());
      const prompt = new Prompt({ ns: 'a', key: 'b', sections: [] });
      const error = await new ClaudeAgentAdapter({ uid: 1000, clientConfig: { permissionMode: 'default' } }).evaluate(prompt).catch((thrown) => thrown);
      console.log(JSON.stringify([registry.list(), await new ClaudeCodeAdapter().isAvailable(), error.name, error.message]));
    `);
    expect(stderr).toBe('');
    const [names, isAvailable, name, message] = JSON.parse(stdout);
    expect([names, isAvailable, name]).toEqual([['claude-code'], false, 'PromptEvaluationError']);
    expect(message).toContain('claudewire');
  });

  test('importing it and making one of each class loads, starts, reads and touches nothing (AD-002)', () => {
    const url = pathToFileURL(join(folder, 'index.mjs')).href;
    const { stdout, stderr } = run(`
      const FOLDER = ${JSON.stringify(pathToFileURL(folder).href)};
      import fs from 'node:fs';
      import fsPromises from 'node:fs/promises';
      import childProcess from 'node:child_process';
      import net from 'node:net';
      import { syncBuiltinESMExports } from 'node:module';
      const seen = [];
      // Node itself reads modules and variables, each release in its own way: what counts comes from the entry point's files.
      Error.stackTraceLimit = 100;
      const isOurs = () => new Error().stack.replaceAll('/program.mjs', '').includes(FOLDER + '/');
      const see = (what) => { if (isOurs()) seen.push(what); };
      for (const [what, module] of Object.entries({ fs, fsPromises, childProcess, net })) {
        for (const [name, value] of Object.entries(module)) {
          if (typeof value !== 'function' || /^[A-Z]/.test(name)) continue;
          module[name] = (...args) => {
            see(what + '.' + name);
            return value.apply(module, args);
          };
        }
      }
      syncBuiltinESMExports();
      const env = process.env;
      process.env = new Proxy(env, {
        get: (target, name) => { if (typeof name === 'string') see('env.' + name); return target[name]; },
        ownKeys: (target) => { see('env'); return Reflect.ownKeys(target); },
      });
      const exitListeners = process.listenerCount('exit');
      const entryPoint = await import(${JSON.stringify(url)});
      const loadRuntime = () => { seen.push('loaded'); throw new Error('no'); };
      const deadline = entryPoint.Deadline.fromNow(60_000);
      const budget = new entryPoint.Budget({ maxTotalTokens: 1 });
      const section = { title: 'T', key: 't', template: 'x' };
      const session = new entryPoint.Session();
      const error = [['m', { promptName: 'p', phase: 'request' }]];
      const limit = [['m', { dimension: 'usd', consumed: {} }, { promptName: 'p' }]];
      const makers = {
        AdapterRegistry: [[]],
        ClaudeCodeAdapter: [[{ loadRuntime }], []],
        ClaudeAgentAdapter: [[{ loadRuntime, clientConfig: { isolation: {} } }], []],
        ClaudeAgentSDKAdapter: [[{ loadRuntime }]],
        NetworkPolicy: [[], [{ allowedDomains: ['*'] }]],
        Budget: [[{ deadline }]],
        BudgetTracker: [[budget]],
        Deadline: [[new Date(Date.now() + 60_000)]],
        MarkdownSection: [[section]],
        Section: [[{ title: 'T', key: 't' }]],
        Prompt: [[{ ns: 'a', key: 'b', sections: [new entryPoint.MarkdownSection(section)] }]],
        PromptTemplate: [[{ ns: 'a', key: 'b', sections: [] }]],
        Tool: [[{ name: 't', description: 'T.' }]],
        ToolResult: [[{ message: 'm' }]],
        InProcessEventBus: [[]],
        Session: [[]],
        AdapterError: [['m', 'evaluation_failed']],
        AdapterConfigError: [['m', ['f']]],
        UnsupportedParameterError: [[['f']]],
        PromptEvaluationError: error,
        ThrottleError: [['m', { kind: 'timeout', retryAfterMs: null, attempts: 1, retrySafe: true }, error[0][1]]],
        DeadlineExceededError: error,
        BudgetExhaustedError: limit,
        BudgetExceededError: [[budget, {}, 'usd']],
        EvaluationAbortedError: error,
        OutputParseError: [['m', { rawOutput: 1, issues: [] }, error[0][1]]],
        StructuredOutputRetriesError: error,
        ValidationError: [['m', []]],
        PromptValidationError: [['m']],
        PromptRenderError: [['m']],
        VisibilityExpansionRequired: [[{}, 'r', []]],
        WorkspaceSecurityError: [['p', 'm']],
        WorkspaceBudgetExceededError: [['p', 'm']],
        WorkspaceSourceMissingError: [['p', 'm']],
        WorkspaceConflictError: [[[], 'm']],
      };
      // Made by other means: they stand for folders, or come out of others.
      const apart = ['EphemeralHome', 'ClaudeAgentWorkspaceSection', 'PublishResult', 'SessionSnapshot', 'ResolvedType'];
      const classes = Object.keys(entryPoint).filter((name) => /^class/.test(String(entryPoint[name])));
      const missing = classes.filter((name) => !(name in makers) && !apart.includes(name));
      for (const [name, calls] of Object.entries(makers)) for (const args of calls) new entryPoint[name](...args);
      const listeners = process.listenerCount('exit') - exitListeners;
      process.env = env;
      console.log(JSON.stringify({ seen, missing, listeners }));
    `);
    expect(stderr).toBe('');
    const { missing, ...rest } = JSON.parse(stdout);
    expect(missing, 'add to `makers` how each is made, or to `apart`').toEqual([]);
    expect(rest).toEqual({ seen: [], listeners: 0 });
  });
});
