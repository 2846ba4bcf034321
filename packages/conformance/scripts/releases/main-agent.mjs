import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, bypass, ran } from './guards.mjs';
import { failure } from './stage.mjs';

/*
 * The agent that the main conversation runs as, by the flag `--agent` or the setting `agent`, defined in `initialize` or in a
 * file of the project. The empty system prompt is what the SDK sends when a run has none.
 */

const PROMPT = 'PROMPT-OF-THE-MAIN-AGENT';
const MODEL = 'haiku';
const NAME = 'probe';
const LISTS = { tools: ['Read', 'Write', 'Bash'], disallowedTools: ['Write', 'Bash(touch:*)'] };
const AGENT = { description: 'A probe.', prompt: PROMPT, model: MODEL, ...LISTS };
const CHOSEN = [`--agent=${NAME}`];
const FILE = `---
name: ${NAME}
description: A probe.
model: ${MODEL}
tools: ${LISTS.tools.join(', ')}
disallowedTools: ${LISTS.disallowedTools.join(', ')}
---
${PROMPT}
`;

/** A session as the agent: its prompt, its model, and calls that its lists leave out. */
function mainAgent(way, { args, initialize = {}, file }) {
  return async (stage) => {
    const place = (name) => join(stage.work, name);
    if (file !== undefined) stage.write(place(`.claude/agents/${NAME}.md`), file);
    const edited = stage.write(place('edited'), 'before');
    const calls = [
      ['Read', { file_path: edited }],
      ['Edit', { file_path: edited, old_string: 'before', new_string: 'after' }],
      ['Write', { file_path: place('written'), content: 'x' }],
      bash(`touch ${place('touched')}`),
    ];
    const seen = await bypass(stage, { args, initialize: { systemPrompt: '', ...initialize }, calls, graceMs: 0 });
    const problem = failure(seen);
    const honoured = (isHonoured) => problem ?? (isHonoured ? 'honoured' : 'lost');
    const words = {
      'its prompt': honoured(JSON.stringify(seen.bodies[0]?.system ?? '').includes(PROMPT)),
      'its model': honoured(seen.bodies[0]?.model.includes(MODEL)),
      'a tool that is not in `tools`': problem ?? (readFileSync(edited, 'utf8') === 'after' ? 'runs' : 'does not run'),
      'a tool in `disallowedTools`': ran(seen, place('written')),
      'a rule in `disallowedTools`': ran(seen, place('touched')),
    };
    // The prompt of an agent in a file comes and goes, beside the empty one.
    if (file !== undefined) for (const name of ['its prompt', 'its model']) delete words[name];
    return Object.fromEntries(Object.entries(words).map(([name, word]) => [`the main agent, ${way}, ${name}`, word]));
  };
}

const FROM_FILE = ['--setting-sources', 'project'];

export const MAIN_AGENT = {
  'main-agent': mainAgent('in `initialize`', { args: CHOSEN, initialize: { agents: { [NAME]: AGENT } } }),
  'main-agent-file': mainAgent('in a file', { args: [...CHOSEN, ...FROM_FILE], file: FILE }),
  'main-agent-setting': mainAgent('in a file, by the setting', {
    args: ['--settings', JSON.stringify({ agent: NAME }), ...FROM_FILE],
    file: FILE,
  }),
};
