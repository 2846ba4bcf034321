import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** How the CLI reads one flag. What is the same to the CLI is the same to a scenario. */
interface FlagReading {
  /** Other names of the flag. */
  readonly aliases?: readonly string[];
  /** What parts the entries of a list; each argument and each repetition has entries of its own. */
  readonly list?: 'commas-and-spaces' | 'commas' | 'arguments';
  /** Any spelling of the number: `0.5`, `0.50`, `5e-1`. */
  readonly number?: true;
  /** The value may be the path of a file that holds it; texts that begin with `{` are none. */
  readonly jsonOrFile?: true;
  /** Values of all occurrences count together, not the last alone. */
  readonly merged?: true;
  /** Another flag gives the same text as the path of a file. */
  readonly fileFlag?: string;
}

/**
 * Each line was tried on CLI 2.1.330, and that it takes nothing else: `--add-dir /a,/b` is no list, `--setting-sources
 * user project` is refused, `--json-schema` takes no path, and of two `--settings` the last counts.
 */
const FLAGS: Readonly<Record<string, FlagReading>> = {
  '--allowedTools': { aliases: ['--allowed-tools'], list: 'commas-and-spaces' },
  '--disallowedTools': { aliases: ['--disallowed-tools'], list: 'commas-and-spaces' },
  '--tools': { list: 'commas-and-spaces' },
  '--setting-sources': { list: 'commas' },
  '--add-dir': { list: 'arguments' },
  '--mcp-config': { jsonOrFile: true, merged: true },
  '--settings': { jsonOrFile: true },
  '--agents': { jsonOrFile: true },
  '--max-turns': { number: true },
  '--max-budget-usd': { number: true },
  '--max-thinking-tokens': { number: true },
  '--task-budget': { number: true },
  '--system-prompt': { fileFlag: '--system-prompt-file' },
  '--append-system-prompt': { fileFlag: '--append-system-prompt-file' },
  '--continue': { aliases: ['-c'] },
  '--resume': { aliases: ['-r'] },
  '--print': { aliases: ['-p'] },
  '--name': { aliases: ['-n'] },
  '--debug': { aliases: ['-d'] },
};

const CANONICAL = new Map(
  Object.entries(FLAGS).flatMap(([flag, { aliases = [] }]) => aliases.map((alias) => [alias, flag] as const)),
);

/** How the CLI reads a flag, by any of its names. */
export function readingOf(flag: string): FlagReading {
  const name = canonicalFlag(flag);
  return (Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined) ?? {};
}

/** The one name that stands for all names of a flag. */
export function canonicalFlag(flag: string): string {
  return CANONICAL.get(flag) ?? flag;
}

/** A flag among the arguments. */
export interface Occurrence {
  /** After `=`, or the argument that follows; `undefined` at the end. */
  readonly value: string | undefined;
  /** All arguments up to the next one that looks like a flag. Empty for a flag without a value. */
  readonly values: readonly string[];
}

/**
 * Where a flag stands, under any of its names. `--k=v` and `--k v` are the same. What follows `--` are no flags.
 * @param cwd - Paths of files that hold a value are relative to it. `''`: to that of this process.
 */
export function occurrences(flag: string, argv: readonly string[], cwd: string): readonly Occurrence[] {
  const wanted = canonicalFlag(flag);
  const { fileFlag } = readingOf(flag);
  const found: Occurrence[] = [];
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') break;
    const [, name = argument, inline] = /^(--[^=]+)=([\s\S]*)$/.exec(argument) ?? [];
    const isFile = name === fileFlag;
    if (!isFile && canonicalFlag(name) !== wanted) continue;
    const rest = argv.slice(index + 1);
    const next = rest.findIndex((each) => each.startsWith('-'));
    const values = inline === undefined ? (next === -1 ? rest : rest.slice(0, next)) : [inline];
    const value = inline ?? rest[0];
    const text = isFile && value !== undefined ? textOfFile(value, cwd) : undefined;
    found.push(text === undefined ? { value, values } : { value: text, values: [text] });
  }
  return found;
}

/** The entries of a list, as the CLI parts one argument. */
export function entriesOf(value: string, list: NonNullable<FlagReading['list']>): readonly string[] {
  if (list === 'arguments') return [value];
  const separator = list === 'commas' ? /,/ : /[\s,]/;
  const entries = [''];
  let depth = 0;
  for (const character of value) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    // A rule such as `Bash(git log, x)` has separators of its own.
    if (depth <= 0 && separator.test(character)) entries.push('');
    else entries.push(`${entries.pop()}${character}`);
  }
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}

/** The JSON text of a value, which may be the path of a file that holds it. */
export function jsonTextOfValue(value: string, flag: string, cwd: string): string {
  if (readingOf(flag).jsonOrFile !== true || value.trimStart().startsWith('{')) return value;
  return textOfFile(value, cwd) ?? value;
}

/** `undefined` when it cannot be read. */
function textOfFile(path: string, cwd: string): string | undefined {
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch {
    return undefined;
  }
}
