import { readFlags } from 'claudewire/testing';
import { isJsonObject, type JsonObject, parseJsonObject } from '../util/json.js';
import type { Language } from './program-runner.js';
import type { ProgramRun } from './run-program.js';
import type { PlayedProcess } from './stand-in.js';
import { uncaughtError } from './uncaught-error.js';

/** What one program did, in a form that two programs can be compared by. */
export interface Observation {
  /** One for each start of the CLI. */
  readonly processes: readonly ObservedProcess[];
  /** Lines of stdout: JSON as JSON. */
  readonly messages: readonly unknown[];
  readonly error: JsonObject;
}

export interface ObservedProcess {
  /** By flag: its value, `true`, or a list of values. */
  readonly argv: JsonObject;
  readonly env: JsonObject;
  /** By what it is, such as `initialize`, `user message 1`, `answer to ask-1`. */
  readonly frames: JsonObject;
}

/** Puts together what was seen. `steady` replaces what differs from run to run. */
export function observe(
  run: ProgramRun,
  processes: readonly PlayedProcess[],
  { language, steady }: { readonly language: Language; readonly steady: (value: unknown) => unknown },
): Observation {
  return {
    processes: processes.map(({ argv, env, lines }) => ({
      argv: steadyObject(flagsOf(argv), steady),
      env: steadyObject(withoutVolatile(env), steady),
      frames: steadyObject(framesOf(lines), steady),
    })),
    messages: linesOf(run).map(steady),
    error: steadyObject(errorOf(run, language), steady),
  };
}

function steadyObject(value: JsonObject, steady: (value: unknown) => unknown): JsonObject {
  const made = steady(value);
  return isJsonObject(made) ? made : {};
}

const ALIASES: Readonly<Record<string, string>> = {
  '-p': '--print',
  '-c': '--continue',
  '-r': '--resume',
  '-d': '--debug',
  '--allowed-tools': '--allowedTools',
  '--disallowed-tools': '--disallowedTools',
};
const LISTS = new Set(['--allowedTools', '--disallowedTools', '--tools', '--betas', '--setting-sources']);

function flagsOf(argv: readonly string[]): JsonObject {
  const { flags, rest } = readFlags(argv);
  const named = [...flags].map(([flag, values]) => {
    const name = ALIASES[flag] ?? flag;
    return [name, LISTS.has(name) ? values.flatMap(listOf) : flagValue(values)] as const;
  });
  return { ...Object.fromEntries(named), ...(rest.length === 0 ? {} : { 'other arguments': rest }) };
}

/** A rule such as `Bash(echo a, b)` has commas of its own. */
function listOf(value: string): readonly string[] {
  if (value === '') return [];
  return value.includes('(') ? [value] : value.split(',').map((each) => each.trim());
}

function flagValue(values: readonly string[]): unknown {
  const [value] = values;
  if (value === undefined) return true;
  const read = (text: string): unknown => (text.startsWith('{') ? (parseJsonObject(text) ?? text) : text);
  return values.length === 1 ? read(value) : values.map(read);
}

/**
 * Variables that say nothing of a program: what shells and interpreters set for themselves, and what leads to the player.
 * The guide for users of the Python SDK has this list.
 */
const VOLATILE = new Set([
  ...['_', 'SHLVL', 'OLDPWD', 'LC_CTYPE', '__CF_USER_TEXT_ENCODING', '__PYVENV_LAUNCHER__'],
  ...['CLAUDEWIRE_COMPARE_CLI', 'CLAUDE_CODE_EXECUTABLE'],
]);

function withoutVolatile(env: Readonly<Record<string, string>>): JsonObject {
  const names = Object.keys(env).filter((name) => !VOLATILE.has(name));
  return Object.fromEntries(names.sort().map((name) => [name, env[name]]));
}

function framesOf(lines: readonly string[]): JsonObject {
  const frames = new Map<string, unknown>();
  const add = (name: string, frame: unknown): void => {
    let unique = name;
    for (let count = 2; frames.has(unique); count += 1) unique = `${name} (${count})`;
    frames.set(unique, frame);
  };
  for (const line of lines) {
    const frame = parseJsonObject(line);
    if (frame === undefined) add('a line that is no JSON object', line);
    else add(nameOf(frame), withoutIds(frame));
  }
  return Object.fromEntries(frames);
}

function nameOf({ type, request, response, request_id: id }: JsonObject): string {
  if (type === 'user') return 'user message';
  if (type === 'control_request' && isJsonObject(request)) return String(request.subtype);
  if (type === 'control_response' && isJsonObject(response)) return `answer to ${response.request_id}`;
  return type === 'control_cancel_request' ? `cancelling of ${id}` : `frame ${String(type)}`;
}

/** Without the ids that an SDK makes up. */
function withoutIds({ request_id: _, uuid: __, timestamp: ___, ...frame }: JsonObject): JsonObject {
  return frame;
}

function linesOf({ stdout, cut }: ProgramRun): readonly unknown[] {
  const lines = stdout.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const more = cut === 0 ? [] : [`(${cut} more bytes, which are not compared)`];
  return [...lines.map((line) => (/^\s*[[{]/.test(line) ? jsonOr(line) : line)), ...more];
}

function jsonOr(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function errorOf({ end, stderr }: ProgramRun, language: Language): JsonObject {
  if (end === 'exit code 0') return { end };
  return { end, ...uncaughtError(stderr, language) };
}
