import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PlayLogRecord } from '../../../../src/testing/player/player-config.js';
import { isJsonObject, type JsonObject } from '../../../../src/util/json.js';
import {
  alteredCases,
  checkCase,
  type Observation,
  type SessionCase,
} from '../../../helpers/session-case/session-case.js';
import { Stage } from '../../../helpers/session-case/session-stage.js';
import { inKnownWords } from '../texts.js';
import { takeAlsoSeen } from './also-seen.js';
import { asData, errorAsData, scrub } from './as-data.js';
import { clock } from './clock.js';
import { inOneForm } from './one-form.js';
import type { CaseResult, Seen, SessionParity } from './parity-case.js';
import { envBeforeImport, SUBJECT } from './subject.js';

/** Runs the row as it runs in `npm test`, but through the package under test. */
export async function runSessionCase(
  { key, row }: SessionParity,
  onStage: (stage: Stage) => void,
): Promise<CaseResult> {
  const program = row.program ?? ((given: Stage) => given.drain());
  const stage = new Stage({
    ...row,
    program: async (given) => {
      const value = await program(given);
      await untilSignalledAreGone(given);
      return value;
    },
  });
  onStage(stage);
  const observation = await stage.observe();
  const check = SUBJECT === 'ours' ? checkCase : checkLeniently;
  const rowProblem = problemOf(() => check(row, observation));
  const unnoticed =
    SUBJECT === 'ours' && rowProblem === undefined
      ? alteredCases(row).filter((altered) => problemOf(() => checkCase(altered, observation)) === undefined)
      : [];
  return {
    key,
    seen: { ...whatUsersSaw(observation), ...whatTheCliSaw(stage), also: asData(takeAlsoSeen()) },
    rowProblem,
    unnoticed: unnoticed.map((altered) => JSON.stringify(altered.expect)),
  };
}

/** A loop may end with the signal: what the process wrote down last comes a little later. */
async function untilSignalledAreGone(stage: Stage): Promise<void> {
  const isEnding = (): boolean => stage.cli.logs().some(({ pid, signals }) => signals.length > 0 && isAlive(pid));
  for (let waited = 0; waited < 500 && isEnding(); waited += 10) await clock.realDelay(10);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What could be seen of a run that broke off. */
export function partlySeen(stage: Stage): Seen {
  return { messages: asData(stage.messages), notes: asData(stage.notes), ...whatTheCliSaw(stage) };
}

function whatUsersSaw(observation: Observation): Seen {
  const { error, value, notes, signals, warnings, unhandled, cliFailure } = observation;
  return {
    error: errorAsData(error),
    value: asData(value),
    notes: asData(notes),
    signals: withoutRepeats(signals),
    warnings,
    unhandled: unhandled.map(scrub),
    cli: cliFailure === undefined ? 'played to its end' : 'did not get what it waited for',
  };
}

/** `kill()` without a name means SIGTERM. */
function signalName(name: string): string {
  return name === 'undefined' ? 'SIGTERM' : name;
}

/** A signal that is sent twice in one moment arrives once. */
function withoutRepeats(signals: Observation['signals']): Observation['signals'] {
  const named = signals.map((signal) =>
    typeof signal === 'string' ? signalName(signal) : ([signal[0], signalName(signal[1])] as const),
  );
  return named.filter((signal, index) => !isDeepStrictEqual(signal, named[index - 1]));
}

/** Everything that crossed the process boundary, in order. */
function whatTheCliSaw(stage: Stage): Seen {
  const log = join(stage.cli.dir, 'log.jsonl');
  if (!existsSync(log)) return { processes: 0, messages: asData(stage.messages) };
  const records = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PlayLogRecord);
  const starts = records.filter((record) => record.event === 'start');
  const [start] = starts;
  const own = records.filter(({ pid }) => pid === start?.pid);
  return {
    processes: starts.length,
    messages: asData(stage.messages),
    argv: start && [...start.execArgv, '|', ...start.argv].map(scrub),
    env: start && addedVariables(start.env),
    wire: wireOf(own),
    exitCode: own.find((record) => record.event === 'end')?.exitCode,
  };
}

/** Variables of the child that are not the host's. What a package puts into the host counts as its own. */
export function addedVariables(env: Readonly<Record<string, string | undefined>>): unknown {
  const names = new Set([...Object.keys(env), ...Object.keys(envBeforeImport)]);
  const added = [...names].sort().flatMap((name) => {
    const value = env[name];
    if (value === envBeforeImport[name] && name !== 'CLAUDE_AGENT_SDK_VERSION') return [];
    return [[name, name === 'CLAUDE_AGENT_SDK_VERSION' ? versionAsData(value) : scrub(value ?? '<removed>')]];
  });
  return Object.fromEntries(added);
}

/** Each package says who it is (D-45); what callers say passes. */
export function versionAsData(value: string | undefined): string {
  return /^(?:0\.3\.330|claudewire\/\d.*)$/.test(value ?? '') ? '<of the SDK>' : String(value);
}

/** Frames and the end of input, in order. Beside signals, which overtake it, the end of input says nothing. */
function wireOf(records: readonly PlayLogRecord[]): readonly string[] {
  const isSignalled = records.some(({ event }) => event === 'signal');
  return records.flatMap((record) => {
    if (record.event === 'in') return [frameAsText(JSON.parse(record.line) as JsonObject)];
    return record.event === 'eof' && !isSignalled ? ['EOF'] : [];
  });
}

/** The frame with its keys in their order; ids of requests of ours read as `$id`, ids of answers stay. */
export function frameAsText(frame: JsonObject): string {
  const { request } = frame;
  if (frame.type !== 'control_request' || !isJsonObject(request)) return scrub(JSON.stringify(frame));
  const { message } = request;
  // A server's own request: its JSON-RPC id is whatever its library counts.
  const rpc = isJsonObject(message) && 'id' in message ? { message: { ...message, id: '$rpc' } } : {};
  return scrub(JSON.stringify({ ...frame, request_id: '$id', request: { ...inOneForm(request), ...rpc } }));
}

function withPromptInOneForm(frame: JsonObject): JsonObject {
  return isJsonObject(frame.request) ? { ...frame, request: inOneForm(frame.request) } : frame;
}

/** As ours is checked, without what only ours has: names of classes, causes, diagnostics. */
function checkLeniently(row: SessionCase, seen: Observation): void {
  const { error, value, notes, answers } = row.expect;
  const actual = seen.error instanceof Error ? seen.error.name : '';
  checkCase(
    {
      ...row,
      expect: {
        ...row.expect,
        diagnostics: [],
        ...(error === undefined ? {} : { error: { ...leniently(error), name: actual } }),
        ...('value' in row.expect ? { value: inKnownWords(asData(value)) } : {}),
        ...(notes === undefined ? {} : { notes: inKnownWords(asData(notes)) as readonly unknown[] }),
        ...(answers === undefined ? {} : { answers }),
      },
    },
    {
      ...seen,
      written: seen.written.map(withPromptInOneForm),
      diagnostics: [],
      signals: withoutRepeats(seen.signals),
      value: inKnownWords(asData(seen.value)),
      notes: inKnownWords(asData(seen.notes)) as readonly unknown[],
    },
  );
}

/** The fields that the official errors have. What is `null` in ours is missing there. */
function leniently({ message, fields = {} }: NonNullable<SessionCase['expect']['error']>) {
  const known = ['errorClass', 'errorCode', 'code', 'exitCode', 'signal'];
  const kept = Object.entries(fields).filter(([name, value]) => known.includes(name) && value !== null);
  return { ...(message === undefined ? {} : { message }), fields: Object.fromEntries(kept) };
}

export function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
