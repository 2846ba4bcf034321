type Environment = Readonly<Record<string, string | undefined>>;

/** What CLI 2.1.330 sets for the commands that its tools run, besides `CLAUDECODE`. */
const OF_A_SESSION = [
  'AI_AGENT',
  'CLAUDE_AGENT_SDK_VERSION',
  'CLAUDE_CODE_CHILD_NOTES_DIR',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_EFFORT',
  'CLAUDE_PID',
];
const MARK = 'CLAUDECODE';

/** Variables of a Claude Code that this program runs inside of; none when it does not. */
export function nestedVariables(env: Environment): readonly string[] {
  return env[MARK] ? [MARK, ...OF_A_SESSION.filter((name) => env[name] !== undefined)] : [];
}

/** The environment without them: else the CLI would take itself for a part of that session. */
export function withoutOuterSession(env: Environment): Record<string, string | undefined> {
  const nested = new Set(nestedVariables(env));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !nested.has(name)));
}
