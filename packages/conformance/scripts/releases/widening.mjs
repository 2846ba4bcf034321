import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, bypass, ran } from './guards.mjs';
import { failure } from './stage.mjs';

/*
 * What widens in silence: bypass mode that the start did not allow, and requests and answers of hooks that are carried out
 * in another way.
 */

const ASKED = ['--permission-prompt-tool=stdio', '--permission-mode=default'];
const BYPASS = 'bypassPermissions';
const MESSAGE = '11111111-2222-4333-8444-555555555555';
const env = { IS_SANDBOX: '1' };

async function modeByRequest(stage) {
  const file = join(stage.work, 'trace');
  const before = (session) => session.request('set_permission_mode', { mode: BYPASS }, 6_000);
  const seen = await stage.play({ args: ASKED, calls: [bash(`touch ${file}`)], before, env });
  return { 'set_permission_mode, bypass mode that was not allowed': seen.asked.length > 0 ? 'asked' : ran(seen, file) };
}

/** At the start, or in mid-session. */
const modeBySettings = (when) => async (stage) => {
  const file = join(stage.work, 'trace');
  const settings = { permissions: { defaultMode: BYPASS } };
  const args = when === 'start' ? ['--permission-prompt-tool=stdio', '--settings', JSON.stringify(settings)] : ASKED;
  const before = (session) =>
    when === 'start' ? undefined : session.request('apply_flag_settings', { settings }, 6_000);
  const seen = await stage.play({ args, calls: [bash(`touch ${file}`)], before, env });
  const row = when === 'start' ? 'inline settings' : 'apply_flag_settings';
  return { [`${row}, bypass mode that was not allowed`]: seen.asked.length > 0 ? 'asked' : ran(seen, file) };
};

async function modeByUpdate(stage) {
  const files = ['a', 'b'].map((name) => join(stage.work, name));
  const updatedPermissions = [{ type: 'setMode', mode: BYPASS, destination: 'session' }];
  const permission = ({ input }) => ({ behavior: 'allow', updatedInput: input, updatedPermissions });
  const seen = await stage.play({ args: ASKED, calls: files.map((file) => bash(`touch ${file}`)), permission, env });
  const word = seen.asked.length > 1 ? 'asked' : seen.asked.length === 1 ? ran(seen, files[1]) : 'never asked';
  return { 'updatedPermissions, bypass mode that was not allowed': word };
}

async function modeOfAgent(stage) {
  const file = join(stage.work, 'trace');
  const prompt = 'PROMPT-OF-THE-SUB-AGENT';
  const agents = { probe: { description: 'A probe.', prompt, permissionMode: BYPASS } };
  const calls = (body, done) => {
    if (JSON.stringify(body.system ?? '').includes(prompt)) return done === 0 ? bash(`touch ${file}`) : undefined;
    const input = { description: 'x', prompt: 'Go on.', subagent_type: 'probe', run_in_background: false };
    return done === 0 ? ['Task', input] : undefined;
  };
  const permission = ({ tool_name, input }) =>
    tool_name === 'Bash' ? undefined : { behavior: 'allow', updatedInput: input };
  const seen = await stage.play({ args: ASKED, calls, initialize: { agents }, permission, env });
  const isAsked = seen.asked.some(({ tool_name }) => tool_name === 'Bash');
  return { 'agents, bypass mode that was not allowed': isAsked ? 'asked' : ran(seen, file) };
}

async function dryRun(stage) {
  const file = stage.write(join(stage.work, 'file.txt'), 'first');
  const now = () => readFileSync(file, 'utf8');
  const states = [];
  const after = async (session) => {
    states.push(now());
    for (const dry_run of [true, false]) {
      await session.request('rewind_files', { user_message_id: MESSAGE, ...(dry_run && { dry_run }) }, 6_000);
      states.push(now());
    }
  };
  const seen = await bypass(stage, {
    calls: [
      ['Read', { file_path: file }],
      ['Write', { file_path: file, content: 'second' }],
    ],
    message: { uuid: MESSAGE },
    env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' },
    after,
  });
  const words = { 'second second first': 'nothing is changed', 'second first first': 'files are changed' };
  return { 'rewind_files, dry_run': failure(seen) ?? words[states.join(' ')] ?? 'no rewind' };
}

async function blockedCompaction(stage) {
  const initialize = { hooks: { PreCompact: [{ hookCallbackIds: ['hook_0'] }] } };
  const after = async (session) => {
    const from = session.frames.length;
    session.say({ content: '/compact' });
    await session.until(({ type }) => type === 'result', { from, limitMs: 20_000 });
  };
  const seen = await bypass(stage, { initialize, hook: () => ({ decision: 'block', reason: 'No.' }), after });
  const isDone = seen.session.frames.some(({ subtype }) => subtype === 'compact_boundary');
  const word = seen.hooked.length === 0 ? 'not called' : isDone ? 'compacts' : 'does not compact';
  return { 'hook, PreCompact, block': failure(seen) ?? word };
}

/** A command of the project by each tool for commands and skills, without rules and with each of them. */
async function commands(stage) {
  stage.write(
    join(stage.work, '.claude', 'commands', 'dep.md'),
    '---\ndescription: A probe.\n---\nWORDS-OF-THE-COMMAND',
  );
  const CALLS = { SlashCommand: { command: '/dep' }, Skill: { skill: 'dep' } };
  const play = async (...rules) => {
    const args = rules.length === 0 ? [] : [`--disallowedTools=${rules.join(',')}`];
    const seen = await bypass(stage, { args, calls: Object.entries(CALLS) });
    const sent = JSON.stringify(seen.bodies.at(-1)?.messages ?? '');
    return failure(seen) ?? (sent.includes('WORDS-OF-THE-COMMAND') ? 'runs' : 'does not run');
  };
  const RULES = [
    [],
    ['Skill'],
    ['Skill(dep)'],
    ['Skill', 'SlashCommand'],
    ['Skill(dep)', 'SlashCommand(/dep)'],
    ['Skill(dep)', 'SlashCommand(/dep:*)'],
  ];
  const words = {};
  for (const rules of RULES) {
    words[`a command of the project, disallowedTools ${rules.map((each) => `\`${each}\``).join(', ') || 'none'}`] =
      await play(...rules);
  }
  return words;
}

export const WIDENING = {
  'bypass-by-request': modeByRequest,
  'bypass-by-settings': modeBySettings('start'),
  'bypass-by-later-settings': modeBySettings('later'),
  'bypass-by-update': modeByUpdate,
  'bypass-of-agent': modeOfAgent,
  'dry-run': dryRun,
  'blocked-compaction': blockedCompaction,
  commands,
};
