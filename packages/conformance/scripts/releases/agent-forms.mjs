import { bypass } from './guards.mjs';
import { failure } from './stage.mjs';

/*
 * Agents in `initialize`, each with a field of a form that only newer releases may know: whether the release takes it, or drops
 * all agents. The description of an agent that is there is in the request to the model.
 */

const URL = 'http://127.0.0.1:9/';
/** Forms that the oldest release takes, all of them in one session. */
const OLD_FORMS = [
  ...[{}, { tools: [] }, { tools: ['Read', 'Bash(git *)', 'mcp__a__b'] }, { disallowedTools: ['Read', 'Bash(git *)'] }],
  ...['haiku', 'inherit'].map((model) => ({ model })),
  ...['user', 'project', 'local'].map((memory) => ({ memory })),
  ...['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'].map((permissionMode) => ({ permissionMode })),
  ...['low', 'medium', 'high', 'max', 20].map((effort) => ({ effort })),
  ...[['a'], [{ a: { command: 'true' } }], [{ a: { type: 'sdk', name: 'a' } }]].map((mcpServers) => ({ mcpServers })),
  ...['http', 'sse'].map((type) => ({ mcpServers: [{ a: { type, url: URL } }] })),
  ...[{ skills: ['a'] }, { initialPrompt: 'x' }, { maxTurns: 3 }, { criticalSystemReminder_EXPERIMENTAL: 'x' }],
  ...[{ background: true }, { background: false }, { autoCompactWindow: 100_000 }, { omitClaudeMd: true }],
  { observer: 'a', observerMessage: 'x' },
];
const FORMS = {
  'of the forms that are old': OLD_FORMS,
  'with the model `fable`': [{ model: 'fable' }],
  'with a full name as model': [{ model: 'claude-probe-1' }],
  'with the permissionMode `auto`': [{ permissionMode: 'auto' }],
  'with the effort `xhigh`': [{ effort: 'xhigh' }],
};

/** A release that does not take one agent drops all of them. */
async function agentForms(stage) {
  const words = {};
  for (const [name, forms] of Object.entries(FORMS)) {
    const agents = Object.fromEntries(
      forms.map((form, index) => [`probe-${index}`, { description: `AGENT-${index}-IS-HERE`, prompt: 'x', ...form }]),
    );
    const seen = await bypass(stage, { initialize: { agents }, graceMs: 0 });
    const sent = JSON.stringify(seen.bodies[0] ?? '');
    const isThere = forms.every((_, index) => sent.includes(`AGENT-${index}-`));
    words[`agents ${name}`] = failure(seen) ?? (isThere ? 'there' : 'all are dropped');
  }
  return words;
}

export const AGENT_FORMS = { 'agent-forms': agentForms };
