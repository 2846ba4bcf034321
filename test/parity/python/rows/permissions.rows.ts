import type { JsonObject } from '../../../../src/util/json.js';
import type { ProcessProgram } from '../harness/program.js';
import type { Difference, Json, Look, Row } from '../harness/row.js';
import { asked, differs, EOF, launch, look, RESULT, USER } from './steps.js';

const INPUT = { command: 'ls' };
const suggestion = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };

/** What the callback returns, by the id of the question. */
const RETURNS: Readonly<Record<string, JsonObject>> = {
  allow: { behavior: 'allow' },
  emptyInput: { behavior: 'allow', updatedInput: {} },
  noUpdates: { behavior: 'allow', updatedPermissions: [] },
  deny: { behavior: 'deny', message: '' },
  interrupt: { behavior: 'deny', message: 'no', interrupt: true },
  wrong: { $raw: { other: 1 } },
  echoed: { behavior: 'allow', updatedPermissions: [suggestion] },
  stray: {
    behavior: 'allow',
    updatedPermissions: [
      { ...suggestion, mode: 'plan', rules: [{ toolName: 'Bash', ruleContent: 'ls' }] },
      { type: 'setMode', mode: 'plan', destination: 'session' },
      { type: 'addDirectories', directories: ['/a'], destination: 'session' },
    ],
  },
};
const CONTEXT: Readonly<Record<string, JsonObject>> = {
  allow: {
    tool_use_id: 'tu',
    agent_id: 'ag',
    blocked_path: '/b',
    decision_reason: 'why',
    title: 'T',
    display_name: 'D',
    description: 'text',
    permission_suggestions: [suggestion],
  },
  emptyInput: { permission_suggestions: null },
};
const question = (id: string, more: JsonObject = {}): ReturnType<typeof asked> =>
  asked(id, { subtype: 'can_use_tool', tool_name: 'Bash', input: INPUT, tool_use_id: `t-${id}`, ...more });

/** A client: its allow without an input is completed with the one that was asked about, as Python's is. */
const client: ProcessProgram = {
  name: 'permissions: answers',
  mode: 'client',
  options: { canUseTool: { $callback: 'ask' } },
  callbacks: { ask: { returns: Object.values(RETURNS) } },
  cli: [USER, ...Object.keys(RETURNS).flatMap((id) => question(id, CONTEXT[id])), RESULT, EOF],
  acts: [{ drive: { command: 'send', content: 'Hi' } }, { observe: { what: 'message' } }],
};
const asking = (name: string, more: JsonObject, spec: JsonObject = {}): ProcessProgram =>
  launch(`permissions: ${name}`, more, { callbacks: { ask: spec }, cli: [USER, ...question('q'), RESULT, EOF] });

const response = (id: string, below = ''): string => `answers/${id}/response${below}`;
const shows = (id: string, value: Json): Json => ({ answers: { [id]: { response: value } } });
/** The TypeScript SDK names the tool use in its answer. */
const named = (id: string): Difference =>
  differs(
    'official-ts',
    'TS-113, TS-115',
    response(id, '/toolUseID'),
    'The TypeScript SDK names the tool use in its answer.',
    id === 'allow' ? 'tu' : `t-${id}`,
  );

/** Both answer so, but for the name of the tool use. */
function answer(id: string, value: Json): Look<ProcessProgram> {
  return look(client, { name: `permissions: ${id}`, at: [response(id)], both: shows(id, value), differs: [named(id)] });
}

const SHADOWED = '/^(?:CanUseToolShadowedWarning|CLAUDE_SDK_CAN_USE_TOOL_SHADOWED): /';
const ask = { canUseTool: { $callback: 'ask' } };
const warned = (name: string, options: JsonObject): Look<ProcessProgram> =>
  look(launch(`warned: ${name}`, { ...ask, ...options }), {
    name,
    at: ['said', 'end', 'failure'],
    both: { warnings: [SHADOWED], said: ['result/success'] },
  });
const silent = (name: string, options: JsonObject): Look<ProcessProgram> =>
  look(launch(`not warned: ${name}`, { ...ask, ...options }), {
    name,
    at: ['warnings', 'said', 'failure'],
    both: { warnings: [], said: ['result/success'] },
  });

/** Permissions. */
export const permissionRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-215',
    what: 'allowed without changes: the input that was asked about is sent back',
    looks: [answer('allow', { behavior: 'allow', updatedInput: INPUT })],
  },
  {
    id: 'PY-216',
    what: 'an empty input is sent as it is',
    looks: [answer('emptyInput', { behavior: 'allow', updatedInput: {} })],
  },
  {
    id: 'PY-217',
    what: 'an empty list of permissions is sent; none, no key',
    looks: [
      answer('noUpdates', { updatedPermissions: [] }),
      look(client, {
        name: 'permissions: none',
        at: [response('allow', '/updatedPermissions')],
        both: shows('allow', { updatedPermissions: '$absent' }),
      }),
    ],
  },
  {
    id: 'PY-218',
    what: 'denied without a text',
    looks: [answer('deny', { behavior: 'deny', message: '', interrupt: '$absent' })],
  },
  {
    id: 'PY-219',
    what: 'denied, and the turn is to stop',
    looks: [answer('interrupt', { behavior: 'deny', message: 'no', interrupt: true })],
  },
  {
    id: 'PY-220',
    what: 'a callback that throws: an error with its text',
    looks: [
      look(asking('a callback that throws', ask, { throws: 'mine' }), {
        at: ['answers/q', 'said'],
        both: { answers: { q: { subtype: 'error', error: 'mine' } } },
      }),
    ],
  },
  {
    id: 'PY-221',
    what: 'a callback that returns anything else',
    looks: [
      look(client, {
        at: [],
        python: {
          answers: { wrong: { subtype: 'error', error: '/^Tool permission callback must return PermissionResult/' } },
        },
        ours: {
          answers: {
            wrong: { subtype: 'success', response: { behavior: 'deny', message: '/^canUseTool must return /' } },
          },
        },
        differs: [differs('safety', 'D-16', 'answers/wrong', 'It fails closed: a denial that says what was wrong.')],
      }),
    ],
  },
  {
    id: 'PY-222',
    what: 'no callback: an error',
    looks: [
      look(asking('no callback', { hooks: { Stop: [{ hooks: [{ $callback: 'ask' }] }] } }), {
        at: ['answers/q/subtype', 'said'],
        both: { answers: { q: { subtype: 'error' } } },
        python: { answers: { q: { error: 'canUseTool callback is not provided' } } },
        ours: { answers: { q: { error: 'canUseTool callback is not provided.' } } },
        differs: [
          differs(
            'official-ts',
            'TS-118',
            'answers/q/error',
            'The text is the one of the TypeScript SDK: it ends with a full stop.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-223',
    what: 'the callback sees everything the CLI says',
    looks: [
      look(client, {
        at: [
          'callbacks/0/input/tool_name',
          'callbacks/0/input/input',
          ...['tool_use_id', 'agent_id', 'blocked_path', 'decision_reason', 'title', 'display_name', 'description'].map(
            (name) => `callbacks/0/input/${name}`,
          ),
        ],
        both: {
          callbacks: [
            {
              input: {
                tool_name: 'Bash',
                input: INPUT,
                tool_use_id: 'tu',
                agent_id: 'ag',
                blocked_path: '/b',
                decision_reason: 'why',
                title: 'T',
                display_name: 'D',
                description: 'text',
                suggestions: [{ type: 'addRules', behavior: 'allow', destination: 'session' }],
              },
            },
            ...Array.from({ length: 7 }, () => '$any'),
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-224',
    what: 'suggestions that are `null`',
    looks: [
      look(client, {
        python: { callbacks: ['$any', { input: { suggestions: [] } }, ...Array.from({ length: 6 }, () => '$any')] },
        ours: { callbacks: ['$any', '$any', ...Array.from({ length: 6 }, () => '$any')] },
        at: ['callbacks/1/input/suggestions'],
      }),
    ],
  },
  {
    id: 'PY-225',
    what: 'a suggestion that is given back',
    looks: [
      look(client, {
        name: 'permissions: echoed',
        at: [response('echoed')],
        python: shows('echoed', { updatedPermissions: [{ rules: [{ toolName: 'Bash', ruleContent: '$absent' }] }] }),
        ours: shows('echoed', { updatedPermissions: [{ rules: [{ toolName: 'Bash', ruleContent: '$absent' }] }] }),
        differs: [named('echoed')],
        before: {
          python: shows('echoed', { updatedPermissions: [{ rules: [{ toolName: 'Bash', ruleContent: null }] }] }),
          differs: [
            named('echoed'),
            differs(
              'official-ts',
              'TS-114',
              response('echoed', '/updatedPermissions'),
              'The TypeScript SDK passes it as it came, and the newer release adds no `ruleContent: null` either.',
            ),
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-226',
    what: 'fields that do not belong to a kind of update',
    looks: [
      look(client, {
        name: 'permissions: stray fields',
        at: [response('stray')],
        python: shows('stray', {
          updatedPermissions: [
            { mode: '$absent' },
            { type: 'setMode', mode: 'plan', destination: 'session' },
            { type: 'addDirectories', directories: ['/a'], destination: 'session' },
          ],
        }),
        ours: shows('stray', {
          updatedPermissions: [
            { mode: 'plan' },
            { type: 'setMode', mode: 'plan', destination: 'session' },
            { type: 'addDirectories', directories: ['/a'], destination: 'session' },
          ],
        }),
        differs: [
          named('stray'),
          differs(
            'official-ts',
            'TS-114',
            response('stray', '/updatedPermissions/0/mode'),
            'The TypeScript SDK passes it as it came.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-227',
    what: 'a callback and a tool that decides: refused, nothing started',
    looks: [
      look(launch('permissions: two that decide', { ...ask, permissionPromptToolName: 't' }), {
        at: ['processes', 'failure/kind'],
        both: { processes: 0, failure: { kind: 'invalid_option' } },
        ours: { failure: { option: 'permissionPromptToolName' } },
      }),
    ],
  },
  {
    id: 'PY-228',
    what: 'a callback that the mode goes around: one warning, and the run goes on',
    looks: [warned('bypassPermissions', { permissionMode: 'bypassPermissions' })],
  },
  {
    id: 'PY-229',
    what: 'a callback that whole tools go around: one warning',
    looks: [
      warned('Read', { allowedTools: ['Read', 'Read'] }),
      ...['Write()', 'Edit(*)'].map((tool) =>
        look(launch(`warned: ${tool}`, { ...ask, allowedTools: [tool] }), {
          name: tool,
          at: ['said'],
          python: { warnings: [SHADOWED] },
          ours: { warnings: [] },
          differs: [
            differs('official-ts', 'TS-034', 'warnings', 'The TypeScript SDK does not count entries with parentheses.'),
          ],
        }),
      ),
      ...['Bash(ls:*)', '(x)', 'Read(', ' '].map((tool) => silent(JSON.stringify(tool), { allowedTools: [tool] })),
    ],
  },
  {
    id: 'PY-230',
    what: 'all skills beside a callback',
    looks: [
      look(launch('warned: all skills', { ...ask, skills: 'all' }), {
        python: { warnings: ['/Skill/'] },
        ours: { warnings: [] },
        differs: [
          differs('official-ts', 'TS-034, D-74', 'warnings', 'The TypeScript SDK counts what `allowedTools` says.'),
        ],
      }),
      silent('a skill', { skills: ['pdf'] }),
    ],
  },
  {
    id: 'PY-231',
    what: 'options that are only made: no warning',
    looks: [
      look(
        { ...launch('not warned: only made', { ...ask, allowedTools: ['Read'], $construct: true }), mode: 'client' },
        { at: ['warnings', 'processes', 'start'], both: { warnings: [], processes: 0, start: { result: null } } },
      ),
    ],
  },
];
