import { isJsonObject, parseJsonObject } from '../../util/json.js';
import { escapeText } from './templates.js';

/** Flags that take no value. */
const SWITCHES = new Set(
  `--verbose --print -p --include-partial-messages --include-hook-events --continue -c --fork-session --strict-mcp-config
  --replay-user-messages --dangerously-skip-permissions --allow-dangerously-skip-permissions --no-session-persistence
  --session-mirror --await-initialize --await-claim --bare --debug-to-stderr --brief --assistant --ide --proactive`.split(
    /\s+/,
  ),
);
/** Flags whose value is a list with commas. */
const LISTS = new Set(['--allowedTools', '--disallowedTools', '--tools', '--betas']);
/** What a client may also give: in a strict replay they must be absent when they were. */
const KNOWN_FLAGS =
  `--model --fallback-model --effort --max-turns --max-budget-usd --max-thinking-tokens --permission-mode
  --permission-prompt-tool --allowedTools --disallowedTools --tools --mcp-config --strict-mcp-config --settings
  --setting-sources --add-dir --resume --continue --fork-session --session-id --resume-session-at --agent --agents --betas
  --include-partial-messages --include-hook-events --system-prompt --append-system-prompt --json-schema --plugin-dir
  --no-session-persistence --allow-dangerously-skip-permissions --debug --debug-file --thinking`.split(
    /\s+/,
  );

export interface Flags {
  /** By flag, in order of appearance: its values; none for a switch. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Arguments that belong to no flag. */
  readonly rest: readonly string[];
}

/** Reads the arguments of a CLI, without its name. */
export function readFlags(args: readonly string[]): Flags {
  const flags = new Map<string, string[]>();
  const rest: string[] = [];
  let current: string | undefined;
  for (const arg of args) {
    const equals = /^(--[\w-]+)=([\s\S]*)$/.exec(arg);
    if (equals !== null) {
      add(flags, equals[1] ?? '', equals[2]);
      current = undefined;
    } else if (/^--?[A-Za-z]/.test(arg)) {
      add(flags, arg);
      current = SWITCHES.has(arg) ? undefined : arg;
    } else if (current === undefined) {
      rest.push(arg);
    } else {
      add(flags, current, arg);
    }
  }
  return { flags, rest };
}

function add(flags: Map<string, string[]>, flag: string, value?: string): void {
  const values = flags.get(flag) ?? [];
  if (value !== undefined) values.push(value);
  flags.set(flag, values);
}

/** What the flags of another run must be. `isVolatile` tells values that differ from run to run. */
export function argvPattern(
  { flags }: Flags,
  isVolatile: (value: string) => boolean,
  isStrict: boolean,
): Readonly<Record<string, unknown>> {
  const pattern: Record<string, unknown> = {};
  for (const [flag, values] of flags) {
    const wanted = values.map((value) => (isVolatile(value) ? '$_' : escapeText(value)));
    pattern[flag] = flagPattern(flag, wanted);
  }
  if (isStrict) for (const flag of KNOWN_FLAGS) pattern[flag] ??= '$absent';
  return pattern;
}

function flagPattern(flag: string, values: readonly string[]): unknown {
  const [value] = values;
  if (value === undefined) return true;
  if (values.length > 1) return values;
  const json = value.startsWith('{') ? parseJsonObject(value) : undefined;
  if (isJsonObject(json)) return json;
  // A rule such as `Bash(echo a, b)` has commas of its own.
  return LISTS.has(flag) && value !== '' && !value.includes('(') ? value.split(',') : value;
}
