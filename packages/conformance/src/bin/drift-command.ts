import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidOptionError } from 'claudewire';
import { messagesApi, type Turn } from 'claudewire/testing';
import { type Command, Option } from 'commander';
import { execa } from 'execa';
import { findData } from '../data/find-data.js';
import type { CliShape } from '../drift/cli-shape.js';
import { compareClis } from '../drift/compare-clis.js';
import { type Drift, driftMarkdown, driftText } from '../drift/drift-report.js';
import { type InstalledRelease, installRelease, parseRelease } from '../drift/install-release.js';
import { readLiveScenarios } from '../drift/live-scenario.js';
import { loopbackOnly } from '../drift/loopback-only.js';
import { recordCli } from '../drift/record-cli.js';
import { recordSdk } from '../drift/record-sdk.js';
import { shapeAt, type WireTable } from '../wire-table/wire-table.js';
import { readJson, writeText } from './files.js';
import { ExitCode, type ProgramHost } from './program.js';
import { parsePositive } from './run-arguments.js';

interface DriftArguments {
  readonly cache?: string;
  readonly data?: string;
  readonly cli?: string;
  readonly only?: readonly string[];
  readonly timeoutFactor?: string;
  readonly format: 'text' | 'json' | 'markdown';
  readonly out?: string;
  readonly recorded?: boolean;
}

const HELP = `
A and B are two CLIs, or two releases of one official SDK:
  2.1.330, cli@2.1.330   a release of the CLI, installed from npm into the cache (up to 400 MB each)
  ./claude, ./cli.js     a CLI that is there
  0.3.330, ts@0.3.330    a release of the TypeScript SDK
  py@0.2.187             a release of the Python SDK
SDKs drive one CLI: --cli. Recording needs no key and no network: on Linux it runs where there is nothing but loopback.

A scenario that does not come to its end on one side is "not recorded" and never a change. On a slow machine raise
--timeout-factor.

Exit codes:
  0    nothing changed
  1    something changed
  2    the arguments cannot be used, or a release cannot be installed`;

/** Adds `claudewire-conformance drift`. */
export function addDriftCommand(parent: Command, host: ProgramHost, onExit: (code: number) => void): void {
  parent
    .command('drift <A> <B>')
    .description('Records two releases of the CLI or of an SDK, and says what changed on the wire.')
    .option('--cache <dir>', 'where releases are installed and kept (default: a folder that is removed)')
    .option('--cli <release>', 'the CLI that both SDKs drive (default: the newest of the table)')
    .option('--only <name...>', 'only these scenarios')
    .option('--timeout-factor <n>', 'multiplies every time limit')
    .option('--data <dir>', 'another folder of conformance data')
    .option('--recorded', 'compares two versions of the table; nothing is installed or run')
    .addOption(new Option('--format <format>', 'of the answer').choices(['text', 'json', 'markdown']).default('text'))
    .option('--out <file>', 'writes the answer there')
    .addHelpText('after', HELP)
    .action(async (a: string, b: string, args: DriftArguments) => onExit(await run([a, b], args, host)));
  parent
    .command('record-release <job> <out>', { hidden: true })
    .action(async (job: string, out: string) => recordJob(JSON.parse(readFileSync(job, 'utf8')), out, host));
}

async function run(names: readonly [string, string], args: DriftArguments, host: ProgramHost): Promise<number> {
  const timeoutFactor = parsePositive('timeout-factor', args.timeoutFactor) ?? 1;
  const data = findData({ data: args.data });
  const [before, now] =
    args.recorded === true ? fromTable(names, data) : await record(names, { args, data, timeoutFactor, host });
  const unordered = readLiveScenarios(join(data, 'live')).flatMap((each) =>
    each.isUnordered === true ? [each.name] : [],
  );
  const drift: Drift = {
    before: before.cliVersion,
    now: now.cliVersion,
    changes: compareClis(before, now, { unordered }),
    notRecorded: { before: before.notRecorded ?? {}, now: now.notRecorded ?? {} },
  };
  const formats = { text: driftText, markdown: driftMarkdown, json: (each: Drift) => `${JSON.stringify(each)}\n` };
  const answer = formats[args.format](drift);
  if (args.out === undefined) host.stdout.write(answer);
  else writeText('out', resolve(args.out), answer);
  return drift.changes.length === 0 ? ExitCode.ok : ExitCode.failed;
}

function fromTable(names: readonly [string, string], data: string): readonly [CliShape, CliShape] {
  // Written by `npm run wire`.
  const table = readJson('data', join(data, 'wire', 'table.json')) as WireTable;
  const [a, b] = names.map((name) => {
    if (table.versions.includes(name)) return shapeAt(table, name);
    throw new InvalidOptionError('recorded', `${name} was not recorded; there are ${table.versions.join(', ')}`);
  });
  return [a as CliShape, b as CliShape];
}

interface RecordContext {
  readonly args: DriftArguments;
  readonly data: string;
  readonly timeoutFactor: number;
  readonly host: ProgramHost;
}

/** What the recording process is given. */
interface RecordJob {
  readonly release: InstalledRelease;
  /** The CLI of an SDK. */
  readonly cli?: InstalledRelease | undefined;
  readonly data: string;
  readonly only?: readonly string[] | undefined;
  readonly timeoutFactor: number;
}

/** Both sides, one after the other: side by side they would slow each other down. */
async function record(
  names: readonly [string, string],
  { args, data, timeoutFactor, host }: RecordContext,
): Promise<readonly [CliShape, CliShape]> {
  const [first, second] = [releaseOf(names[0]), releaseOf(names[1])];
  if (first.kind !== second.kind) {
    throw new InvalidOptionError('release', `${names.join(' and ')} are not of one kind: give two CLIs, or two SDKs`);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'claudewire-drift-'));
  const cache = args.cache === undefined ? join(scratch, 'cache') : resolve(args.cache);
  const prefix = await loopbackOnly();
  if (prefix === undefined) host.stderr.write('no loopback-only network namespace here: recording without one\n');
  try {
    const isSdk = first.kind !== 'cli';
    const cli = isSdk ? await install(args.cli ?? newestCli(data), cache) : undefined;
    const side = async (name: string): Promise<CliShape> => {
      const release = await install(name, cache);
      const job: RecordJob = { release, cli, data, only: args.only, timeoutFactor };
      const shape = await recordApart(job, { scratch, prefix: prefix ?? [], host });
      return { ...shape, cliVersion: name };
    };
    return [await side(names[0]), await side(names[1])];
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function recordApart(
  job: RecordJob,
  {
    scratch,
    prefix,
    host,
  }: { readonly scratch: string; readonly prefix: readonly string[]; readonly host: ProgramHost },
): Promise<CliShape> {
  const [file, out] = [join(scratch, 'job.json'), join(scratch, 'shape.json')];
  rmSync(out, { force: true });
  writeFileSync(file, JSON.stringify(job));
  const program = fileURLToPath(new URL('claudewire-conformance.js', import.meta.url));
  const [command = '', ...args] = [...prefix, process.execPath, program, 'record-release', file, out];
  const child = await execa(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cancelSignal: host.abortController.signal,
    reject: false,
  });
  if (existsSync(out)) return readJson('release', out) as CliShape;
  const why = String(child.stderr).trim().split('\n').at(-1);
  throw new InvalidOptionError('release', `${job.release.path} cannot be recorded: ${why || child.shortMessage}`);
}

async function recordJob({ release, cli, data, only, timeoutFactor }: RecordJob, out: string, host: ProgramHost) {
  const onRun = (name: string, problem: string | undefined) =>
    host.stderr.write(problem === undefined ? `${name}\n` : `${name}: ${problem}\n`);
  const common = { only, timeoutFactor, onRun };
  const shape =
    cli === undefined
      ? await recordCli({
          ...common,
          cli: release.path,
          scenarios: readLiveScenarios(join(data, 'live')).filter(({ name }) => only?.includes(name) ?? true),
          signal: host.abortController.signal,
          // Scenarios are data: the API says so when a turn is none.
          startApi: (turns) => messagesApi(turns as readonly Turn[]),
        })
      : await recordSdk({
          ...common,
          release,
          cli: cli.path,
          cliVersion: cli.version,
          programs: join(data, 'drivers', 'table'),
        });
  writeFileSync(out, JSON.stringify(shape));
}

function releaseOf(name: string): ReturnType<typeof parseRelease> {
  if (/[/\\]|\.[cm]?js$/.test(name) || existsSync(name)) {
    if (!existsSync(name)) throw new InvalidOptionError('release', `${name} does not exist`);
    return { kind: 'cli', version: name };
  }
  return parseRelease(name);
}

function install(name: string, cache: string): Promise<InstalledRelease> | InstalledRelease {
  const { kind, version } = releaseOf(name);
  return version === name && existsSync(name)
    ? { kind, version, path: resolve(name) }
    : installRelease(kind, version, cache);
}

function newestCli(data: string): string {
  const versions = readJson('data', join(data, 'wire', 'versions.json')) as readonly { readonly cli: string }[];
  return versions.at(-1)?.cli ?? 'latest';
}
