import { join } from 'node:path';
import type { Recording } from 'claudewire/testing';
import { runSdk, type SdkCommand } from '../sdk-table/run-sdk.js';
import { SDK_SCENARIOS } from '../sdk-table/sdk-scenarios.js';
import { isJsonObject } from '../util/json.js';
import type { CliShape } from './cli-shape.js';
import type { InstalledRelease } from './install-release.js';
import { installedSurface } from './installed-surface.js';
import { KindShapes, type RunShape, runShape } from './shapes.js';

export interface RecordSdkOptions {
  readonly release: InstalledRelease;
  /** Path of the CLI that the SDK drives. */
  readonly cli: string;
  readonly cliVersion: string;
  /** Folder of `session.mjs` and `session.py`. */
  readonly programs: string;
  readonly only?: readonly string[] | undefined;
  readonly timeoutFactor?: number | undefined;
  /** As each scenario ends. */
  onRun?(name: string, problem: string | undefined): void;
}

/** How an installed SDK runs the scenarios of the table. */
export function sdkCommand({ kind, path, python = 'python3' }: InstalledRelease, programs: string): SdkCommand {
  return kind === 'py'
    ? { command: [python, '-B', join(programs, 'session.py')], env: { PYTHONPATH: path } }
    : { command: [process.execPath, join(programs, 'session.mjs'), path] };
}

/**
 * What one release of an SDK writes: frames, flags and variables in the scenarios of the table, and what the package offers.
 * In the form of a CLI's shape, so that both are compared alike.
 */
export async function recordSdk(options: RecordSdkOptions): Promise<CliShape> {
  const { release, programs } = options;
  const surface = await installedSurface(release, programs);
  const kinds = new KindShapes('in');
  const flags: Record<string, string> = {};
  const variables = new Set<string>();
  const scenarios: Record<string, RunShape> = {};
  const notRecorded: Record<string, string> = {};
  for (const scenario of SDK_SCENARIOS.filter(({ name }) => options.only?.includes(name) ?? true)) {
    const { problem, recordings } = await runSdk({ ...options, scenario, sdk: sdkCommand(release, programs) });
    options.onRun?.(scenario.name, problem);
    const [recording] = recordings;
    if (recording === undefined || problem?.startsWith('did not end') === true) {
      notRecorded[scenario.name] = problem ?? 'the CLI was not started';
      continue;
    }
    scenarios[scenario.name] = runShape(recording, 'in');
    kinds.add(recording, scenario.name);
    const { argv, env } = spawnOf(recording);
    for (const [flag, value] of flagsOf(argv)) flags[flag] = value;
    for (const name of env) variables.add(name);
  }
  return {
    cliVersion: `${release.kind}@${release.version}`,
    scenarios,
    kinds: kinds.shapes,
    seenIn: kinds.seenIn,
    notRecorded,
    flags,
    defaults: { 'variables for the CLI': [...variables].sort() },
    timings: {},
    surface,
  };
}

function spawnOf({ lines }: Recording): { readonly argv: readonly string[]; readonly env: readonly string[] } {
  const spawn = lines.find(({ dir, data }) => dir === 'meta' && isJsonObject(data) && data.event === 'spawn')?.data;
  const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  return isJsonObject(spawn) ? { argv: list(spawn.argv), env: list(spawn.env) } : { argv: [], env: [] };
}

const LONGEST_VALUE = 40;

/** Flags with the values that follow them. */
function flagsOf(argv: readonly string[]): readonly (readonly [string, string])[] {
  return argv.flatMap((word, index) => {
    if (!word.startsWith('--')) return [];
    const [flag = word, value] = word.split(/=(.*)/s);
    const next = argv[index + 1];
    const text = value ?? (next === undefined || next.startsWith('--') ? '' : next);
    // Ids differ from run to run, and long values are a matter of the scenario.
    return [[flag, /[0-9a-f]{8}-|[{/]/.test(text) ? '<value>' : text.slice(0, LONGEST_VALUE)]];
  });
}
