import type { JsonObject } from '../../../../src/util/json.js';
import type { LogLine } from './cli-place.js';
import type { Raw } from './execute.js';
import type { Reply } from './link.js';
import type { ProcessProgram } from './program.js';
import type { Json } from './row.js';

/** Waits there are, in seconds of the SDK's clock: what is seen is the one that is nearest, since machines are busy. */
const WAITS_S = [0, 2, 5, 10, 60];

/** What both sides can be held against each other by: names, ids and paths that are chance are replaced. */
export function observationOf(program: ProcessProgram, raw: Raw): Json {
  const starts = raw.log.filter(({ event }) => event === 'start');
  const first = starts[0];
  const own = raw.log.filter(({ pid }) => pid === first?.pid);
  const frames = own.flatMap(frameOf);
  const scrub = scrubber(raw);
  const failure = raw.start.error ?? eventOf(raw, 'error')?.error;
  const argv = (first?.argv ?? []) as readonly string[];
  return scrub({
    processes: starts.length,
    probes: raw.log.filter(({ event }) => event === 'probe').map(probeOf),
    start: said(raw.start),
    failure: failure === undefined ? null : failure,
    end: endOf(raw),
    argv,
    /** argv without the flags that are always there, wherever they stand. */
    rest: restOf(argv),
    flags: flagsOf(argv),
    env: envOf((first?.env ?? {}) as JsonObject, program.env ?? []),
    cwd: first?.cwd ?? null,
    initialize: initializeOf(frames),
    ids: idsOf(frames).map(shapeOfId),
    areIdsUnique: new Set(idsOf(frames)).size === idsOf(frames).length,
    stdin: own.flatMap((line): readonly (string | JsonObject)[] => {
      if (line.event === 'eof') return ['EOF'];
      const frame = frameOf(line)[0];
      return frame === undefined || frame.type === 'control_response' ? [] : [withoutId(frame)];
    }),
    /** What was asked of the CLI after the handshake. */
    requests: frames.flatMap(({ type, request }) =>
      type === 'control_request' && (request as JsonObject).subtype !== 'initialize' ? [request] : [],
    ),
    answers: answersOf(frames),
    /** Answers and what else was written, in order: what came before the end of the input. */
    order: own.flatMap(orderOf),
    messages: eventsOf(raw, 'message').map(({ message }) => message),
    said: eventsOf(raw, 'message').map(({ message }) => shortly(message as JsonObject)),
    /** Everything the program was told, in order. */
    happened: raw.events
      .filter(({ what }) => !['warning', 'chunk', 'cancelled'].includes(String(what)))
      .map(happeningOf),
    callbacks: eventsOf(raw, 'callback').map(({ event: _, run: __, what: ___, ...rest }) => rest),
    cancelled: eventsOf(raw, 'cancelled').map(({ name, call }) => ({ name, call })),
    stderr: eventsOf(raw, 'stderr').map(({ text }) => text),
    /** What the `stderr` callback was called with; `stderr` has the same by line. */
    chunks: eventsOf(raw, 'chunk').map(({ text }) => text),
    /** What the host's own stderr got. */
    hostStderr: raw.stderr.includes('from the CLI') ? 'from the CLI' : '',
    warnings: eventsOf(raw, 'warning').map(({ category, text }) => `${category}: ${text}`),
    calls: Object.fromEntries(Object.entries(raw.calls).map(([name, reply]) => [name, said(reply)])),
    /** Seconds of the SDK's clock that the commands took. */
    took: Object.fromEntries(
      Object.entries(raw.tookMs).map(([name, ms]) => [name, nearestWait(ms * (program.timeScale ?? 1))]),
    ),
    store: raw.store ?? null,
    missed: raw.missed,
    exit: exitOf(own, program.timeScale ?? 1),
    verdict: raw.verdict === undefined ? 'none' : (raw.verdict.failure?.message ?? 'passed'),
  });
}

function eventsOf({ events }: Raw, what: string): readonly JsonObject[] {
  return events.filter((event) => event.what === what);
}

function eventOf(raw: Raw, what: string): JsonObject | undefined {
  return eventsOf(raw, what)[0];
}

function endOf(raw: Raw): string {
  if (raw.start.error !== undefined || eventOf(raw, 'error') !== undefined) return 'error';
  if (eventOf(raw, 'end') !== undefined) return 'end';
  return raw.isOver ? 'end' : 'open';
}

function said({ result, error, unsupported }: Reply): unknown {
  if (unsupported !== undefined) return { unsupported };
  if (error !== undefined) return { error };
  return result === undefined ? 'pending' : { result };
}

function frameOf({ event, line }: LogLine): readonly JsonObject[] {
  if (event !== 'in' || typeof line !== 'string') return [];
  try {
    return [JSON.parse(line) as JsonObject];
  } catch {
    return [];
  }
}

function initializeOf(frames: readonly JsonObject[]): unknown {
  const request = frames
    .map((frame) => frame.request as JsonObject | undefined)
    .find((each) => each?.subtype === 'initialize');
  if (request === undefined) return null;
  const { subtype: _, ...fields } = request;
  return fields;
}

function idsOf(frames: readonly JsonObject[]): readonly string[] {
  return frames.flatMap(({ request_id: id }) => (typeof id === 'string' ? [id] : []));
}

/** An id without what is chance in it. */
function shapeOfId(id: string): string {
  return id.replace(/_[0-9a-f]{8}$/, '_<8 hex>').replace(/^[a-z0-9]{9,12}$/, '<9 to 12 characters>');
}

function withoutId(frame: JsonObject): JsonObject {
  const { request_id: _, uuid: __, ...rest } = frame;
  return rest;
}

function answersOf(frames: readonly JsonObject[]): unknown {
  const answers: Record<string, unknown> = {};
  for (const frame of frames.filter(({ type }) => type === 'control_response')) {
    const { request_id: id, ...response } = frame.response as JsonObject;
    answers[String(id)] = String(id) in answers ? ['answered twice', answers[String(id)], response] : response;
  }
  return answers;
}

function orderOf(line: LogLine): readonly string[] {
  if (line.event === 'eof') return ['EOF'];
  return frameOf(line).map((frame) => {
    if (frame.type === 'control_response') {
      return `answer ${(frame.response as JsonObject).request_id}`;
    }
    return frame.type === 'control_request' ? `request ${(frame.request as JsonObject).subtype}` : String(frame.type);
  });
}

function happeningOf(event: JsonObject): string {
  const { what, name, message } = event;
  if (what === 'message') return `message ${shortly(message as JsonObject)}`;
  return name === undefined ? String(what) : `${what} ${name}`;
}

function shortly(frame: JsonObject): string {
  const subtype = frame.subtype;
  return subtype === undefined ? String(frame.type) : `${frame.type}/${subtype}`;
}

const ALWAYS = ['--output-format stream-json', '--verbose', '--input-format stream-json'];

function restOf(argv: readonly string[]): readonly string[] {
  const rest = [...argv];
  for (const tokens of ALWAYS.map((each) => each.split(' '))) {
    const at = rest.findIndex((_, place) => tokens.every((token, step) => rest[place + step] === token));
    if (at >= 0) rest.splice(at, tokens.length);
  }
  return rest;
}

/** Flags as a CLI reads them: `--a=b` and `--a b` are the same, `true` has no value, a list was given more than once. */
export function flagsOf(argv: readonly string[]): JsonObject {
  const flags: Record<string, unknown> = {};
  for (let at = 0; at < argv.length; at += 1) {
    const [, name, joined] = /^(--[^=]+)(?:=(.*))?$/s.exec(argv[at] ?? '') ?? [];
    if (name === undefined) {
      flags['?'] = [...((flags['?'] ?? []) as unknown[]), argv[at]];
      continue;
    }
    let value: unknown = joined;
    if (joined === undefined) {
      const next = argv[at + 1];
      const isBare = next === undefined || next.startsWith('--');
      value = isBare ? true : next;
      if (!isBare) at += 1;
    }
    const before = flags[name];
    flags[name] = before === undefined ? inJson(value) : [before, inJson(value)].flat();
  }
  return flags;
}

/** JSON texts differ in their blanks. */
function inJson(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function envOf(env: JsonObject, named: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(?:CLAUDE|TRACE|PWD$)/.test(name) || named.includes(name)),
  );
}

function probeOf({ argv, cwd, env }: LogLine): unknown {
  const { CLAUDE_CODE_ENTRYPOINT: entrypoint, A: a } = env as JsonObject;
  return { argv, cwd, env: { CLAUDE_CODE_ENTRYPOINT: entrypoint ?? null, A: a ?? null } };
}

function nearestWait(ms: number): number {
  const far = (wait: number): number => Math.abs(wait - ms / 1000);
  return WAITS_S.reduce((nearest, wait) => (far(wait) < far(nearest) ? wait : nearest));
}

/** How the process ended: by itself, or by the signals it got, and when after the end of its input. */
function exitOf(own: readonly LogLine[], timeScale: number): JsonObject {
  const eof = own.find(({ event }) => event === 'eof');
  const signals = own.filter(({ event }) => event === 'signal');
  const end = own.find(({ event }) => event === 'end');
  const since = (line: LogLine | undefined): unknown => {
    if (eof?.t === undefined || line?.t === undefined) return null;
    return nearestWait((line.t - eof.t) * timeScale);
  };
  return {
    sawEof: eof !== undefined,
    signals: signals.map(({ signal }) => signal),
    after: signals.map(since),
    code: end?.exitCode ?? null,
    /** No `end` in the log of a process that is gone: it was killed. */
    killed: own.length > 0 && end === undefined,
  };
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

function scrubber({ place }: Raw): (value: unknown) => Json {
  const names: (readonly [string, string])[] = [
    ...(place.cwd === undefined ? [] : [[place.cwd, '<cwd>'] as const]),
    ...(place.path === undefined ? [] : [[place.path, '<cli>'] as const]),
    [place.dir, '<dir>'],
  ];
  const scrub = (value: unknown): unknown => {
    if (typeof value === 'string') {
      let text = value;
      for (const [path, name] of names) text = text.replaceAll(path, name);
      return text.replaceAll(UUID, (id) => (id.startsWith('1111') ? id : '<uuid>'));
    }
    if (Array.isArray(value)) return value.map(scrub);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [scrub(key) as string, scrub(each)]));
  };
  return (value) => JSON.parse(JSON.stringify(scrub(value))) as Json;
}
