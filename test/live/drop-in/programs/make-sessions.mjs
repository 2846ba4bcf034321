/** Makes one session of every kind that the real CLI writes: the corpus that `read-sessions.mjs` reads. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { archiveSession, query, renameSession, tagSession } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.mjs';

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const allowedTools = ['Bash', 'Read', 'Write', 'Edit', 'Agent'];
const base = process.cwd();
const odd = join(base, '..', 'an odd (name), ünï');
mkdirSync(odd);
writeFileSync('notes.txt', 'one\ntwo\n');
git('init', '--quiet', '--initial-branch=trunk');
git('add', 'notes.txt');
git('commit', '--quiet', '--message=First');
const worktree = join(base, '..', 'worktree');
git('worktree', 'add', '--quiet', worktree, '-b', 'side');

const tools = await talk(['Use tools.', 'Think first.', 'Again.'], { allowedTools });
await talk(['On a fork.'], { resume: tools, forkSession: true });
await talk(['After a resume.'], { resume: tools });
await talk(['One agent.', 'An agent in the background.'], {
  allowedTools,
  forwardSubagentText: true,
  agents: { helper: { description: 'Helps', prompt: 'You help.', model: 'haiku' } },
});
await talk(['First.', 'Second.', '/compact', 'Third.'], {});
await talk(['/context', 'After a local command.'], {});
await talk(['With a title.'], { title: 'Given at start' });
await talk(['With an id.'], { sessionId: '11111111-2222-4333-8444-555555555555' });
await talk(['Nothing is kept.'], { persistSession: false });
await talk(['Make a file.'], { canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) });
await talk(['Interrupted story.', 'After the interrupt.'], { includePartialMessages: true });
await talk(['Fail, please.'], {});
await talk(['Write a file.', 'Edit the file.'], { allowedTools, enableFileCheckpointing: true });
await talk([[{ type: 'text', text: 'See this.' }, picture()]], {});
await talk(
  [
    '<b>Not</b> a tag\n\n  but a prompt of several lines, and one that is so long that a row shows only its beginning'.repeat(
      4,
    ),
  ],
  {
    hooks: {
      UserPromptSubmit: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'From a hook.' },
            }),
          ],
        },
      ],
      SessionStart: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'From the start.' },
            }),
          ],
        },
      ],
    },
  },
);
await talk(['In the worktree.'], { cwd: worktree });
await talk(['In an odd folder.'], { cwd: odd });
const renamed = await talk(['To be renamed.'], {}, (run) =>
  run.generateSessionTitle('A talk about names.', { persist: true }),
);
await renameSession(renamed, 'Renamed', { dir: base });
const named = await talk(['To be named by the CLI.'], {}, (run) => run.renameSession('Named by the CLI', undefined));
await tagSession(named, 'a tag', { dir: base });
const old = await talk(['To be archived.'], {});
await archiveSession(old, { dir: base });
say('folders', { base, worktree, odd });

/** Runs the prompts as turns of one session. */
async function talk(prompts, options, atEnd = async () => {}) {
  const results = [];
  let heard = () => {};
  async function* input() {
    for (const content of prompts) {
      const turn = new Promise((resolve) => {
        heard = resolve;
      });
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
      await turn;
    }
    await atEnd(run).catch((error) => say('error', String(error)));
  }
  const run = query({ prompt: input(), options });
  let isInterrupted = false;
  try {
    for await (const message of run) {
      if (
        message.type === 'stream_event' &&
        prompts[0].startsWith?.('Interrupted') &&
        !isInterrupted &&
        message.event.type === 'content_block_delta'
      ) {
        isInterrupted = true;
        await run.interrupt();
      }
      if (message.type === 'result') {
        results.push(message);
        heard();
      }
    }
  } catch {
    // The CLI exits with an error after an error result.
  }
  say('talk', { prompts: prompts.length, results: results.map(({ subtype }) => subtype) });
  return results[0].session_id;
}

function picture() {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DOT } };
}

function git(...args) {
  const author = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const { status, stderr } = spawnSync('git', args, { env: { ...process.env, ...author }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}
