import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { commandOf, type RecorderConfig } from '../../../../src/testing/recorder/recorder-config.js';
import { isCount, isSecretName } from '../../../../src/testing/recorder/scrub/rules.js';
import { Scrubber } from '../../../../src/testing/recorder/scrub/scrubber.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { LineSplitter } from '../../../../src/util/lines.js';
import { VERSION } from '../../../../src/version.js';
import { LineLog, type RecordedStream } from './line-log.js';
import { RecordingFile } from './recording-file.js';
import { type ScrubbedItem, ScrubbedList } from './scrubbed-list.js';

export interface RecorderHost {
  readonly args: readonly string[];
  /** From 1: which process of the recording this is. */
  readonly proc: number;
  /** After the CLI has ended and everything it wrote was passed on. */
  onDone(
    end: { readonly code: number; readonly signal: NodeJS.Signals | null },
    scrubbed: readonly ScrubbedItem[],
  ): void;
}

const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
/** What the CLI started may hold its pipes open: the recorder ends soon after the CLI all the same. */
const PIPES_GRACE_MS = 500;
/** A longer line is passed on like any other, and left out of the recording. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const NOT_FOUND = 127;
const NOT_STARTED = 126;

/**
 * Runs the CLI behind this process's stdin, stdout and stderr, and records what passes.
 * @throws Error the recording cannot be written. The CLI was not started.
 */
export function record(config: RecorderConfig, host: RecorderHost): void {
  const { args } = host;
  const env = process.env;
  const list = new ScrubbedList();
  const surroundings = { env, cwd: process.cwd(), texts: config.scrubTexts ?? [] };
  const scrubber = config.scrub ? new Scrubber(surroundings, (kind, where) => list.add(kind, where)) : undefined;
  const facts = { ...config, args, env, scrubber };
  const file = new RecordingFile(config.out, () => provenanceOf(facts));
  const log = new LineLog(file, host.proc, scrubber);
  log.meta(spawnEvent(facts));
  const [command, ...before] = commandOf(config.cli);
  const child = spawn(command, [...before, ...args], { stdio: 'pipe', windowsHide: true });
  let failure: NodeJS.ErrnoException | undefined;
  child.on('error', (error) => {
    failure ??= error;
    if (child.pid === undefined) done(error.message.includes('ENOENT') ? NOT_FOUND : NOT_STARTED, null);
  });
  const stop = forwardSignals(child, (signal) => log.meta({ event: 'signal_received', signal }));
  const cutters = passStreams(child, log);
  let isDone = false;
  let grace: NodeJS.Timeout | undefined;
  child.on('exit', (code, signal) => {
    grace = setTimeout(() => done(code ?? 1, signal), PIPES_GRACE_MS);
  });
  child.on('close', (code, signal) => done(code ?? 1, signal));

  function done(code: number, signal: NodeJS.Signals | null): void {
    if (isDone) return;
    isDone = true;
    clearTimeout(grace);
    process.stdin.destroy();
    for (const cutter of cutters) cutter.end();
    const hasStarted = child.pid !== undefined;
    if (!hasStarted) process.stderr.write(`claudewire record: ${String(failure?.message)}\n`);
    log.meta(
      hasStarted
        ? { event: 'exit', code: signal === null ? code : null, signal }
        : { event: 'spawn_failed', message: String(failure?.message) },
    );
    log.end();
    if (scrubber !== undefined) log.meta({ event: 'scrubbed', items: list.items });
    if (file.failure !== undefined) process.stderr.write(`claudewire record: ${config.out}: ${file.failure.message}\n`);
    file.close();
    written(process.stdout, () =>
      written(process.stderr, () => {
        stop();
        host.onDone({ code, signal }, list.items);
      }),
    );
  }
}

function passStreams(child: ChildProcess, log: LineLog): readonly StreamLines[] {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) return [];
  const [ins, outs, errs] = [streamLines(log, 'in'), streamLines(log, 'out'), streamLines(log, 'err')];
  passOn(process.stdin, stdin, {
    onChunk: ins.push,
    onEnd: () => {
      ins.end();
      log.meta({ event: 'stdin_closed' });
      stdin.end();
    },
    onBroken: () => log.meta({ event: 'stdin_closed_by_reader' }),
  });
  passOn(stdout, process.stdout, {
    onChunk: outs.push,
    // The CLI closed it and may live on.
    onEnd: () => written(process.stdout, () => close(process.stdout)),
    onBroken: () => log.meta({ event: 'stdout_closed_by_reader' }),
  });
  passOn(stderr, process.stderr, {
    onChunk: errs.push,
    // Stays open: the recorder may report something there at the end.
    onEnd: () => {},
    onBroken: () => log.meta({ event: 'stderr_closed_by_reader' }),
  });
  return [ins, outs, errs];
}

interface StreamLines {
  readonly push: (chunk: Buffer) => void;
  /** The stream ended: records what came after the last newline. */
  readonly end: () => void;
}

/** Writes the lines of one stream into the recording. */
function streamLines(log: LineLog, dir: RecordedStream): StreamLines {
  const lines = new LineSplitter({
    maxBytes: MAX_LINE_BYTES,
    onTooLong: (bytes) => log.meta({ event: 'line_too_long', dir, bytes }),
  });
  return {
    push: (chunk) => {
      for (const line of lines.push(chunk)) log.line(dir, line);
    },
    end: () => {
      const rest = lines.bytes === 0 ? undefined : lines.takeRest();
      if (rest !== undefined) log.line(dir, rest, true);
    },
  };
}

function forwardSignals(child: ChildProcess, onSignal: (signal: NodeJS.Signals) => void): () => void {
  const handlers = FORWARDED.map((signal) => {
    // Whatever this process would do about it: the CLI decides here.
    process.removeAllListeners(signal);
    const handler = (): void => {
      onSignal(signal);
      // A terminal's Ctrl-C has reached the CLI already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const off of handlers) off();
  };
}

/** Node does not learn that these are closed: a write, even of nothing, would fail with EBADF. */
const closed = new WeakSet<Writable>();

/** Calls back when everything written so far has left, or never will. */
function written(stream: Writable, then: () => void): void {
  if (closed.has(stream) || stream.destroyed || stream.errored !== null) then();
  else stream.write('', () => then());
}

function close(stream: NodeJS.WriteStream & { readonly fd: number }): void {
  closed.add(stream);
  try {
    closeSync(stream.fd);
  } catch {
    // The reader was quicker.
  }
}

/** Variables whose values say how the program set up the CLI; others are recorded by name. */
const TOLD_VARIABLES = /^(?:CLAUDE_|MCP_|MAX_|DISABLE_|ANTHROPIC_(?:DEFAULT_|SMALL_|CUSTOM_)?\w*MODEL)/;

interface ProvenanceFacts {
  readonly name: string;
  readonly cliVersion: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scrubber: Scrubber | undefined;
}

/** The first line of a recording: what was recorded, how, and where. */
function provenanceOf({ name, cliVersion, args, env, scrubber }: ProvenanceFacts): JsonObject {
  const sdk = sdkOf(env);
  return {
    scenario: name,
    ...(sdk === undefined ? {} : { sdk }),
    // What the CLI prints is anything.
    cli_version: /^\d[\w.+-]{0,63}/.exec(cliVersion)?.[0] ?? 'unknown',
    argv: argvOf(args, scrubber),
    env: namesOf(env),
    platform: `${process.platform}-${process.arch}`,
    tool: `claudewire ${VERSION}`,
    scrubbed: scrubber !== undefined,
    date: new Date().toISOString(),
    legend: {
      in: 'written to the CLI stdin',
      out: 'read from the CLI stdout',
      err: 'read from the CLI stderr',
      meta: 'events of the recorder',
    },
  };
}

/** The `spawn` event of one process. */
function spawnEvent({ args, env, scrubber }: Omit<ProvenanceFacts, 'name'>): JsonObject {
  const values = Object.entries(env)
    .filter(([name]) => TOLD_VARIABLES.test(name) && !isSecretName(name))
    .map(([name, value]) => [name, scrubber?.text(value ?? '', 'env') ?? value]);
  return { event: 'spawn', argv: argvOf(args, scrubber), env: namesOf(env), env_values: Object.fromEntries(values) };
}

/** Arguments that hold JSON are scrubbed field by field, and values of flags by the flag's name. */
function argvOf(args: readonly string[], scrubber: Scrubber | undefined): readonly string[] {
  if (scrubber === undefined) return ['claude', ...args];
  return ['claude', ...args.map((arg, index) => scrubArg(arg, args[index - 1] ?? '', scrubber))];
}

function scrubArg(arg: string, before: string, scrubber: Scrubber): string {
  const [, flag = '', name = before, value = arg] = /^((--?[\w-]+)=)([\s\S]*)$/.exec(arg) ?? [];
  const isValue = flag !== '' || (/^--?[\w-]+$/.test(name) && !value.startsWith('-'));
  // `--max-thinking-tokens 4000` counts.
  if (isValue && isSecretName(name) && !(/^\d+$/.test(value) && isCount(name, value))) {
    return flag + scrubber.secret(value, 'argv');
  }
  return flag + scrubber.text(value, 'argv');
}

function namesOf(env: ProvenanceFacts['env']): readonly string[] {
  return Object.keys(env).sort();
}

/** Which SDK stood in front, as it says itself; `undefined` for frames that were written by hand. */
function sdkOf(env: ProvenanceFacts['env']): string | undefined {
  const entrypoint = env.CLAUDE_CODE_ENTRYPOINT;
  if (entrypoint?.startsWith('sdk-') !== true || entrypoint === 'sdk-cli') return undefined;
  return [entrypoint, env.CLAUDE_AGENT_SDK_VERSION].filter(Boolean).join(' ');
}

/**
 * Passes every byte on as it came, no faster than the reader takes it. What `onChunk` does comes after the bytes are on
 * their way.
 * @param onBroken - the reader is gone: nothing more is read.
 */
export function passOn(
  from: Readable,
  to: Writable,
  { onChunk, onEnd, onBroken }: { onChunk(chunk: Buffer): void; onEnd(): void; onBroken(): void },
): void {
  let isOpen = true;
  from.on('data', (chunk: Buffer) => {
    if (isOpen && !to.write(chunk)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
    onChunk(chunk);
  });
  from.on('end', () => {
    if (isOpen) onEnd();
  });
  from.on('error', () => {
    if (isOpen) onEnd();
  });
  to.on('error', () => {
    if (!isOpen) return;
    isOpen = false;
    onBroken();
    // Whoever writes here learns it as it would from the CLI itself.
    from.destroy();
  });
}
