import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as adapter from '../../src/adapter/index.js';
import { foreignError, HOSTILE_VALUES } from '../helpers/hostile.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'config'));
  vi.stubEnv('CLAUDE_CODE_EXECUTABLE', join(folder, 'missing'));
});
afterEach(() => vi.unstubAllEnvs());

const template = () =>
  new adapter.PromptTemplate({
    ns: 'test',
    key: 'greeting',
    sections: [new adapter.MarkdownSection({ title: 'Task', key: 'task', template: 'Say hello.' })],
  });
const prompt = () => new adapter.Prompt(template());

type Options = Record<string, unknown>;
type Target = readonly [name: string, options: readonly string[], call: (options: Options) => unknown];

async function run(options: Options): Promise<void> {
  const agent = new adapter.ClaudeCodeAdapter({ hostEnv: {} });
  for await (const _ of agent.run('x', options as adapter.AgentOptions)) void _;
}

const TARGETS: readonly Target[] = [
  [
    'ClaudeAgentAdapter',
    [
      ...['model', 'clientConfig', 'modelConfig', 'allowedTools', 'disallowedTools', 'adapterName'],
      ...['bridgeName', 'logger', 'loadRuntime', 'clock', 'hostEnv', 'hostHome', 'platform', 'uid'],
      ...['sandboxProbe', 'tempRoot', 'managedFolder'],
    ],
    (options) => void new adapter.ClaudeAgentAdapter(options),
  ],
  [
    'clientConfig',
    [
      ...['permissionMode', 'cwd', 'addDirs', 'env', 'settingSources', 'projectMcpServers'],
      ...['sandbox', 'isolation', 'maxTurns', 'maxBudgetUsd', 'includePartialMessages'],
      ...['suppressStderr', 'stderr', 'stopOnStructuredOutput', 'hookTimeouts', 'hookFailureMode'],
      ...['promptPlacement', 'outsideWorkspacePaths', 'deadlineGraceMs', 'outputValidation'],
      ...['contextProviders', 'pathToClaudeCodeExecutable', 'spawnClaudeCodeProcess'],
    ],
    (clientConfig) => new adapter.ClaudeAgentAdapter({ clientConfig, hostEnv: {} }).evaluate(prompt()),
  ],
  [
    'isolation',
    [
      ...['networkPolicy', 'sandbox', 'env', 'apiKey', 'includeHostEnv', 'passEnv'],
      ...['portEnforcement', 'skipWebFetchPreflight'],
    ],
    (isolation) => void new adapter.ClaudeAgentAdapter({ clientConfig: { isolation } }),
  ],
  [
    'modelConfig',
    ['model', 'temperature', 'maxTokens', 'topP', 'presencePenalty', 'frequencyPenalty', 'stop'],
    (modelConfig) => void new adapter.ClaudeAgentAdapter({ modelConfig }),
  ],
  [
    'evaluate()',
    [
      ...['session', 'deadline', 'budget', 'budgetTracker', 'visibilityOverrides', 'signal'],
      ...['onMessage', 'userPrompt', 'resume', 'diff'],
    ],
    (options) => new adapter.ClaudeAgentAdapter({ hostEnv: {} }).evaluate(prompt(), options),
  ],
  [
    'ClaudeCodeAdapter',
    ['pathToClaudeCodeExecutable', 'logger', 'loadRuntime', 'clock', 'hostEnv', 'uid'],
    (options) => void new adapter.ClaudeCodeAdapter(options),
  ],
  [
    'run()',
    [
      ...['cwd', 'model', 'permissions', 'maxTurns', 'maxBudgetUsd', 'resume', 'env'],
      ...['abortSignal', 'onPermissionRequest', 'toolCategories', 'mcpServers', 'allowedTools'],
      ...['projectMcpServers', 'pathToClaudeCodeExecutable', 'systemPrompt'],
    ],
    run,
  ],
  [
    'EphemeralHome.create()',
    [
      ...['workspacePath', 'addDirs', 'outsideWorkspacePaths', 'prefix', 'proxyPort', 'tempRoot'],
      ...['hostEnv', 'hostHome', 'platform', 'log'],
    ],
    async (options) => (await adapter.EphemeralHome.create({}, options)).cleanup(),
  ],
  [
    'ClaudeAgentWorkspaceSection.create()',
    [
      ...['mounts', 'allowedHostRoots', 'tempDirPrefix', 'cleanupOnFinalize', 'acceptsOverrides'],
      ...['tempRoot', 'hostCwd', 'clock', 'session'],
    ],
    async (options) => {
      const session = new adapter.Session();
      const section = await adapter.ClaudeAgentWorkspaceSection.create({ session, ...options });
      await section.cleanup();
    },
  ],
  [
    'Budget',
    ['deadline', 'maxTotalTokens', 'maxInputTokens', 'maxOutputTokens'],
    (options) => void new adapter.Budget(options),
  ],
  [
    'PromptTemplate',
    ['ns', 'key', 'name', 'sections', 'output', 'container', 'allowExtraKeys', 'params'],
    (options) => {
      const config = { ns: 'test', key: 'greeting', sections: [], ...options };
      return void new adapter.PromptTemplate(config as never);
    },
  ],
  [
    'MarkdownSection',
    [
      ...['title', 'key', 'template', 'params', 'defaultParams', 'children', 'tools', 'summary'],
      ...['visibility', 'enabled', 'acceptsOverrides'],
    ],
    (options) => {
      const config = { title: 'Task', key: 'task', template: 'Say hello.', ...options };
      const section = new adapter.MarkdownSection(config as never);
      const rendered = new adapter.PromptTemplate({ ns: 'test', key: 'k', sections: [section] });
      return void new adapter.Prompt(rendered).render();
    },
  ],
  [
    'Tool',
    ['name', 'description', 'params', 'result', 'handler', 'examples', 'acceptsOverrides'],
    (options) => {
      const params = { type: 'object', properties: {} };
      const config = { name: 'find', description: 'Finds.', params, handler: () => 'x', ...options };
      return void new adapter.Tool(config as never);
    },
  ],
  ['Session', ['bus', 'logger', 'label', 'clock', 'parent', 'tags'], (options) => void new adapter.Session(options)],
];

describe('every throw is ours, whatever an option is (C-14)', () => {
  test.each(TARGETS)('%s', async (_, names, call) => {
    const foreign: unknown[] = [];
    for (const option of names) {
      for (const [value, hostile] of HOSTILE_VALUES) {
        const error = await foreignError(() => call({ [option]: hostile }));
        if (error !== undefined) foreign.push([option, value, error]);
      }
    }
    expect(foreign).toEqual([]);
  });
});
