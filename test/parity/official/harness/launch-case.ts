import { spawn } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import type { Options, SDKMessage, SpawnOptions } from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { alteredCases, BASE, type LaunchCase } from '../../../query/launch/launch-case.js';
import { asData, errorAsData } from './as-data.js';
import { type FakeCli, fakeCli } from './fake-cli.js';
import { inOneForm } from './one-form.js';
import type { CaseResult, LaunchParity, Seen } from './parity-case.js';
import { frameAsText, problemOf, versionAsData } from './session-case.js';
import { show } from './show.js';
import { createSdkMcpServer, envAfterImport, envBeforeImport, query, SUBJECT } from './subject.js';

const REGISTRY = Symbol.for('opentelemetry.js.api.1');
/** Once in a process: what comes first takes it. The rows about it have processes of their own. */
const ONCE = 'CLAUDE_SDK_MCP_SERVERS_ARGV_DEPRECATED';

/** Starts the fake CLI with the row's options and looks at how it was started. */
export async function runLaunchCase({ key, row, isFresh }: LaunchParity): Promise<CaseResult> {
  const cli = fakeCli();
  try {
    const { seen, option, cwd } = await launch(row, cli);
    const stated = statedHere(row, isFresh, seen);
    const holds = (altered: LaunchCase): boolean => problemOf(() => check(altered, seen, option, cwd)) === undefined;
    return {
      key,
      seen: { ...seen, warnings: withoutOnce(seen.warnings as string[], isFresh) },
      rowProblem: problemOf(() => check(stated, seen, option, cwd)),
      unnoticed: holds(stated) ? alteredCases(stated).filter(holds).map(expectationOf) : [],
    };
  } finally {
    cli.remove();
  }
}

interface Launch {
  readonly seen: Seen;
  /** `option` of what was thrown: ours names it. */
  readonly option: unknown;
  readonly cwd: string | undefined;
}

async function launch(row: LaunchCase, cli: FakeCli): Promise<Launch> {
  const warnings: string[] = [];
  const onWarning = ({ code }: Error & { code?: string }): void => {
    if (code?.startsWith('CLAUDE_SDK_')) warnings.push(code);
  };
  process.on('warning', onWarning);
  const restore = enterHost(row);
  const messages: SDKMessage[] = [];
  let thrown: unknown;
  let failed: unknown;
  try {
    const started = start(row, cli);
    restore();
    if (started instanceof Failure) thrown = started.error;
    else for await (const message of started) messages.push(message);
  } catch (error) {
    failed = error;
  } finally {
    restore();
  }
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  const [run] = cli.runs();
  const frames = (run?.lines ?? []).map((line) => JSON.parse(line) as JsonObject);
  const { subtype: _, sdkMcpServerManifests, ...initialize } = (frames[0]?.request ?? {}) as JsonObject;
  const argv = run?.argv.map((token) => token.replace(/^\/.*\/claudewire-[^/]*\/(?:\d+-)?([^/]+)$/, '<path of $1>'));
  const seen: Seen = {
    processes: cli.runs().length,
    thrown: errorAsData(thrown),
    error: errorAsData(failed),
    messages: asData(messages),
    warnings,
    ...(run && {
      base: argv?.slice(0, BASE.length),
      argv: argv?.slice(BASE.length),
      execArgv: run.execArgv,
      files: run.files,
      env: withVersion(run.env),
      initialize: JSON.stringify(inOneForm(initialize)),
      manifests: asData(sdkMcpServerManifests),
      wire: [...frames.slice(1).map(frameAsText), run.sawEof ? 'EOF' : 'no EOF'],
    }),
  };
  return { seen, option: thrown instanceof Error ? Reflect.get(thrown, 'option') : undefined, cwd: run?.cwd };
}

function withoutOnce(codes: readonly string[], isFresh: boolean): readonly string[] {
  return isFresh ? codes : codes.filter((code) => code !== ONCE);
}

/** The row as far as it can be held against a real start: the executable is always the fake CLI. */
function statedHere(row: LaunchCase, isFresh: boolean, seen: Seen): LaunchCase {
  const { command: _, cwd: __, warns, ...stated } = row;
  return {
    ...stated,
    ...(row.cwd === null ? { cwd: process.cwd() } : {}),
    // In a shared process whoever comes first has this one: the row is taken to expect what came.
    ...(warns === undefined
      ? {}
      : { warns: isFresh ? warns : [...warns, ...(seen.warnings as string[]).filter((code) => code === ONCE)] }),
  };
}

function expectationOf({ options: _, host: __, ...stated }: LaunchCase): string {
  return show(stated);
}

class Failure {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

/** What `query()` throws is told apart from what the loop throws. */
function start(row: LaunchCase, cli: FakeCli): AsyncIterable<SDKMessage> | Failure {
  const given = revived(row.options) as Record<string, unknown>;
  const own =
    'spawnClaudeCodeProcess' in given
      ? {
          spawnClaudeCodeProcess: ({ command, args, cwd, env }: SpawnOptions) =>
            spawn(command, args, { cwd, env, stdio: 'pipe' }),
        }
      : {};
  const options = { ...given, ...own, pathToClaudeCodeExecutable: cli.path } as Options;
  try {
    return query({ prompt: 'Hi', options });
  } catch (error) {
    return new Failure(error);
  }
}

/** Rows over the plan hold servers without an instance, which real packages ask for their tools. */
function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isPlain(value) === false) return value;
  if (Array.isArray(value)) return value.map(revived);
  const instance = Object.getOwnPropertyDescriptor(value, 'instance');
  if (instance?.get !== undefined) {
    const { instance: _, ...fields } = Object.getOwnPropertyDescriptors(value);
    const server = createSdkMcpServer({ name: String(fields.name?.value) });
    return { ...server, instance: server.instance, ...Object.defineProperties({}, fields) };
  }
  if (seenBefore.has(value)) return value;
  seenBefore.add(value);
  const isNothingInside = !Object.values(value).some((member) => typeof member === 'object' && member !== null);
  if (isNothingInside) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revived(member)]));
}
const seenBefore = new WeakSet<object>();

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype;
}

/** The environment and the trace of the row's host, until it is restored. */
function enterHost({ host = {} }: LaunchCase): () => void {
  const before = { ...process.env };
  // The host of a row is one in which the package has been imported.
  replaceEnv({ ...setByImport, ...host.env });
  if (host.traceContext !== undefined) {
    const { traceparent, tracestate } = host.traceContext;
    Reflect.set(globalThis, REGISTRY, fakeTracing(traceparent, tracestate));
  }
  let isRestored = false;
  return () => {
    if (isRestored) return;
    isRestored = true;
    replaceEnv(before);
    Reflect.deleteProperty(globalThis, REGISTRY);
  };
}

const setByImport = Object.fromEntries(
  Object.entries(envAfterImport).filter(([name, value]) => envBeforeImport[name] !== value),
);

function replaceEnv(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) process.env[name] = value;
  }
}

/** As `@opentelemetry/api` 1.x registers itself, with one span always active. */
function fakeTracing(traceparent: string, tracestate: string | undefined) {
  const spanContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
  const context = { getValue: () => ({ spanContext: () => spanContext }), setValue: () => context };
  return {
    version: '1.9.0',
    context: { active: () => context, with: (_: unknown, run: () => unknown) => run() },
    propagation: {
      inject: (_: unknown, carrier: object, setter: { set(carrier: object, key: string, value: string): void }) => {
        setter.set(carrier, 'traceparent', traceparent);
        if (tracestate !== undefined) setter.set(carrier, 'tracestate', tracestate);
      },
      fields: () => ['traceparent', 'tracestate'],
    },
  };
}

function withVersion(env: Readonly<Record<string, string>>): Record<string, string> {
  const version = env.CLAUDE_AGENT_SDK_VERSION;
  return version === undefined ? env : { ...env, CLAUDE_AGENT_SDK_VERSION: versionAsData(version) };
}

function check(row: LaunchCase, seen: Seen, option: unknown, cwd: string | undefined): void {
  const { throws } = row;
  if (throws !== undefined) {
    const thrown = seen.thrown as { message: string } | undefined;
    equal('processes', seen.processes, 0);
    if (!thrown?.message.includes(throws.message)) {
      throw new Error(`expected to throw ${show(throws)}, got ${show(thrown ?? seen.argv)}`);
    }
    if (SUBJECT === 'ours') equal('option', option, throws.option);
    return;
  }
  equal('thrown', seen.thrown, undefined);
  equal('error', seen.error, undefined);
  equal('base', seen.base, [...BASE]);
  if (row.argv) equal('argv', seen.argv, row.argv);
  if (row.files) equal('files', seen.files, row.files);
  if (row.env) equal('env', seen.env, withVersion({ ...row.env }));
  if (row.initialize) equal('initialize', seen.initialize, JSON.stringify(row.initialize));
  if (row.warns) equal('warnings', seen.warnings, row.warns);
  if (row.cwd !== undefined) equal('cwd', cwd, row.cwd);
}

function equal(what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) {
    throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
  }
}
