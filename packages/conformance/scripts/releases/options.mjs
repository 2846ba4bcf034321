import { flags } from './flags.mjs';
import { hookTimeout, mode, promptTimeout, sources, strict } from './guards.mjs';
import { failure } from './stage.mjs';

/*
 * Options and methods: whether the release does what each is for, not only whether it takes it.
 */

const MARK = 'MARK-OF-THE-PROBE';
const AGENT = { description: MARK, prompt: 'You probe.' };
const SCHEMA = { type: 'object', properties: { mark: { type: 'string' } }, required: ['mark'] };
const bash = (command) => ['Bash', { command, description: 'Run a command' }];

/** @returns how the model was asked */
function request(initialize, args, look) {
  return async (stage) => {
    const seen = await stage.play({ initialize, args });
    const problem = failure(seen) ?? (seen.answer.error && `error: ${String(seen.answer.error).slice(0, 80)}`);
    return problem ?? look(seen);
  };
}

const inSystem = ({ bodies }) => (JSON.stringify(bodies[0]?.system ?? '').includes(MARK) ? 'honoured' : 'lost');
const anywhere = ({ bodies, init }) =>
  JSON.stringify([bodies[0], init?.agents]).includes(MARK) || init?.agents?.includes('probe') ? 'honoured' : 'lost';
const sizeOfSystem = ({ bodies }) => {
  const texts = [bodies[0]?.system ?? []].flat().map((block) => (typeof block === 'string' ? block : block.text));
  return texts.join('').length < 1000 ? 'empty' : "the CLI's own";
};
const offers =
  (name) =>
  ({ bodies }) =>
    (bodies[0]?.tools ?? []).some((tool) => tool.name === name) ? 'honoured' : 'lost';
const frames =
  (fits) =>
  ({ session }) =>
    session.frames.some(fits) ? 'honoured' : 'lost';

function ends(args, subtype) {
  return async (stage) => {
    const seen = await stage.play({
      args: [...args, '--allowedTools=Bash'],
      calls: [bash('true'), bash('true'), bash('true')],
    });
    return failure(seen) ?? (seen.result?.subtype === subtype ? 'honoured' : `lost: ${seen.result?.subtype}`);
  };
}

/** A second process with the session of the first. */
function second(args, look) {
  return async (stage) => {
    const first = await stage.play({ initialize: {} });
    const id = first.init?.session_id;
    if (id === undefined) return `first run: ${failure(first)}`;
    const seen = await stage.play({ args: args(id) });
    return failure(seen) ?? look(seen, id);
  };
}

const remembers = ({ bodies }) => (JSON.stringify(bodies[0]?.messages).includes('Done.') ? 'remembers' : 'forgets');

const HOOKS = [
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop'],
  ...['SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact', 'Notification', 'PermissionRequest', 'Setup'],
];

async function hookEvents(stage) {
  const table = Object.fromEntries(HOOKS.map((event) => [event, [{ matcher: null, hookCallbackIds: [event] }]]));
  const args = ['--permission-prompt-tool=stdio', '--permission-mode=default', '--allowedTools=Bash(true)'];
  const sub = ['Task', { description: 'x', prompt: 'y', subagent_type: 'general-purpose' }];
  const seen = await stage.play({
    args,
    initialize: { hooks: table },
    calls: [bash('true'), bash('false'), ['Read', { file_path: '/nowhere' }], sub],
  });
  if (seen.answer.error) return `error: ${String(seen.answer.error).slice(0, 80)}`;
  const called = new Set(seen.hooked.map(({ callback_id }) => callback_id));
  return failure(seen) ?? HOOKS.filter((event) => called.has(event)).join(' ');
}

export const OPTIONS = {
  flags,
  'systemPrompt, a text': request({ systemPrompt: MARK }, [], inSystem),
  'systemPrompt, a list': request({ systemPrompt: [MARK] }, [], inSystem),
  'systemPrompt, an empty text': request({ systemPrompt: '' }, [], sizeOfSystem),
  'systemPrompt, an empty list item': request({ systemPrompt: [''] }, [], sizeOfSystem),
  'systemPrompt, left out': request({}, [], sizeOfSystem),
  'systemPrompt, the flag': request({}, ['--system-prompt', MARK], inSystem),
  'systemPrompt, the flag, empty': request({}, ['--system-prompt', ''], sizeOfSystem),
  'systemPrompt, the file flag': async (stage) =>
    request({}, ['--system-prompt-file', stage.write(stage.outside('prompt.txt'), MARK)], inSystem)(stage),
  'append, a text': request({ appendSystemPrompt: MARK }, [], inSystem),
  'append, the flag': request({}, ['--append-system-prompt', MARK], inSystem),
  'append, the file flag': async (stage) =>
    request({}, ['--append-system-prompt-file', stage.write(stage.outside('prompt.txt'), MARK)], inSystem)(stage),
  'agents, in initialize': request({ agents: { probe: AGENT } }, [], anywhere),
  'agents, the flag': request({}, ['--agents', JSON.stringify({ probe: AGENT })], anywhere),
  'outputFormat, the flag': request({}, ['--json-schema', JSON.stringify(SCHEMA)], offers('StructuredOutput')),
  'outputFormat, in initialize': request({ jsonSchema: SCHEMA }, [], offers('StructuredOutput')),
  includePartialMessages: request(
    {},
    ['--include-partial-messages'],
    frames(({ type }) => type === 'stream_event'),
  ),
  replayUserMessages: request(
    {},
    ['--replay-user-messages'],
    frames(({ type, isReplay }) => type === 'user' && isReplay),
  ),
  includeHookEvents: async (stage) => {
    const hooksOf = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'true' }] }] };
    const args = ['--include-hook-events', '--settings', JSON.stringify({ hooks: hooksOf })];
    return request(
      {},
      args,
      frames(({ subtype }) => /^hook_/.test(String(subtype))),
    )(stage);
  },
  maxTurns: ends(['--max-turns=1'], 'error_max_turns'),
  maxBudgetUsd: ends(['--max-budget-usd=0.000001'], 'error_max_budget_usd'),
  model: request({}, ['--model=claude-probe-1'], ({ bodies }) =>
    bodies[0]?.model === 'claude-probe-1' ? 'honoured' : 'lost',
  ),
  thinking: request({}, ['--max-thinking-tokens=2048'], ({ bodies }) =>
    JSON.stringify(bodies[0]?.thinking ?? '').includes('2048')
      ? 'honoured'
      : `lost: ${JSON.stringify(bodies[0]?.thinking)}`,
  ),
  effort: request({}, ['--effort=low'], ({ bodies }) =>
    JSON.stringify(bodies[0]?.output_config ?? '').includes('low') ? 'honoured' : 'lost',
  ),
  sessionId: request({}, ['--session-id=11111111-2222-4333-8444-555555555555'], ({ init }) =>
    init?.session_id === '11111111-2222-4333-8444-555555555555' ? 'honoured' : 'lost',
  ),
  resume: second(
    (id) => [`--resume=${id}`],
    (seen, id) => `${remembers(seen)}, ${seen.init?.session_id === id ? 'same id' : 'new id'}`,
  ),
  continue: second(() => ['--continue'], remembers),
  forkSession: second(
    (id) => [`--resume=${id}`, '--fork-session'],
    (seen, id) => `${remembers(seen)}, ${seen.init?.session_id === id ? 'same id' : 'new id'}`,
  ),
  'persistSession, false': async (stage) => {
    const first = await stage.play({ args: ['--no-session-persistence'] });
    const problem = failure(first);
    if (problem !== undefined) return problem;
    const again = await stage.play({ args: [`--resume=${first.init?.session_id}`] });
    return failure(again) === undefined ? 'kept' : 'honoured';
  },
  hookEvents,
  hookTimeout,
  promptTimeout,
  strict,
  auto: mode('auto'),
  acceptEdits: mode('acceptEdits'),
  'sources-not-given': sources('not given', []),
  'sources-two-words': sources('none, as two words', ['--setting-sources', '']),
  'tools, none': request({}, ['--tools='], ({ bodies }) =>
    (bodies[0]?.tools ?? []).length === 0 ? 'honoured' : 'lost',
  ),
};
