import { existsSync } from 'node:fs';
import { join } from 'node:path';

/*
 * `evaluate()` of this tree: whether it serves the release, and what it says to be missing.
 */

function evaluated(title, client, more = {}) {
  return async (stage) => {
    const { cli, messagesApi, adapter } = stage.tools;
    const { ClaudeAgentAdapter, MarkdownSection, Prompt, Session } = await adapter();
    const trace = join(stage.work, 'trace');
    const call = { type: 'tool_use', name: 'Bash', input: { command: `touch ${trace}`, description: 'Run a command' } };
    const api = await messagesApi({ turns: [{ blocks: [call] }], fallback: 'Done.', strict: false });
    const hostEnv = { ...stage.env, ANTHROPIC_BASE_URL: api.url, ...more };
    const clientConfig = {
      cwd: stage.work,
      pathToClaudeCodeExecutable: cli,
      ...(typeof client === 'function' ? client(api.url) : client),
    };
    const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'Make the file.' });
    const prompt = new Prompt({ ns: 'probe', key: 'release', sections: [section] });
    try {
      const made = new ClaudeAgentAdapter({ hostEnv, clientConfig });
      const { report } = await made.evaluate(prompt, { session: new Session() });
      const { missing } = report.guarantees;
      const without = missing.length === 0 ? '' : ` without ${missing.join(', ')}`;
      return { [title]: `served${without}, the tool ${existsSync(trace) ? 'runs' : 'does not run'}` };
    } catch (error) {
      // The machine was too busy.
      if (/did not complete within/.test(error.message)) return { [title]: 'no result' };
      const text = error.message.replace(/^Claude Code [\d.]+ |^This Claude Code /, '').replace(/\/\S*\/(?=\S)/g, '');
      return { [title]: `refused: ${text.split(/[.:;] /)[0].slice(0, 100)}` };
    } finally {
      await api.close();
    }
  };
}

export const EVALUATE = {
  'evaluate-default': evaluated('evaluate(), default', { permissionMode: 'default' }),
  'evaluate-bypass': evaluated(
    'evaluate(), bypassPermissions',
    { permissionMode: 'bypassPermissions' },
    { IS_SANDBOX: '1' },
  ),
  'evaluate-paths': evaluated("evaluate(), outsideWorkspacePaths: 'deny'", {
    permissionMode: 'default',
    outsideWorkspacePaths: 'deny',
  }),
  'evaluate-isolation': evaluated('evaluate(), isolation', (url) => ({
    permissionMode: 'default',
    isolation: { env: { ANTHROPIC_BASE_URL: url, CLAUDE_CODE_MAX_RETRIES: '0' } },
  })),
};
