import { requireOption } from '../../errors/usage-errors.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import { arrayOf, string } from '../../util/validate.js';
import type { SpawnExpectation } from '../scenario/scenario-types.js';
import type { ConversionOptions } from './conversion-options.js';
import type { ProcessLines } from './recording.js';
import { type HostTexts, textPattern, textsIn } from './templates.js';

/** How an SDK sets up the CLI by variables; the environment it was started in says nothing about the program. */
const TOLD_BY_SDK = /^CLAUDE_CODE_(?:ENTRYPOINT|SDK_\w+|ENABLE_SDK_\w+|EXTRA_BODY|MAX_OUTPUT_TOKENS)$/;
/** The one option that an SDK passes on by a variable alone. */
const CHECKPOINTS = 'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING';
export const FREE = 'what was scrubbed here may be anything';

interface SpawnSource {
  readonly isByHand: boolean;
  readonly options: ConversionOptions;
  readonly madeUp: ReadonlySet<string>;
  readonly texts: HostTexts;
  readonly leaveOut: (what: string, why: string) => void;
}

/** What a `spawn` event says of how the process must be started. */
export function spawnExpectation({ argv, env_values: variables }: JsonObject, source: SpawnSource): SpawnExpectation {
  const flags = readFlags(Array.isArray(argv) ? argv.map(String).slice(1) : []);
  for (const rest of flags.rest) source.leaveOut('argv', `the argument ${rest} has no flag`);
  const env = Object.entries(isJsonObject(variables) ? variables : {})
    .filter(([name]) => TOLD_BY_SDK.test(name))
    .map(([name, value]) => [name, asVariable(name, String(value), source)]);
  if (source.options.exact === true && !env.some(([name]) => name === CHECKPOINTS)) env.push([CHECKPOINTS, '$absent']);
  return {
    argv: argvPattern(flags, (value, flag) => flagValue(value, flag, source)),
    ...(source.options.strictArgv === true ? { argvOnly: true } : {}),
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env) as Record<string, string> }),
  };
}

function flagValue(value: string | JsonObject, flag: string, source: SpawnSource): unknown {
  const leaveOut = (why: string): void => source.leaveOut(`argv ${flag}`, why);
  if (flag === '--settings' && source.isByHand && isJsonObject(value)) {
    leaveOut('an SDK may hand the same settings over in a file');
    return '$_';
  }
  if (typeof value === 'string' && source.madeUp.has(value)) {
    source.texts.capture(value, 'uuid');
    if (flag !== '--session-id') leaveOut('an id that the client had made up may be any');
  }
  const pattern = source.texts.pattern(value, (path) => leaveOut(`${path}${path === '' ? '' : ': '}${FREE}`));
  return source.options.exact === true && isJsonObject(value) && isJsonObject(pattern)
    ? { ...pattern, $exact: true }
    : pattern;
}

function asVariable(name: string, value: string, { leaveOut }: SpawnSource): string {
  const pattern = textPattern(value);
  if (typeof pattern === 'string' && pattern !== '$_') return pattern;
  leaveOut(`env ${name}`, FREE);
  return '$_';
}

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
interface Flags {
  /** By flag, in order of appearance: its values; none for a switch. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Arguments that belong to no flag. */
  readonly rest: readonly string[];
}

/**
 * Reads the arguments of a CLI.
 * @param args - Without the program's name.
 * @throws InvalidOptionError it is no list of strings.
 */
export function readFlags(args: readonly string[]): Flags {
  requireOption(arrayOf(string), args, 'args');
  const flags = new Map<string, string[]>();
  const rest: string[] = [];
  let current: string | undefined;
  for (const arg of args) {
    const equals = /^(--[\w-]+)=([\s\S]*)$/.exec(arg);
    if (equals !== null) {
      addFlag(flags, equals[1] ?? '', equals[2]);
      current = undefined;
    } else if (/^--?[A-Za-z]/.test(arg)) {
      addFlag(flags, arg);
      current = SWITCHES.has(arg) ? undefined : arg;
    } else if (current === undefined) {
      rest.push(arg);
    } else {
      addFlag(flags, current, arg);
    }
  }
  return { flags, rest };
}

function addFlag(flags: Map<string, string[]>, flag: string, value?: string): void {
  const values = flags.get(flag) ?? [];
  if (value !== undefined) values.push(value);
  flags.set(flag, values);
}

/** What the flags of another run must be. `patternOf` makes a pattern of a value, or of an object that it holds. */
function argvPattern(
  { flags }: Flags,
  patternOf: (value: string | JsonObject, flag: string) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...flags].map(([flag, values]) => [flag, flagPattern(flag, values, (value) => patternOf(value, flag))]),
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
  return LISTS.has(flag) && value !== '' && !value.includes('(') ? value.split(',').map(patternOf) : patternOf(value);
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text);

/**
 * UUIDs that the client made up, so that another run has others: those given with `--session-id`, and those of user
 * messages, unless the CLI knew them before.
 */
export function madeUpIds(processes: readonly ProcessLines[]): ReadonlySet<string> {
  const ids = new Set<string>();
  const said = new Set<string>();
  for (const { dir, data } of processes.flatMap(({ lines, isByHand }) => (isByHand ? [] : lines))) {
    if (dir === 'out') for (const text of textsIn(data)) said.add(text);
    const made = dir === 'out' ? [] : [...sessionIds(data), isJsonObject(data) ? data.uuid : 0];
    for (const id of made) if (isUuid(id) && !said.has(id)) ids.add(id);
  }
  return ids;
}

/** What a `spawn` event gives as `--session-id`. */
function sessionIds(event: unknown): readonly unknown[] {
  const argv = isJsonObject(event) && Array.isArray(event.argv) ? event.argv : [];
  return argv.flatMap((each, index) => {
    const text = String(each);
    if (text.startsWith('--session-id=')) return [text.slice(text.indexOf('=') + 1)];
    return argv[index - 1] === '--session-id' ? [text] : [];
  });
}
