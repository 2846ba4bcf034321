import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import { LEVELS, type Level } from 'claudewire/testing';
import { parseArgsStringToArgv } from 'string-argv';
import type { Baseline } from '../report/baseline.js';

/** The options of `claudewire conformance run`, as commander gives them. */
export interface RunArguments {
  readonly driver?: readonly string[];
  readonly data?: string;
  readonly filter?: readonly string[];
  readonly level?: readonly string[];
  readonly require?: readonly string[];
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
  const [file, ...args] = rest.trimStart().startsWith('[') ? jsonList(rest) : parseArgsStringToArgv(checkQuotes(rest));
  if (file === undefined || file === '') {
    throw new InvalidOptionError('driver', `--driver ${JSON.stringify(text)}: expected a command`);
  }
  return { name, command: [file, ...args] };
}

function checkQuotes(text: string): string {
  if (!/['"]/.test(text.replaceAll(/"[^"]*"|'[^']*'/g, ''))) return text;
  throw new InvalidOptionError(
    'driver',
    `--driver: expected a closing quote in ${text}; or give a JSON list of strings`,
  );
}

/** Two drivers, or two baselines, of one name cannot be told apart; a baseline is for a driver that is named. */
export function checkNames(drivers: readonly NamedDriver[], baselines: readonly Baseline[]): void {
  const names = drivers.flatMap(({ name }) => name ?? []);
  const about = baselines.map(({ driver }) => driver);
  for (const [option, list] of [
    ['driver', names],
    ['baseline', about],
  ] as const) {
    const twice = list.find((name, index) => list.indexOf(name) !== index);
    if (twice !== undefined) {
      throw new InvalidOptionError(option, `--${option}: there are two for "${twice}"`);
    }
  }
  const stray = about.find((name) => !names.includes(name));
  if (stray !== undefined) {
    throw new InvalidOptionError(
      'baseline',
      `--baseline: it is for "${stray}", and no driver has that name: --driver ${stray}=COMMAND`,
    );
  }
}

/** Reports are written at the end of a long run: whether they can be is known before. */
export function checkReports(args: RunArguments): void {
  for (const option of ['json', 'junit', 'html'] as const) {
    const given = args[option];
    if (given === undefined) continue;
    const file = resolve(given);
    try {
      accessSync(dirname(file), constants.W_OK);
      if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) continue;
    } catch {
      // Below.
    }
    throw new InvalidOptionError(option, `--${option}: ${file} cannot be written`);
  }
}

function jsonList(text: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new InvalidOptionError('driver', `--driver: expected a JSON list of strings, found ${text}`);
}

export function parsePositive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidOptionError(name, `--${name}: expected a number above 0, found "${text}"`);
}

/** The same of a count. */
export function parseCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text.trim())) return Number(text);
  throw new InvalidOptionError(name, `--${name}: expected a whole number above 0, found "${text}"`);
}

export function checkLevels(option: 'level' | 'require', given: readonly string[]): readonly Level[] {
  return given.map((text) => {
    const level = LEVELS.find((known) => known === text);
    if (level !== undefined) return level;
    throw new InvalidOptionError(option, `--${option}: expected one of ${LEVELS.join(', ')}, found "${text}"`);
  });
}

/** `L0,L1`, and the option again. */
export function parseRequired(given: readonly string[] = []): readonly Level[] {
  return checkLevels('require', [...new Set(given.flatMap((text) => text.split(',').map((level) => level.trim())))]);
}
