import { expect } from 'vitest';
import { InvalidOptionError } from '../../../src/errors.js';
import type { LaunchHost, LaunchPlan } from '../../../src/query/launch/launch-plan.js';
import { planLaunch } from '../../../src/query/launch/plan-launch.js';
import type { Options } from '../../../src/query/options.js';

/** One case over `planLaunch`: given these options, then exactly this crosses the process boundary. */
export interface LaunchCase {
  /** `TS-…` or `PY-…`, several when one case shows several rows. */
  readonly ids: readonly string[];
  readonly name: string;
  readonly options: Record<string, unknown>;
  readonly host?: Partial<LaunchHost>;
  /** All tokens after {@link BASE}. */
  readonly argv?: readonly string[];
  /** The whole environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The whole `initialize` payload; the order of keys counts. */
  readonly initialize?: Readonly<Record<string, unknown>>;
  /** Content of the private files. */
  readonly files?: readonly string[];
  readonly command?: LaunchPlan['command'];
  readonly cwd?: string | null;
  /** Codes of the process warnings. */
  readonly warns?: readonly string[];
  /** `option` of the `InvalidOptionError`, and a part of its message. */
  readonly throws?: { readonly option: string; readonly message: string };
  /** Python rows: why ours is not what Python does. */
  readonly differs?: string;
}

export const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'] as const;

export const HOST: LaunchHost = {
  env: {},
  platform: 'linux',
  sdkVersion: '0.1.0',
  front: 'query',
  prompt: 'string',
  createMcpEndpointFactory: () => () => {
    throw new Error('no endpoint is made while planning');
  },
};

export function plan(options: unknown, host: Partial<LaunchHost> = {}): LaunchPlan {
  // Rows also hold what no type allows: that is what they test.
  return planLaunch(options as Options, { ...HOST, ...host });
}

const EXPECTATIONS = ['argv', 'env', 'initialize', 'files', 'command', 'cwd', 'warns', 'throws'] as const;

/** Throws unless the plan is exactly what the row says. A row without an expectation never passes. */
export function checkCase(row: LaunchCase): void {
  const stated = EXPECTATIONS.filter((key) => row[key] !== undefined);
  expect(stated, 'a row states something').not.toEqual([]);
  if (row.throws !== undefined) {
    expect(stated, 'nothing else can hold when it throws').toEqual(['throws']);
    const error = errorOf(() => plan(row.options, row.host));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect((error as InvalidOptionError).option).toBe(row.throws.option);
    expect((error as InvalidOptionError).message).toContain(row.throws.message);
    return;
  }
  const { args, files, env, cwd, initialize, command, warnings } = plan(row.options, row.host);
  expect(args.slice(0, BASE.length)).toEqual(BASE);
  const actual: Record<(typeof EXPECTATIONS)[number], unknown> = {
    argv: args.slice(BASE.length),
    env,
    initialize: ordered(initialize),
    files: files.map((file) => file.content),
    command,
    cwd: cwd ?? null,
    warns: warnings.map((warning) => warning.code),
    throws: undefined,
  };
  for (const key of stated) {
    const expected = key === 'initialize' ? ordered(row.initialize) : row[key];
    expect(actual[key], key).toStrictEqual(expected);
  }
}

/** The row with every stated expectation changed a little, one at a time. */
export function alteredCases(row: LaunchCase): LaunchCase[] {
  const altered: LaunchCase[] = [];
  if (row.argv) altered.push({ ...row, argv: [...row.argv, 'x'] });
  for (const [index, token] of (row.argv ?? []).entries()) {
    altered.push({ ...row, argv: (row.argv ?? []).with(index, `${token}x`) });
  }
  if (row.env) altered.push({ ...row, env: { ...row.env, X: '' } });
  if (row.initialize) altered.push({ ...row, initialize: { ...row.initialize, x: 1 } });
  if (row.files) altered.push({ ...row, files: [...row.files, 'x'] });
  if (row.command) altered.push({ ...row, command: { ...row.command, runtime: 'x' } });
  if (row.cwd !== undefined) altered.push({ ...row, cwd: `${row.cwd}x` });
  if (row.warns) altered.push({ ...row, warns: [...row.warns, 'x'] });
  if (row.throws) {
    altered.push({ ...row, throws: { ...row.throws, option: `${row.throws.option}x` } });
    altered.push({ ...row, throws: { ...row.throws, message: `${row.throws.message}~` } });
  }
  return altered;
}

/** JSON with its key order, and nothing that JSON would hide. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (member === undefined ? '(undefined)' : member));
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** An in-process server as `createSdkMcpServer` makes it, but for its instance, which nobody may read while planning. */
export function sdkServer(name: string, fields: object = {}): Record<string, unknown> {
  return {
    type: 'sdk',
    name,
    ...fields,
    get instance(): unknown {
      throw new Error('the instance was read');
    },
  };
}
