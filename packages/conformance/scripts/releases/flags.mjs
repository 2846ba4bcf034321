import { spawnSync } from 'node:child_process';

/*
 * Flags that options become: whether the release knows each. One that it does not know ends it at once, by name.
 */

const FLAGS = [
  ...['--thinking=disabled', '--max-thinking-tokens=1024', '--thinking-display=summarized', '--effort=low'],
  ...['--max-turns=1', '--max-budget-usd=1', '--task-budget=1', '--model=x', '--agent=x', '--betas=x'],
  ...['--json-schema={}', '--debug-file=x', '--debug', '--permission-prompt-tool=stdio', '--permission-prompts=none'],
  ...['--continue', '--resume=x', '--allowedTools=Read', '--disallowedTools=Read', '--tools=Read', '--mcp-config={}'],
  ...['--setting-sources=', '--strict-mcp-config', '--permission-mode=default', '--fallback-model=x'],
  ...['--allow-dangerously-skip-permissions', '--include-hook-events', '--include-partial-messages'],
  ...['--session-mirror', '--project-config-root=x', '--add-dir=x', '--await-initialize', '--plugin-dir=x'],
  ...['--plugin-dir-no-mcp=x', '--fork-session', '--resume-session-at=x', '--resume-drops-turn=x', '--session-id=x'],
  ...['--no-session-persistence', '--managed-settings={}', '--settings={}', '--agents={}', '--replay-user-messages'],
];
/** Known to none: when it is named, all that come before it are known. */
const LAST = '--known-to-none';
const UNKNOWN = /unknown option '(--[\w-]+)/;

export async function flags(stage) {
  const command = /\.[cm]?js$/.test(stage.tools.cli) ? [process.execPath, stage.tools.cli] : [stage.tools.cli];
  const words = Object.fromEntries(FLAGS.map((flag) => [`flag ${flag.split('=')[0]}`, 'known']));
  let left = FLAGS;
  for (;;) {
    const [file, ...args] = [...command, '-p', ...left, LAST];
    const { stderr } = spawnSync(file, args, {
      cwd: stage.work,
      env: stage.env,
      input: '',
      encoding: 'utf8',
      timeout: 60_000,
    });
    const named = UNKNOWN.exec(stderr)?.[1];
    if (named === LAST) return words;
    const known = left.filter((flag) => flag.split('=')[0] !== named);
    if (known.length === left.length) return { flags: `no result: ${stderr.slice(0, 80)}` };
    words[`flag ${named}`] = 'unknown flag';
    left = known;
  }
}
