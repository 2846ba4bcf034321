import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { RecordingLine } from '../../../src/testing/conversion/recording.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../src/util/json.js';
import { CURRENT } from './clis.js';
import { CAN_LIST_PROCESSES, killProcessesWith, processesWith, waitUntil } from './processes.js';
import { recordedLines } from './recorded.js';
import { exactKind, Frames } from './replay-frames.js';
import { argvOf, inside, makePlace, type Place } from './replay-place.js';
import { isModelCall, modelTurns } from './replay-turns.js';
import type { Replayed } from './replayed-recordings.js';
import { closeStage, openStage, type Stage } from './stage.js';

const STEP_LIMIT_MS = 40_000;
/**
 * Runs the real CLI as a recording was made: the same arguments, the same turns of the model, and the host's frames, signals and
 * end of input where the recording has them.
 *
 * @returns a recording of that run, with the folders' names of the first
 */
export async function replayRecording(recording: Replayed): Promise<readonly RecordingLine[]> {
  const lines = recordedLines(recording.name);
  let place: Place | undefined;
  const stage = await openStage(CURRENT, {
    // Where the folders are is known when the stage is set.
    turns: modelTurns(lines, recording).map((turn) => () => {
      if (typeof turn === 'function') return turn;
      return JSON.parse(place?.toReal(JSON.stringify(turn)) ?? '');
    }),
    onEvent: () => player?.wake(),
  });
  place = await makePlace(stage, recording, lines);
  const player = new Player(stage, recording, place);
  try {
    for (const line of lines) await player.play(line);
    return player.lines.map((line) => ({ ...line, data: recordedNames(line.data, player.place) }));
  } finally {
    await player.end();
    place.close();
    await closeStage(stage);
  }
}

const recordedNames = (data: unknown, place: Place): unknown => JSON.parse(place.toRecorded(JSON.stringify(data)));

class Player {
  readonly lines: RecordingLine[] = [];
  readonly place: Place;
  readonly #stage: Stage;
  readonly #recording: Replayed;
  #recorded = new Frames();
  #real = new Frames();
  #requests = 0;
  #proc = 1;
  #child: ChildProcessWithoutNullStreams | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #hasEnded = false;
  #wakers: (() => void)[] = [];

  constructor(stage: Stage, recording: Replayed, place: Place) {
    this.#stage = stage;
    this.#recording = recording;
    this.place = place;
  }

  async play(line: RecordingLine): Promise<void> {
    const { dir, data } = line;
    if (!isJsonObject(data)) return;
    if (dir === 'out') this.#recorded.add(data);
    else if (dir === 'in') await this.#write(data);
    else if (dir === 'meta') await this.#happen(line, data);
  }

  wake(): void {
    for (const waker of this.#wakers.splice(0)) waker();
  }

  /** Ends what still runs, children of a CLI that was killed too. */
  async end(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
    if (CAN_LIST_PROCESSES) killProcessesWith(this.#stage.folder);
  }

  async #happen(line: RecordingLine, data: JsonObject): Promise<void> {
    switch (data.event) {
      case 'spawn':
        return this.#spawn(line, data);
      case 'api_request':
        if (isModelCall(data)) this.#requests += 1;
        return;
      case 'stdin_closed':
        await this.#caughtUp();
        this.#child?.stdin.end();
        return;
      case 'signal_sent':
      case 'signal_received':
        await this.#caughtUp();
        await this.#wait();
        // A recorder writes the names of signals.
        this.#child?.kill(data.signal as NodeJS.Signals);
        return;
      case 'exit': {
        await this.#until('the CLI did not end', () => this.#hasEnded);
        const { exitCode: code, signalCode: signal } = this.#child ?? {};
        this.lines.push({ ...line, data: { event: 'exit', code, signal } });
      }
    }
  }

  #spawn(line: RecordingLine, data: JsonObject): void {
    this.lines.push(line);
    this.#proc = line.proc;
    // A second process names the session of the first.
    this.place.rename(sessionOf(this.#recorded.all), sessionOf(this.#real.all));
    this.#recorded = new Frames();
    this.#real = new Frames();
    const words = argvOf(line).slice(1).map(this.place.toReal);
    const [command = '', ...args] = [...this.place.wrapper, CURRENT.path, ...words];
    const env = this.#environment(data.env as readonly string[]);
    const child = spawn(command, args, { cwd: this.#stage.cwd, env });
    this.#child = child;
    this.#hasEnded = false;
    this.#ended = once(child, 'close').then(() => {
      this.#hasEnded = true;
      this.wake();
    });
    // A CLI that is gone: its exit says so.
    child.stdin.on('error', () => {});
    child.stderr.resume();
    createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (text) => {
      const frame = parseJsonObject(text);
      if (frame === undefined) return;
      this.#real.add(frame);
      this.#log('out', frame);
      this.wake();
    });
  }

  /** The variables that the recording names, and those that keep the CLI at home. */
  #environment(names: readonly string[]): NodeJS.ProcessEnv {
    const { env: base } = this.#stage.options();
    const given = Object.entries(this.#recording.env ?? {}).map(([name, value]) => [name, this.place.toReal(value)]);
    const all: NodeJS.ProcessEnv = {
      ...base,
      CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
      IS_SANDBOX: '1',
      ...Object.fromEntries(given),
    };
    const missing = names.filter((name) => all[name] === undefined);
    if (missing.length > 0) throw new Error(`No value for ${missing.join(', ')}`);
    return {
      // Marks the processes of this stage.
      STAGE: this.#stage.folder,
      DISABLE_AUTOUPDATER: '1',
      ...Object.fromEntries(names.map((name) => [name, all[name]])),
    };
  }

  async #write(data: JsonObject): Promise<void> {
    let frame: JsonObject = JSON.parse(this.place.toReal(JSON.stringify(data)));
    if (data.type === 'control_response') frame = await this.#answer(frame);
    else await this.#caughtUp();
    if (inside(data, 'request')?.subtype === 'interrupt') await this.#wait();
    this.#log('in', frame);
    this.#child?.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  /** The recorded answer, to the same request of this run. */
  async #answer(frame: JsonObject): Promise<JsonObject> {
    const id = inside(frame, 'response')?.request_id;
    const request = this.#recorded.all.find((each) => each.request_id === id);
    if (request === undefined) throw new Error(`The recording answers ${id}, which nobody asked`);
    const kind = exactKind(request);
    const index = this.#recorded.of(kind).indexOf(request);
    await this.#until(`no ${kind}`, () => this.#real.of(kind).length > index);
    const { request_id: realId } = this.#real.of(kind)[index] ?? {};
    return JSON.parse(JSON.stringify(frame).replaceAll(String(id), String(realId)));
  }

  /** The run is as far as the recording was. */
  #caughtUp(): Promise<void> {
    return this.#until(
      'it came short of the recording',
      () =>
        this.#recorded.lacking(this.#real).length === 0 &&
        this.#stage.api.requests.filter(({ path }) => path === '/v1/messages').length >= this.#requests,
    );
  }

  async #wait(): Promise<void> {
    const { wait } = this.#recording;
    if (wait === undefined) return;
    if ('ms' in wait) await delay(wait.ms);
    else if (CAN_LIST_PROCESSES) {
      const runs = (): boolean =>
        processesWith(this.#stage.folder).some(({ command }) => command.includes(wait.process));
      await waitUntil(`a process ${wait.process}`, runs, STEP_LIMIT_MS);
    }
  }

  async #until(problem: string, isReached: () => boolean): Promise<void> {
    const limit = AbortSignal.timeout(STEP_LIMIT_MS);
    const stop = (): void => this.wake();
    limit.addEventListener('abort', stop);
    try {
      while (!isReached()) {
        if (this.#hasEnded || limit.aborted) {
          const lacking = this.#recorded.lacking(this.#real).join(', ');
          const kinds = this.#real.all.map(exactKind).join(', ');
          throw new Error(`${problem}; lacking: ${lacking}; the CLI wrote: ${kinds}`);
        }
        await new Promise<void>((resolve) => this.#wakers.push(resolve));
      }
    } finally {
      limit.removeEventListener('abort', stop);
    }
  }

  #log(dir: 'in' | 'out', data: JsonObject): void {
    this.lines.push({ t: 0, proc: this.#proc, dir, data });
  }
}

const sessionOf = (frames: readonly JsonObject[]): unknown =>
  frames.find(({ subtype }) => subtype === 'init')?.session_id;
