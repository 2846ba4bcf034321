import { parseArgsStringToArgv } from 'string-argv';
import { LEVELS } from '../../conformance/scenario/scenario-types.js';
import { InvalidOptionError } from '../../index.js';

/** The options of `claudewire conformance run`, as commander gives them. */
export interface RunArguments {
  readonly driver?: readonly string[];
  readonly data?: string;
  readonly filter?: readonly string[];
  readonly level?: readonly string[];
  readonly jobs?: string;
  readonly timeoutFactor?: string;
  readonly baseline?: readonly string[];
  readonly bail?: boolean;
  readonly fresh?: boolean;
  readonly keep?: boolean;
  readonly list?: boolean;
  readonly verbose?: boolean;
  readonly json?: string;
  readonly junit?: string;
  readonly html?: string;
}

export interface NamedDriver {
  readonly name: string | undefined;
  readonly command: readonly [string, ...string[]];
}

/** `name=command`, or a command alone; quoted as in a shell (none takes part), or a JSON list. */
export function parseDriver(text: string): NamedDriver {
  const [, name, rest = text] = /^([A-Za-z][\w.-]*)=(.+)$/s.exec(text) ?? [];
  const [file, ...args] = rest.trimStart().startsWith('[')
    ? jsonList(rest)
    : parseArgsStringToArgv(rest);
  if (file === undefined || file === '') {
    throw new InvalidOptionError('driver', `--driver ${JSON.stringify(text)}: expected a command`);
  }
  return { name, command: [file, ...args] };
}

function jsonList(text: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new InvalidOptionError(
    'driver',
    `--driver: expected a JSON list of strings, found ${text}`,
  );
}

export function parsePositive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidOptionError(name, `--${name}: expected a number above 0, found "${text}"`);
}

export function checkLevels(levels: readonly string[]): readonly string[] {
  for (const level of levels) {
    if (!LEVELS.some((known) => known === level)) {
      throw new InvalidOptionError(
        'level',
        `--level: expected one of ${LEVELS.join(', ')}, found "${level}"`,
      );
    }
  }
  return levels;
}
