import { type LaunchCase, sdkServer } from './launch-case.js';

const hook = async () => ({});
const circular: Record<string, unknown> = { description: 'd', prompt: 'p' };
circular.self = circular;
const EMPTY = { systemPrompt: '' };
/** What a careless copy changes: white space at both ends, two kinds of line ends, blank lines, letters beyond ASCII, length. */
const PROMPT = `  # Rôle\r\n\r\nYou are Zoe\u0308, a "précis" writer.\n\n\t日本語 👩‍👩‍👧 \\n $HOME\u2028${'x'.repeat(3000)}\n `;
/** Out of order, twice the same, empty and blank ones. */
const PARTS = ['Zweitens: ü\n', '', PROMPT, 'A', 'A', ' ', 'Erstens', ''];

export const initializeCases: readonly LaunchCase[] = [
  { ids: ['TS-068'], name: 'no system prompt', options: {}, initialize: EMPTY },
  { ids: ['TS-069'], name: 'text', options: { systemPrompt: PROMPT }, initialize: { systemPrompt: PROMPT } },
  { ids: ['TS-069'], name: 'empty text', options: { systemPrompt: '' }, initialize: EMPTY },
  { ids: ['TS-069'], name: 'parts', options: { systemPrompt: PARTS }, initialize: { systemPrompt: PARTS } },
  {
    ids: ['TS-069'],
    name: 'a text with the boundary of parts in it',
    options: { systemPrompt: 'A\n__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__\nB' },
    initialize: { systemPrompt: ['A\n__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__\nB'] },
  },
  { ids: ['TS-069'], name: 'no parts', options: { systemPrompt: [] }, initialize: { systemPrompt: [] } },
  {
    ids: ['TS-069'],
    name: 'custom text',
    options: { systemPrompt: { type: 'custom', prompt: PROMPT, snapshot: false } },
    initialize: { systemPrompt: PROMPT, systemPromptSnapshot: false },
  },
  {
    ids: ['TS-069'],
    name: 'custom parts',
    options: { systemPrompt: { type: 'custom', prompt: PARTS, snapshot: true } },
    initialize: { systemPrompt: PARTS, systemPromptSnapshot: true },
  },
  {
    ids: ['TS-069'],
    name: 'a part that is not text',
    options: { systemPrompt: ['A', 1] },
    throws: { option: 'systemPrompt[1]', message: 'must be a string, got number 1' },
  },
  {
    ids: ['TS-069'],
    name: 'null, which would change the prompt unnoticed',
    options: { systemPrompt: null },
    throws: { option: 'systemPrompt', message: 'must be an object, got null' },
  },
  {
    ids: ['TS-069'],
    name: 'an unknown type, which would leave the prompt out',
    options: { systemPrompt: { type: 'file', path: 'p' } },
    throws: { option: 'systemPrompt.type', message: "must be 'custom' or 'preset', got string \"file\"" },
  },
  {
    ids: ['TS-070'],
    name: 'preset',
    options: { systemPrompt: { type: 'preset', preset: 'claude_code' } },
    initialize: {},
  },
  {
    ids: ['TS-070'],
    name: 'preset with everything',
    options: {
      systemPrompt: {
        type: 'preset',
        preset: 'claude_code',
        append: '',
        excludeDynamicSections: false,
        snapshot: true,
      },
    },
    initialize: { appendSystemPrompt: '', systemPromptSnapshot: true, excludeDynamicSections: false },
  },
  {
    ids: ['TS-070'],
    name: 'preset with the other values',
    options: {
      systemPrompt: {
        type: 'preset',
        preset: 'claude_code',
        append: PROMPT,
        excludeDynamicSections: true,
        snapshot: false,
      },
    },
    initialize: { appendSystemPrompt: PROMPT, systemPromptSnapshot: false, excludeDynamicSections: true },
  },
  {
    ids: ['TS-070'],
    name: 'another preset',
    options: { systemPrompt: { type: 'preset', preset: 'x' } },
    throws: { option: 'systemPrompt.preset', message: 'must be \'claude_code\', got string "x"' },
  },
  {
    ids: ['TS-071'],
    name: 'hooks are numbered over all events',
    options: {
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [hook, hook], timeout: 5 }, { hooks: [] }],
        Newer: [{ matcher: undefined, hooks: [hook], onFailure: 'block' }],
      },
    },
    initialize: {
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0', 'hook_1'], timeout: 5 }, { hookCallbackIds: [] }],
        Newer: [{ hookCallbackIds: ['hook_2'], onFailure: 'block' }],
      },
      ...EMPTY,
    },
  },
  {
    ids: ['TS-071'],
    name: 'a hook that is no function',
    options: { hooks: { Stop: [{ hooks: [hook] }, { hooks: [hook, 'f'] }] } },
    throws: { option: 'hooks.Stop[1].hooks[1]', message: 'must be a function, got string "f"' },
  },
  {
    ids: ['TS-071'],
    name: 'a pattern as a RegExp, which would become {}',
    options: { hooks: { Stop: [{ matcher: /x/, hooks: [] }] } },
    throws: { option: 'hooks.Stop[0].matcher', message: 'must be a string, got object (RegExp)' },
  },
  {
    ids: ['TS-072'],
    name: 'events without matchers',
    options: { hooks: { Stop: [], PreToolUse: null } },
    initialize: { hooks: {}, ...EMPTY },
  },
  { ids: ['TS-072'], name: 'no events', options: { hooks: {} }, initialize: { hooks: {}, ...EMPTY } },
  {
    ids: ['TS-073'],
    name: 'fields that go as they are',
    options: {
      title: '',
      planModeInstructions: 'i',
      toolAliases: {},
      agents: { a: { description: 'd', prompt: 'p', later: [null, 1] } },
    },
    initialize: {
      ...EMPTY,
      planModeInstructions: 'i',
      toolAliases: {},
      agents: { a: { description: 'd', prompt: 'p', later: [null, 1] } },
      title: '',
    },
    warns: [],
  },
  {
    ids: ['TS-073'],
    name: 'an in-process server inside an agent goes by name',
    options: {
      agents: {
        a: {
          description: 'd',
          prompt: 'p',
          mcpServers: ['s', { k: sdkServer('n', { timeout: 1 }), e: { command: 'x' } }],
        },
      },
    },
    initialize: {
      ...EMPTY,
      agents: {
        a: { description: 'd', prompt: 'p', mcpServers: ['s', { k: { type: 'sdk', name: 'n' }, e: { command: 'x' } }] },
      },
    },
    warns: ['CLAUDE_SDK_AGENT_IN_PROCESS_SERVER'],
  },
  ...[true, false].map((value) => ({
    ids: ['TS-074'],
    name: `flags that are ${value}`,
    options: {
      promptSuggestions: value,
      agentProgressSummaries: value,
      forwardSubagentText: value,
      perTaskStopAffordance: value,
    },
    initialize: {
      ...EMPTY,
      promptSuggestions: value,
      agentProgressSummaries: value,
      forwardSubagentText: value,
      perTaskStopAffordance: value,
    },
  })),
  {
    ids: ['TS-075'],
    name: 'dialogs nobody can show',
    options: { supportedDialogKinds: ['k'] },
    throws: { option: 'supportedDialogKinds', message: 'supportedDialogKinds needs the onUserDialog callback' },
  },
  {
    ids: ['TS-075'],
    name: 'dialogs somebody can show, and none',
    options: { supportedDialogKinds: ['k'], onUserDialog: hook },
    initialize: { ...EMPTY, supportedDialogKinds: ['k'] },
  },
  {
    ids: ['TS-075'],
    name: 'no kinds',
    options: { supportedDialogKinds: [] },
    initialize: { ...EMPTY, supportedDialogKinds: [] },
  },
  {
    ids: ['TS-076'],
    name: 'in-process servers by their keys',
    options: {
      mcpServers: {
        k: sdkServer('own name'),
        t: sdkServer('t', { timeout: 5 }),
        half: sdkServer('half', { timeout: 1.5 }),
        never: sdkServer('never', { timeout: 0 }),
        p: sdkServer('p', { tools: [{ name: 'x', permission_policy: 'always_ask' }] }),
      },
    },
    argv: [],
    initialize: {
      sdkMcpServers: ['k', 't', 'half', 'never', 'p'],
      sdkMcpServerConfigs: { t: { timeout: 5 }, p: { tools: [{ name: 'x', permission_policy: 'always_ask' }] } },
      ...EMPTY,
    },
  },
  {
    ids: ['TS-079'],
    name: 'a cycle in agents',
    options: { agents: { a: circular } },
    throws: { option: 'agents', message: 'Nothing was sent: option `agents` cannot be sent as JSON' },
  },
  {
    ids: ['TS-079'],
    name: 'a BigInt in a server',
    options: { mcpServers: { a: { command: 'x', timeout: 1n } } },
    throws: { option: 'mcpServers.a', message: 'cannot be sent as JSON' },
  },
  {
    ids: ['TS-079'],
    name: 'a cycle in settings',
    options: { settings: circular },
    throws: { option: 'settings', message: 'cannot be sent as JSON' },
  },
  {
    ids: ['TS-080'],
    name: 'an event that is not a list',
    options: { hooks: { Stop: hook } },
    throws: { option: 'hooks.Stop', message: 'must be an array, got function' },
  },
  {
    ids: ['TS-080'],
    name: 'a matcher without its hooks',
    options: { hooks: { Stop: [{ matcher: 'x' }] } },
    throws: { option: 'hooks.Stop[0].hooks', message: 'must be an array, got undefined' },
  },
  {
    ids: ['TS-068', 'TS-071', 'TS-073', 'TS-074', 'TS-075', 'TS-076'],
    name: 'every field in its place',
    options: {
      mcpServersDelivery: 'initialize',
      mcpServers: { e: { command: 'x' }, k: sdkServer('k', { timeout: 1 }) },
      pluginDelivery: 'initialize',
      plugins: [{ type: 'local', path: 'p' }],
      perTaskStopAffordance: true,
      supportedDialogKinds: [],
      forwardSubagentText: true,
      agentProgressSummaries: true,
      promptSuggestions: true,
      skills: ['s'],
      title: 't',
      agents: {},
      toolAliases: { A: 'B' },
      planModeInstructions: 'i',
      systemPrompt: { type: 'custom', prompt: 'x', snapshot: true },
      outputFormat: { type: 'json_schema', schema: {} },
      hooks: {},
    },
    initialize: {
      hooks: {},
      sdkMcpServers: ['k'],
      sdkMcpServerConfigs: { k: { timeout: 1 } },
      jsonSchema: {},
      systemPrompt: 'x',
      planModeInstructions: 'i',
      systemPromptSnapshot: true,
      toolAliases: { A: 'B' },
      agents: {},
      title: 't',
      skills: ['s'],
      promptSuggestions: true,
      agentProgressSummaries: true,
      forwardSubagentText: true,
      supportedDialogKinds: [],
      perTaskStopAffordance: true,
      plugins: [{ type: 'local', path: 'p' }],
      mcpServers: { e: { command: 'x' } },
    },
  },
];
