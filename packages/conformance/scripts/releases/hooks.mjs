import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bash, bypass, ran } from './guards.mjs';
import { failure } from './stage.mjs';

/*
 * Which callbacks of hooks a release calls: of which events, for which matchers, and under which settings.
 */

const EVENTS = [
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'UserPromptSubmit', 'UserPromptExpansion'],
  ...['SessionStart', 'Stop', 'SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact', 'MessageDisplay'],
];
const PROMPT = 'PROMPT-OF-THE-SUB-AGENT';
const AGENTS = ['--agents', JSON.stringify({ probe: { description: 'A probe.', prompt: PROMPT } })];
const entries = (events) => Object.fromEntries(events.map((event) => [event, [{ hookCallbackIds: [event] }]]));
const called = (seen, event) => seen.hooked.some(({ callback_id }) => callback_id === event);

/** A session that has something for each event. */
async function events(stage) {
  stage.write(
    join(stage.work, '.claude', 'commands', 'probe.md'),
    '---\ndescription: A probe.\n---\nWords of a command.',
  );
  const agent = { description: 'x', prompt: 'Go on.', subagent_type: 'probe', run_in_background: false };
  const own = [bash('true'), bash('cat /nothing-is-here'), ['Task', agent]];
  const calls = ({ system }, done) => (JSON.stringify(system ?? '').includes(PROMPT) ? undefined : own[done]);
  const isResult = ({ type }) => type === 'result';
  const say = async (session, content) => {
    const from = session.frames.length;
    session.say({ content });
    await session.until(isResult, { from, limitMs: 20_000 });
  };
  const after = async (session) => {
    await say(session, '/probe');
    await say(session, '/compact');
  };
  const seen = await bypass(stage, { args: AGENTS, calls, initialize: { hooks: entries(EVENTS) }, after });
  const problem = failure(seen);
  return Object.fromEntries(
    EVENTS.map((event) => [`hook, ${event}`, problem ?? (called(seen, event) ? 'called' : 'not called')]),
  );
}

async function failedTurn(stage) {
  const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', CLAUDE_CODE_MAX_RETRIES: '0' };
  const seen = await stage.play({ env, initialize: { hooks: entries(['StopFailure']) } });
  return {
    'hook, StopFailure': called(seen, 'StopFailure')
      ? 'called'
      : seen.result === undefined
        ? 'no result'
        : 'not called',
  };
}

/** A hook that decides, beside a callback that never answers. */
async function permissionRequest(stage) {
  const file = join(stage.work, 'trace');
  const seen = await stage.play({
    args: ['--permission-prompt-tool=stdio', '--permission-mode=default'],
    calls: [bash(`touch ${file}`)],
    initialize: { hooks: entries(['PermissionRequest']) },
    hook: ({ input: { hook_event_name: hookEventName } }) => ({
      hookSpecificOutput: { hookEventName, decision: { behavior: 'allow' } },
    }),
    permission: () => null,
    limitMs: 20_000,
  });
  const isAsked = seen.asked.length > 0;
  const words = called(seen, 'PermissionRequest') ? 'called' : isAsked ? 'not called' : 'no result';
  return { 'hook, PermissionRequest, with a callback': existsSync(file) ? 'decides' : words };
}

/** A hook that denies, while settings switch hooks off. */
function disabled(title, { file, inline }) {
  return async (stage) => {
    const trace = join(stage.work, 'trace');
    if (file !== undefined) stage.write(join(stage.config, 'settings.json'), file);
    const seen = await bypass(stage, {
      args: inline === undefined ? [] : ['--settings', JSON.stringify(inline)],
      calls: [bash(`touch ${trace}`)],
      initialize: { hooks: entries(['PreToolUse']) },
      hook: ({ input: { hook_event_name: hookEventName } }) => ({
        hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: 'By the hook.' },
      }),
    });
    return { [`hook, deny, disableAllHooks ${title}`]: ran(seen, trace) };
  };
}

const matchersOf = (matchers) => async (stage) => {
  const PreToolUse = Object.entries(matchers).map(([matcher, id]) => ({ matcher, hookCallbackIds: [id] }));
  const seen = await bypass(stage, { calls: [bash('true')], initialize: { hooks: { PreToolUse } } });
  const problem = failure(seen);
  return Object.fromEntries(
    Object.entries(matchers).map(([matcher, id]) => [
      `hook, matcher \`${matcher}\``,
      problem ?? (called(seen, id) ? 'called' : 'not called'),
    ]),
  );
};

async function starOfTool(stage) {
  const file = join(stage.work, 'trace');
  const secret = stage.write(join(stage.work, 'secret.txt'), 'CONTENT-OF-SECRET');
  const calls = [
    ['Write', { file_path: file, content: 'x' }],
    ['Read', { file_path: secret }],
  ];
  const seen = await bypass(stage, { args: ['--disallowedTools=Write(*),Read(*)'], calls });
  const wasRead = JSON.stringify(seen.bodies.at(-1) ?? '').includes('CONTENT-OF-SECRET');
  return {
    'disallowedTools, `Write(*)`': ran(seen, file),
    'disallowedTools, `Read(*)`': failure(seen) ?? (wasRead ? 'runs' : 'does not run'),
  };
}

/** A hook that puts a call off, and one that denies it as the control. */
async function defer(stage) {
  const place = (name) => join(stage.work, name);
  const hook = ({ input: { hook_event_name: hookEventName, tool_input } }) => ({
    hookSpecificOutput: {
      hookEventName,
      permissionDecision: tool_input.command.endsWith('denied') ? 'deny' : 'defer',
      permissionDecisionReason: 'By the hook.',
    },
  });
  const calls = ['denied', 'deferred'].map((name) => bash(`touch ${place(name)}`));
  const seen = await bypass(stage, { calls, initialize: { hooks: entries(['PreToolUse']) }, hook, graceMs: 0 });
  return { 'hook, deny, before `defer`': ran(seen, place('denied')), 'hook, defer': ran(seen, place('deferred')) };
}

const OFF = { disableAllHooks: true };

export const HOOKS = {
  'hook-events': events,
  'hook-defer': defer,
  'hook-failed-turn': failedTurn,
  'permission-hook': permissionRequest,
  'hooks-off-file': disabled('in a file', { file: OFF }),
  'hooks-off-inline': disabled('in inline settings', { inline: OFF }),
  'hooks-off-overruled': disabled('in a file, `false` in inline settings', {
    file: OFF,
    inline: { disableAllHooks: false },
  }),
  'loose-matchers': matchersOf({
    'Write, Bash': 'comma',
    'Write | Bash': 'blanks',
    'Write,Bash': 'tight',
    'Write|Bash': 'bar',
  }),
  'hyphen-matchers': matchersOf({
    'mcp__my-srv__x, Bash': 'comma',
    'mcp__my-srv__x | Bash': 'blanks',
    'mcp__my-srv__x|Bash': 'bar',
  }),
  'star-of-tool': starOfTool,
};
