import { isJsonObject, type JsonObject, objectAt, parseJson, textAt } from '../model/json.js';
import type { Direction } from '../model/view-data.js';
import { torn } from './recording-format.js';
import type { LineFormat, SourceLine } from './source-line.js';

/** Transcripts of the CLI, and what it prints with `--output-format stream-json`. */
export class TranscriptFormat implements LineFormat {
  readonly kind = 'transcript';
  cliVersion: string | undefined;
  #first: number | undefined;
  #last = 0;

  read(line: string): readonly SourceLine[] {
    const written = parseJson(line);
    if (!isJsonObject(written)) return [torn(line)];
    const entry = queuedPrompt(written) ?? written;
    this.cliVersion ??= textAt(entry, 'version') ?? textAt(entry, 'claude_code_version');
    const time = Date.parse(textAt(entry, 'timestamp') ?? '');
    if (!Number.isNaN(time)) {
      this.#first ??= time;
      this.#last = time - this.#first;
    }
    const text = entry === written ? line : JSON.stringify(entry);
    return [{ t: this.#last, dir: directionOf(entry), proc: 1, text }];
  }
}

/** A prompt that was sent in mid-turn is stored as an attachment: the user message that `getSessionMessages()` shows. */
function queuedPrompt({ attachment, ...entry }: JsonObject): JsonObject | undefined {
  if (entry.type !== 'attachment' || !isJsonObject(attachment) || attachment.type !== 'queued_command')
    return undefined;
  const { prompt, isMeta } = attachment;
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) return undefined;
  const uuid = textAt(attachment, 'source_uuid') ?? entry.uuid;
  const message = { role: 'user', content: prompt };
  return { ...entry, type: 'user', uuid, message, isMeta: isMeta === true, isQueuedCommand: true };
}

const FROM_CLI = new Set(['assistant', 'system', 'result', 'stream_event', 'rate_limit_event', 'tool_progress']);

function directionOf(entry: JsonObject): Direction {
  if (entry.type === 'user') {
    const { content } = objectAt(entry, 'message');
    const isResult = (block: unknown): boolean => isJsonObject(block) && block.type === 'tool_result';
    return entry.isMeta === true || (Array.isArray(content) && content.some(isResult)) ? 'out' : 'in';
  }
  const type = String(entry.type);
  return FROM_CLI.has(type) || type.startsWith('control_') ? 'out' : 'meta';
}

/** What a `logger` of level `trace` got, one JSON record a line, as pino writes it. */
export class SessionLogFormat implements LineFormat {
  readonly kind = 'session-log';
  cliVersion: string | undefined;
  #first: number | undefined;
  /** Numbers of the runs. */
  readonly #runs = new Map<unknown, number>();

  read(line: string): readonly SourceLine[] {
    const record = parseJson(line);
    if (!isJsonObject(record)) return [torn(line)];
    const { time, run, frame, msg, message } = record;
    const now = typeof time === 'number' ? time : Date.parse(String(time));
    if (!Number.isNaN(now)) this.#first ??= now;
    this.cliVersion ??= textAt(record, 'cliVersion');
    if (!this.#runs.has(run)) this.#runs.set(run, this.#runs.size + 1);
    const t = Number.isNaN(now) ? Number.NaN : now - (this.#first ?? now);
    const said = String(msg ?? message);
    const place = { t, proc: this.#runs.get(run) ?? 1 };
    if (isJsonObject(frame)) {
      const dir = said === 'Frame to Claude Code' ? 'in' : 'out';
      return [{ ...place, dir, text: JSON.stringify(frame) }];
    }
    return [{ ...place, dir: 'meta', text: JSON.stringify({ event: said, ...record }) }];
  }
}

const PLAY_EVENTS: Readonly<Record<string, string>> = {
  start: 'spawn',
  eof: 'stdin_closed',
  end: 'exit',
  signal: 'signal_received',
};

/** The log of `claudewire replay --log`, and of a scenario that the conformance suite kept. */
export class PlayLogFormat implements LineFormat {
  readonly kind = 'play-log';

  read(line: string): readonly SourceLine[] {
    const record = parseJson(line);
    if (!isJsonObject(record)) return [torn(line)];
    const { t, spawn, event, env, ...rest } = record;
    const place = { t: typeof t === 'number' ? t : 0, proc: typeof spawn === 'number' ? spawn : 1 };
    if (event === 'in') return [{ ...place, dir: 'in', text: String(record.line) }];
    const note = {
      event: PLAY_EVENTS[String(event)] ?? event,
      ...rest,
      // It has all variables with their values: their names are enough.
      ...(isJsonObject(env) ? { env: Object.keys(env) } : {}),
      ...(event === 'end' ? { code: record.exitCode } : {}),
    };
    return [{ ...place, dir: 'meta', text: JSON.stringify(note) }];
  }
}

/** Scenario files: what is expected of the host, what the CLI says. Their steps have no time: they are counted. */
export class ScenarioFormat implements LineFormat {
  readonly kind = 'scenario';
  about: string | undefined;
  #step = -1;
  #proc = 0;

  read(line: string): readonly SourceLine[] {
    const step = parseJson(line);
    if (!isJsonObject(step)) return [torn(line)];
    this.#step += 1;
    this.about ??= textAt(step, 'about');
    if (step.spawn !== undefined) this.#proc += 1;
    const place = { t: this.#step, proc: Math.max(1, this.#proc) };
    if (isJsonObject(step.in)) return [{ ...place, dir: 'in', text: JSON.stringify(step.in) }];
    if (isJsonObject(step.out)) return [{ ...place, dir: 'out', text: JSON.stringify(step.out) }];
    if (typeof step.stderr === 'string') return [{ ...place, dir: 'err', text: step.stderr }];
    const [first = 'step'] = Object.keys(step);
    const event = this.#step === 0 ? 'header' : `step_${first}`;
    return [{ ...place, dir: 'meta', text: JSON.stringify({ ...step, event }) }];
  }
}

/** Lines of no known format: each is shown as it is. */
export class PlainFormat implements LineFormat {
  readonly kind = 'lines';

  read(line: string): readonly SourceLine[] {
    return [{ t: 0, dir: 'out', proc: 1, text: line }];
  }
}
