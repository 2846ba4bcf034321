/** Evaluations with promptfoo, whose provider is Claude Code: configured in YAML, or in code for what has callbacks. */
import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from './say.mjs';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));
const cli = join(packages, 'promptfoo', 'dist', 'src', 'entrypoint.js');
// It looks for the SDK from the folder of the configuration on.
symlinkSync(packages, 'node_modules');
Object.assign(process.env, {
  PROMPTFOO_CONFIG_DIR: join(process.env.HOME, '.promptfoo'),
  PROMPTFOO_DISABLE_TELEMETRY: '1',
  PROMPTFOO_DISABLE_UPDATE: '1',
  PROMPTFOO_DISABLE_REMOTE_GENERATION: 'true',
  // It asks again for minutes after a 429.
  PROMPTFOO_DISABLE_ADAPTIVE_SCHEDULER: 'true',
});
const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, born: { type: 'number' } },
  required: ['name', 'born'],
};
const SESSION = '11111111-1111-4111-8111-111111111111';

const STORIES = {
  async results() {
    await evaluate({ prompts: ['Say hello.', 'Say hello to {{name}}.'], tests: [{ vars: { name: 'Ada' } }] });
  },
  async tools() {
    const forecast = {
      name: 'weather',
      command: process.execPath,
      args: [fileURLToPath(new URL('mcp-weather.mjs', import.meta.url))],
    };
    await evaluate({
      prompts: ['How is the weather?'],
      config: { mcp: { servers: [forecast] }, append_allowed_tools: ['mcp__weather__forecast'] },
    });
  },
  async denied() {
    await evaluate({
      prompts: ['Make a file.'],
      config: { working_dir: '.', disallowed_tools: ['Bash(touch:*)'], append_allowed_tools: ['Bash'] },
    });
    await evaluate({
      prompts: ['Make a file.'],
      config: { working_dir: '.', permission_mode: 'dontAsk', tools: ['Bash'] },
    });
  },
  async questions() {
    for (const behavior of ['first_option', 'deny']) {
      await evaluate({ prompts: ['Ask for a colour.'], config: { ask_user_question: { behavior } } });
    }
  },
  async structured() {
    await evaluate({
      prompts: ['Who is Ada?'],
      config: { output_format: { type: 'json_schema', schema: SCHEMA } },
      tests: [
        {
          assert: [
            { type: 'javascript', value: 'output.born === 1815' },
            { type: 'cost', threshold: 1 },
          ],
        },
      ],
    });
  },
  async resume() {
    await evaluate({ prompts: ['Say hello.'], config: { working_dir: '.', session_id: SESSION } });
    await evaluate({ prompts: ['And again.'], config: { working_dir: '.', resume: SESSION } });
    await evaluate({ prompts: ['And apart.'], config: { working_dir: '.', resume: SESSION, fork_session: true } });
    await evaluate({ prompts: ['And on.'], config: { working_dir: '.', continue: true } });
    await evaluate({ prompts: ['Hello?'], config: { working_dir: '.', resume: SESSION.replaceAll('1', '2') } });
  },
  async errors() {
    await evaluate({ prompts: ['Fail with 400.', 'Fail with 429.', 'Fail with 500.'] });
    await evaluate({
      prompts: ['Make a file.'],
      config: { max_turns: 1, working_dir: '.', append_allowed_tools: ['Bash'] },
    });
    await evaluate({ prompts: ['Hello?'], config: { path_to_claude_code_executable: '/nowhere/claude' } });
  },
};

await STORIES[process.argv[2]]();

/** `promptfoo eval` over a configuration in a file. JSON is YAML. */
async function evaluate({ prompts, config, tests }) {
  const provider = { id: 'anthropic:claude-agent-sdk', config };
  writeFileSync('promptfooconfig.yaml', JSON.stringify({ prompts, providers: [provider], tests }));
  const args = ['eval', '--no-cache', '--no-progress-bar', '--no-table', '-j', '1', '-o', 'out.json'];
  const child = spawn(process.execPath, [cli, ...args], { stdio: 'ignore' });
  const exitCode = await new Promise((resolve) => child.once('close', resolve));
  const { results } = JSON.parse(readFileSync('out.json', 'utf8'));
  for (const result of results.results) {
    const { prompt, response, success, score, error, failureReason, cost, tokenUsage, gradingResult, vars } = result;
    const { raw, ...answer } = response ?? {};
    say('result', {
      prompt: prompt.raw,
      vars,
      success,
      score,
      error,
      failureReason,
      cost,
      tokenUsage,
      gradingResult,
      answer,
    });
    if (raw !== undefined) say('raw', JSON.parse(raw));
  }
  say('stats', { exitCode, stats: results.stats });
}
