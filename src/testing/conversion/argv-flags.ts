import { type JsonObject, parseJsonObject } from '../../util/json.js';

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

/** What the flags of another run must be. `patternOf` makes a pattern of a value, or of an object that it holds. */
export function argvPattern(
  { flags }: Flags,
  patternOf: (value: string | JsonObject, flag: string) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...flags].map(([flag, values]) => [
      flag,
      flagPattern(flag, values, (value) => patternOf(value, flag)),
    ]),
  );
}

function flagPattern(
  flag: string,
  values: readonly string[],
  patternOf: (value: string | JsonObject) => unknown,
): unknown {
  const [value] = values;
  if (value === undefined) return true;
  if (values.length > 1) return values.map(patternOf);
  const json = value.startsWith('{') ? parseJsonObject(value) : undefined;
  if (json !== undefined) return patternOf(json);
  // A rule such as `Bash(echo a, b)` has commas of its own.
  return LISTS.has(flag) && value !== '' && !value.includes('(')
    ? value.split(',').map(patternOf)
    : patternOf(value);
}
