import type { JsonObject } from '../../../../src/util/json.js';
import type { ProcessProgram } from '../harness/program.js';
import type { Difference, Json, Look, ShownRow } from '../harness/row.js';
import { differs, launch, look } from './steps.js';

type LaunchLook = Look<ProcessProgram>;
type Flags = { readonly [flag: string]: Json };

/**
 * A start with these options, and what both must show of it: flags as a CLI reads them, so that `--a=b` is `--a b`. How
 * they are written is PY-021, PY-063 and the rows about one token.
 */
function flags(name: string, options: JsonObject, expected: Flags): LaunchLook {
  return look(launch(`flags: ${name}`, options), {
    name,
    at: Object.keys(expected).map((flag) => `flags/${flag}`),
    both: { flags: expected, failure: null },
  });
}

/** The same where the two sides differ. */
function unlike(
  name: string,
  options: JsonObject,
  sides: Pick<LaunchLook, 'at' | 'before'> & { readonly python: Json; readonly ours: Json },
  ...listed: readonly Difference[]
): LaunchLook {
  const { at = [], ...patterns } = sides;
  return look(launch(`flags: ${name}`, options), { name, at, ...patterns, differs: listed });
}

/** Options that are refused before anything is started. Our error names the one: another refusal is not this one. */
function refused(name: string, options: JsonObject, option: string): LaunchLook {
  return look(launch(`refused: ${name}`, options), {
    name,
    at: ['processes', 'failure/kind', 'end'],
    both: { processes: 0, end: 'error', failure: { kind: 'invalid_option' } },
    ours: { failure: { option } },
  });
}

const BASE = ['--output-format', 'stream-json', '--verbose'];
const INPUT = ['--input-format', 'stream-json'];
const UUID = '11111111-2222-4333-8444-555555555555';
const preset = { type: 'preset', preset: 'claude_code' };
const IN_INITIALIZE = 'The TypeScript SDK sends the system prompt in `initialize`.';
const inInitialize = (at: string): Difference => differs('official-ts', 'TS-069', at, IN_INITIALIZE);
const NO_SOURCES = 'The TypeScript SDK leaves the setting sources to the CLI, whatever `skills` says.';
const noSources = differs('official-ts', 'TS-041', 'flags/--setting-sources', NO_SOURCES);

/** Every option that is a flag, in both. */
const everything: JsonObject = {
  tools: ['A'],
  allowedTools: ['B'],
  maxTurns: 3,
  maxBudgetUsd: 1.5,
  disallowedTools: ['C'],
  taskBudget: { total: 5 },
  model: 'm',
  fallbackModel: 'f',
  betas: ['b'],
  permissionPromptToolName: 't',
  permissionMode: 'plan',
  continue: true,
  resume: 'r',
  sessionId: UUID,
  settings: '{"a":1}',
  additionalDirectories: ['/d'],
  mcpServers: { x: { type: 'stdio', command: 'c' } },
  includePartialMessages: true,
  includeHookEvents: true,
  strictMcpConfig: true,
  forkSession: true,
  resumeSessionAt: 'at',
  resumeDropsTurn: 'drop',
  settingSources: ['user'],
  plugins: [{ type: 'local', path: '/p' }],
  extraArgs: { own: 'v' },
  thinking: { type: 'adaptive', display: 'summarized' },
  effort: 'high',
  outputFormat: { type: 'json_schema', schema: { type: 'object' } },
};

/** What the command line says. */
export const argvRows: readonly ShownRow<ProcessProgram>[] = [
  {
    id: 'PY-021',
    what: 'default options give the flags that are always there, and an empty system prompt',
    looks: [
      unlike(
        'default options',
        {},
        {
          python: { argv: [...BASE, '--system-prompt', '', ...INPUT] },
          ours: { argv: [...BASE, ...INPUT], initialize: { systemPrompt: '' } },
          at: ['argv'],
        },
        differs(
          'official-ts',
          'TS-001, TS-068',
          'argv',
          'The TypeScript SDK sends the empty system prompt in `initialize`.',
        ),
      ),
    ],
  },
  {
    id: 'PY-022',
    what: 'argv has neither -p/--print nor the prompt',
    looks: [
      look(launch('flags: no prompt on argv', { model: 'm' }, { prompt: 'A secret question' }), {
        at: ['flags/--print', 'flags/-p', 'flags/?', 'flags/--model'],
        both: {
          flags: { '--print': '$absent', '-p': '$absent', '?': '$absent', '--model': 'm' },
          order: ['request initialize', 'user', 'EOF'],
        },
      }),
    ],
  },
  {
    id: 'PY-023',
    what: 'a system prompt that is text',
    looks: [
      unlike(
        'system prompt',
        { systemPrompt: 'x' },
        {
          python: { flags: { '--system-prompt': 'x' }, initialize: { systemPrompt: '$absent' } },
          ours: { flags: { '--system-prompt': '$absent' }, initialize: { systemPrompt: 'x' } },
        },
        inInitialize('flags/--system-prompt'),
        inInitialize('initialize/systemPrompt'),
      ),
    ],
  },
  {
    id: 'PY-024',
    what: 'a preset without `append`: no system-prompt flag of any kind',
    looks: [
      flags(
        'preset',
        { systemPrompt: preset },
        { '--system-prompt': '$absent', '--append-system-prompt': '$absent', '--system-prompt-file': '$absent' },
      ),
    ],
  },
  {
    id: 'PY-025',
    what: 'a preset with `append`, an empty one too',
    looks: ['more', ''].map((append) =>
      unlike(
        `preset and ${JSON.stringify(append)}`,
        { systemPrompt: { ...preset, append } },
        {
          python: { flags: { '--append-system-prompt': append, '--system-prompt': '$absent' } },
          ours: {
            flags: { '--append-system-prompt': '$absent', '--system-prompt': '$absent' },
            initialize: { appendSystemPrompt: append },
          },
          at: ['flags/--system-prompt'],
        },
        differs('official-ts', 'TS-070', 'flags/--append-system-prompt', IN_INITIALIZE),
      ),
    ),
  },
  {
    id: 'PY-026',
    what: 'a system prompt from a file',
    looks: [
      unlike(
        'prompt from a file',
        { systemPrompt: { type: 'file', path: 'p' } },
        {
          python: { flags: { '--system-prompt-file': 'p', '--system-prompt': '$absent' } },
          ours: { failure: { kind: 'invalid_option', option: 'systemPrompt.type' }, processes: 0 },
        },
        differs(
          'safety',
          'D-62',
          'failure',
          'The TypeScript SDK has no such kind; an unknown kind is refused, since the run would be without its instructions.',
        ),
      ),
    ],
  },
  {
    id: 'PY-027',
    what: 'no tools: `--tools` with an empty value',
    looks: [flags('no tools', { tools: [] }, { '--tools': '' })],
  },
  {
    id: 'PY-028',
    what: 'tools joined by commas',
    looks: [flags('tools', { tools: ['Bash', 'Read'] }, { '--tools': 'Bash,Read' })],
  },
  {
    id: 'PY-029',
    what: 'the tools preset is `default`; nothing said, no flag',
    looks: [
      flags('all tools', { tools: preset }, { '--tools': 'default' }),
      flags('tools not said', { tools: null }, { '--tools': '$absent' }),
    ],
  },
  {
    id: 'PY-030',
    what: 'allowed and disallowed tools joined by commas; empty lists are no flags',
    looks: [
      flags(
        'allowed and disallowed tools',
        { allowedTools: ['A', 'B'], disallowedTools: ['C', 'D'] },
        { '--allowedTools': 'A,B', '--disallowedTools': 'C,D' },
      ),
      flags(
        'empty lists of tools',
        { allowedTools: [], disallowedTools: [] },
        { '--allowedTools': '$absent', '--disallowedTools': '$absent' },
      ),
    ],
  },
  {
    id: 'PY-031',
    what: 'no limit of turns is no flag',
    looks: [
      flags('max turns 0', { maxTurns: 0 }, { '--max-turns': '$absent' }),
      flags('max turns 3', { maxTurns: 3 }, { '--max-turns': '3' }),
    ],
  },
  {
    id: 'PY-032',
    what: 'a budget of nothing is sent',
    looks: [flags('no budget', { maxBudgetUsd: 0 }, { '--max-budget-usd': '0' })],
  },
  {
    id: 'PY-033',
    what: 'the task budget is its total',
    looks: [flags('task budget', { taskBudget: { total: 5 } }, { '--task-budget': '5' })],
  },
  {
    id: 'PY-034',
    what: 'empty models are no flags',
    looks: [
      flags('empty models', { model: '', fallbackModel: '' }, { '--model': '$absent', '--fallback-model': '$absent' }),
    ],
  },
  {
    id: 'PY-035',
    what: 'betas joined by commas',
    looks: [flags('betas', { betas: ['a', 'b'] }, { '--betas': 'a,b' })],
  },
  {
    id: 'PY-036',
    what: 'a permission callback: the CLI is to ask on stdio',
    looks: [
      flags('permission callback', { canUseTool: { $callback: 'ask' } }, { '--permission-prompt-tool': 'stdio' }),
    ],
  },
  {
    id: 'PY-037',
    what: 'each of the six permission modes',
    looks: ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto'].map((mode) =>
      flags(`mode ${mode}`, { permissionMode: mode }, { '--permission-mode': mode }),
    ),
  },
  {
    id: 'PY-038',
    what: 'continue is a bare flag',
    looks: [flags('continue', { continue: true }, { '--continue': true })],
  },
  {
    id: 'PY-039',
    what: 'resume is one token, so that a value with a dash is no flag',
    looks: [
      look(launch('flags: resume with a dash', { systemPrompt: preset, resume: '-x' }), {
        at: ['rest'],
        both: { rest: ['--resume=-x'] },
      }),
    ],
  },
  {
    id: 'PY-040',
    what: 'an empty resume is no flag',
    looks: [flags('empty resume', { resume: '' }, { '--resume': '$absent' })],
  },
  {
    id: 'PY-041',
    what: 'the session id is one token',
    looks: [
      look(launch('flags: session id', { systemPrompt: preset, sessionId: UUID }), {
        at: ['rest'],
        both: { rest: [`--session-id=${UUID}`] },
      }),
    ],
  },
  {
    id: 'PY-042',
    what: 'resuming at a message is one token',
    looks: [
      look(launch('flags: resume at', { systemPrompt: preset, resumeSessionAt: '-m' }), {
        at: ['rest'],
        both: { rest: ['--resume-session-at=-m'] },
      }),
      flags('resume at nothing', {}, { '--resume-session-at': '$absent' }),
    ],
  },
  {
    id: 'PY-043',
    what: 'the turn that resuming drops is sent even when it is empty',
    looks: [
      look(launch('flags: drops an empty turn', { systemPrompt: preset, resumeDropsTurn: '' }), {
        at: ['rest'],
        both: { rest: ['--resume-drops-turn='] },
      }),
      flags('drops no turn', {}, { '--resume-drops-turn': '$absent' }),
    ],
  },
  {
    id: 'PY-044',
    what: 'settings that are a path or JSON text pass unchanged',
    looks: [
      flags('settings path', { settings: '/a/settings.json' }, { '--settings': '/a/settings.json' }),
      look(launch('flags: settings text', { settings: '{ "a":1 }' }), {
        at: ['flags/--settings'],
        both: { flags: { '--settings': { a: 1 } } },
      }),
    ],
  },
  {
    id: 'PY-045',
    what: 'empty settings are no flag',
    looks: [flags('empty settings', { settings: '' }, { '--settings': '$absent' })],
  },
  {
    id: 'PY-046',
    what: 'an empty sandbox is sent',
    looks: [flags('empty sandbox', { sandbox: {} }, { '--settings': { sandbox: {} } })],
  },
  {
    id: 'PY-047',
    what: 'a sandbox beside settings: one object',
    looks: [
      flags(
        'sandbox and settings',
        { sandbox: { enabled: false }, settings: '{"a":1,"sandbox":{"enabled":true}}' },
        { '--settings': { a: 1, sandbox: { enabled: false } } },
      ),
      unlike(
        'sandbox and settings with another key',
        { sandbox: { excludedCommands: ['x'] }, settings: '{"sandbox":{"autoAllowBashIfSandboxed":true}}' },
        {
          python: { flags: { '--settings': { sandbox: { excludedCommands: ['x'] } } } },
          ours: { flags: { '--settings': { sandbox: { excludedCommands: ['x'], autoAllowBashIfSandboxed: true } } } },
        },
        differs(
          'official-ts',
          'TS-049',
          'flags/--settings',
          'The TypeScript SDK merges the two key by key; Python replaces the whole sandbox.',
        ),
      ),
    ],
  },
  {
    id: 'PY-048',
    what: 'a sandbox beside settings that name a missing file',
    looks: [
      unlike(
        'sandbox and a missing settings file',
        { sandbox: { enabled: false }, settings: '/no/such/file.json' },
        {
          python: { processes: 0, failure: { kind: 'launch', message: '/^Failed to load settings: /' } },
          ours: { processes: 0, failure: { kind: 'invalid_option', option: 'sandbox' } },
          before: {
            python: {
              flags: { '--settings': { sandbox: { enabled: false } } },
              warnings: ['/Settings file not found/'],
            },
          },
        },
        differs('official-ts', 'TS-050', 'failure', 'The TypeScript SDK refuses a sandbox beside a settings path.'),
      ),
    ],
  },
  {
    id: 'PY-049',
    what: 'a sandbox beside settings in braces that are no JSON',
    looks: [
      unlike(
        'sandbox and broken settings',
        { sandbox: { enabled: false }, settings: '{no json}' },
        {
          python: { processes: 0, failure: { kind: 'launch', message: '/^Failed to load settings: /' } },
          ours: { processes: 0, failure: { kind: 'invalid_option', option: 'sandbox' } },
          before: { python: { flags: { '--settings': { sandbox: { enabled: false } } }, failure: null } },
        },
        differs(
          'official-ts',
          'TS-050',
          'failure',
          'What is no JSON is taken for a path, and the TypeScript SDK refuses a sandbox beside one.',
        ),
      ),
    ],
  },
  {
    id: 'PY-050',
    what: 'a flag for each further folder',
    looks: [flags('folders', { additionalDirectories: ['/a', '/b'] }, { '--add-dir': ['/a', '/b'] })],
  },
  {
    id: 'PY-051',
    what: 'external and in-process MCP servers',
    looks: [
      flags(
        'external servers',
        { mcpServers: { x: { type: 'stdio', command: 'c', args: ['a'] }, y: { command: 'd' } } },
        { '--mcp-config': { mcpServers: { x: { type: 'stdio', command: 'c', args: ['a'] }, y: { command: 'd' } } } },
      ),
      unlike(
        'an in-process server and an external one',
        { mcpServers: { own: { $server: {} }, x: { command: 'c' } } },
        {
          python: {
            flags: { '--mcp-config': { mcpServers: { own: { type: 'sdk', name: 'own' }, x: { command: 'c' } } } },
          },
          ours: {
            flags: { '--mcp-config': { mcpServers: { own: '$absent', x: { command: 'c' } } } },
            initialize: { sdkMcpServers: ['own'] },
          },
          at: ['flags/--mcp-config/mcpServers/x'],
        },
        differs(
          'official-ts',
          'TS-076',
          'flags/--mcp-config/mcpServers/own',
          'The TypeScript SDK names its own servers in `initialize`.',
        ),
      ),
    ],
  },
  {
    id: 'PY-052',
    what: 'MCP servers as a path or text; none, no flag',
    looks: [
      flags('no servers', { mcpServers: {} }, { '--mcp-config': '$absent' }),
      unlike(
        'servers from a file',
        { mcpServers: '/a/mcp.json' },
        {
          python: { flags: { '--mcp-config': '/a/mcp.json' } },
          ours: { processes: 0, failure: { kind: 'invalid_option', option: 'mcpServers' } },
        },
        differs(
          'official-ts',
          'TS-056, D-65',
          'failure',
          'The TypeScript SDK takes an object only; `extraArgs` carries a path.',
        ),
      ),
    ],
  },
  {
    id: 'PY-053',
    what: 'bare flags: partial messages, hook events, strict MCP, fork',
    looks: [
      flags(
        'bare flags',
        { includePartialMessages: true, includeHookEvents: true, strictMcpConfig: true, forkSession: true },
        {
          '--include-partial-messages': true,
          '--include-hook-events': true,
          '--strict-mcp-config': true,
          '--fork-session': true,
        },
      ),
    ],
  },
  {
    id: 'PY-054',
    what: 'a session store: the CLI is to mirror the transcript',
    looks: [
      flags('a store', { sessionStore: { $store: 'memory' } }, { '--session-mirror': true }),
      flags('no store', {}, { '--session-mirror': '$absent' }),
    ],
  },
  {
    id: 'PY-055',
    what: 'setting sources are one token, an empty list too',
    looks: [
      ...[
        [[], ''],
        [['user', 'local'], 'user,local'],
      ].map(([sources, value]) =>
        look(launch(`flags: sources ${JSON.stringify(sources)}`, { systemPrompt: preset, settingSources: sources }), {
          at: ['rest'],
          both: { rest: [`--setting-sources=${value}`] },
        }),
      ),
      flags('sources not said', {}, { '--setting-sources': '$absent' }),
    ],
  },
  {
    id: 'PY-056',
    what: 'a flag for each local plugin; another type is refused',
    looks: [
      flags(
        'plugins',
        {
          plugins: [
            { type: 'local', path: '/a' },
            { type: 'local', path: '/b' },
          ],
        },
        { '--plugin-dir': ['/a', '/b'] },
      ),
      refused('plugin of another type', { plugins: [{ type: 'remote', path: '/a' }] }, 'plugins[0].type'),
    ],
  },
  {
    id: 'PY-057',
    what: 'further flags, in their order',
    looks: [
      look(launch('flags: further flags', { systemPrompt: preset, extraArgs: { a: null, b: 'v', c: '-x', d: '' } }), {
        at: ['rest'],
        both: { rest: ['--a', '--b', 'v', '--c=-x', '--d', ''] },
      }),
    ],
  },
  {
    id: 'PY-058',
    what: 'the three kinds of thinking',
    looks: [
      flags('adaptive', { thinking: { type: 'adaptive' } }, { '--thinking': 'adaptive' }),
      flags(
        'enabled',
        { thinking: { type: 'enabled', budgetTokens: 9 } },
        { '--max-thinking-tokens': '9', '--thinking': '$absent' },
      ),
      flags('disabled', { thinking: { type: 'disabled' } }, { '--thinking': 'disabled' }),
    ],
  },
  {
    id: 'PY-059',
    what: 'how thinking is shown, right after it',
    looks: [
      flags(
        'adaptive with display',
        { thinking: { type: 'adaptive', display: 'summarized' } },
        { '--thinking': 'adaptive', '--thinking-display': 'summarized' },
      ),
      flags(
        'disabled with display',
        { thinking: { type: 'disabled', display: 'summarized' } },
        { '--thinking': 'disabled', '--thinking-display': '$absent' },
      ),
    ],
  },
  {
    id: 'PY-060',
    what: '`thinking` wins over `maxThinkingTokens`; 0 tokens alone',
    looks: [
      flags(
        'both said',
        { thinking: { type: 'adaptive' }, maxThinkingTokens: 5 },
        { '--thinking': 'adaptive', '--max-thinking-tokens': '$absent' },
      ),
      flags('tokens', { maxThinkingTokens: 5 }, { '--max-thinking-tokens': '5' }),
      unlike(
        'no tokens',
        { maxThinkingTokens: 0 },
        {
          python: { flags: { '--max-thinking-tokens': '0', '--thinking': '$absent' } },
          ours: { flags: { '--max-thinking-tokens': '$absent', '--thinking': 'disabled' } },
        },
        differs(
          'official-ts',
          'TS-029',
          'flags/--max-thinking-tokens',
          'The TypeScript SDK says it as thinking that is turned off.',
        ),
        differs('official-ts', 'TS-029', 'flags/--thinking', 'The same.'),
      ),
    ],
  },
  { id: 'PY-061', what: 'effort', looks: [flags('effort', { effort: 'high' }, { '--effort': 'high' })] },
  {
    id: 'PY-062',
    what: 'a schema of the output; other formats',
    looks: [
      flags(
        'schema',
        { outputFormat: { type: 'json_schema', schema: { type: 'object', title: 'A' } } },
        { '--json-schema': { type: 'object', title: 'A' } },
      ),
      unlike(
        'another format',
        { outputFormat: { type: 'xml', schema: { type: 'object' } } },
        {
          python: { flags: { '--json-schema': '$absent' }, failure: null },
          ours: { processes: 0, failure: { kind: 'invalid_option', option: 'outputFormat.type' } },
        },
        differs('safety', 'D-34, D-72', 'failure', 'An unknown format is refused: the output would silently be text.'),
      ),
    ],
  },
  {
    id: 'PY-063',
    what: 'all flags at once, and their order',
    looks: [
      look(launch('flags: all at once', everything), {
        name: 'the same flags with the same values',
        at: ['flags'],
        both: { flags: { '--model': 'm', '--settings': { a: 1 }, '--effort': 'high' } },
        python: { flags: { '--system-prompt': '' } },
        ours: { flags: { '--system-prompt': '$absent' } },
        differs: [inInitialize('flags/--system-prompt')],
      }),
      look(launch('flags: order', { systemPrompt: preset, tools: ['A'], effort: 'high' }), {
        name: 'order and form',
        at: ['argv'],
        python: { argv: [...BASE, '--tools', 'A', '--effort', 'high', ...INPUT] },
        ours: { argv: [...BASE, ...INPUT, '--effort=high', '--tools=A'] },
        differs: [
          differs(
            'official-ts',
            'TS-001, TS-021, TS-039',
            'argv',
            'The TypeScript SDK writes `--flag=value`, in an order of its own.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-064',
    what: 'agents are not on argv, however long',
    looks: [
      look(
        launch('flags: a long agent', {
          systemPrompt: preset,
          agents: { a: { description: 'd', prompt: 'p'.repeat(50_000) } },
        }),
        { at: ['argv', 'initialize/agents'], both: { argv: [...BASE, ...INPUT] } },
      ),
    ],
  },
  {
    id: 'PY-065',
    what: 'all skills: `Skill` is allowed, once',
    looks: [
      unlike(
        'all skills',
        { skills: 'all', allowedTools: ['Skill', 'Read'] },
        {
          python: { flags: { '--allowedTools': 'Skill,Read', '--setting-sources': 'user,project' } },
          ours: { flags: { '--allowedTools': 'Skill,Read', '--setting-sources': '$absent' } },
          at: ['flags/--allowedTools'],
        },
        noSources,
      ),
    ],
  },
  {
    id: 'PY-066',
    what: 'one skill is allowed by its name; explicit setting sources are kept',
    looks: [
      flags(
        'a skill and sources',
        { skills: ['pdf'], settingSources: ['local'], allowedTools: ['Read'] },
        { '--allowedTools': 'Read,Skill(pdf)', '--setting-sources': 'local' },
      ),
      unlike(
        'a skill',
        { skills: ['pdf'] },
        {
          python: { flags: { '--allowedTools': 'Skill(pdf)', '--setting-sources': 'user,project' } },
          ours: { flags: { '--allowedTools': 'Skill(pdf)', '--setting-sources': '$absent' } },
          at: ['flags/--allowedTools'],
        },
        noSources,
      ),
    ],
  },
  {
    id: 'PY-067',
    what: 'no skills: nothing is allowed',
    looks: [
      unlike(
        'no skills',
        { skills: [] },
        {
          python: { flags: { '--allowedTools': '$absent', '--setting-sources': 'user,project' } },
          ours: { flags: { '--allowedTools': '$absent', '--setting-sources': '$absent' } },
          at: ['flags/--allowedTools'],
        },
        noSources,
      ),
    ],
  },
  {
    id: 'PY-068',
    what: 'skills that are another text, or no list, are refused',
    looks: [
      refused('skills as text', { skills: 'pdf' }, 'skills'),
      look(
        {
          ...launch('refused: skills as something else', {}),
          python: { $fields: { skills: { $tuple: ['pdf'] } } },
          ours: { skills: { 0: 'pdf' } },
        },
        {
          at: ['processes', 'failure/kind'],
          both: { processes: 0, failure: { kind: 'invalid_option' } },
          ours: { failure: { option: 'skills' } },
        },
      ),
    ],
  },
  {
    id: 'PY-069',
    what: 'skill names that could be another rule are refused',
    looks: [
      ...[
        ['empty', ''],
        ['blank', ' '],
        ['blanks around', ' a '],
        ['a parenthesis', 'a)'],
        ['a comma', 'a,b'],
        ['a control character', 'a\u0007'],
        ['a mark of byte order', '\ufeffa'],
        ['a star', '*'],
        ['a prefix rule', 'a:*'],
        ['a blank and a star', 'a *'],
        ['a slash in front', '/a'],
        ['two backslashes', 'a\\\\b'],
        ['a backslash at the end', 'a\\'],
        ['a number', 7],
      ].map(([name, skill]) => refused(`skill name: ${name}`, { skills: [skill] }, 'skills[0]')),
      flags(
        'skill names that pass',
        { skills: ['pdf-tools', 'my_skill.v2', 'myplugin:pdf', 'with blanks', 'dir\\sub', 'été'] },
        {
          '--allowedTools':
            'Skill(pdf-tools),Skill(my_skill.v2),Skill(myplugin:pdf),Skill(with blanks),Skill(dir\\sub),Skill(été)',
        },
      ),
    ],
  },
];
