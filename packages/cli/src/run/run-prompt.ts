import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Options, type Query, type RunSummary, type SDKMessage, type SettingSource, summaryOf } from 'claudewire';
import { locateExecutable } from '../../../../src/query/locate-executable.js';
import { superviseQuery } from '../../../../src/query/supervised-query.js';
import { errorText } from '../../../../src/util/error-text.js';
import { omitUndefined } from '../../../../src/util/json.js';
import { withoutOuterSession } from '../nested-session.js';
import { colorsFor, ExitCode, type ProgramHost } from '../program-host.js';
import { jsonLine } from '../safe-text.js';
import { askOnTerminal } from './ask-on-terminal.js';
import { Display } from './display.js';
import { EXIT_CODES } from './exit-codes.js';
import { askPerson } from './questions.js';

export interface RunArguments {
  readonly model?: string;
  readonly appendSystemPrompt?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly permissionMode?: string;
  readonly settingSources?: readonly SettingSource[];
  readonly resume?: string;
  readonly continue?: boolean;
  readonly cwd?: string;
  readonly cli?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly deadline?: number;
  readonly record?: string;
  readonly json?: boolean;
}

/** A turn that was interrupted gets so long to say how it ended. */
const INTERRUPT_GRACE_MS = 10_000;
/** Without a terminal a line may be so long. */
const PLAIN_COLUMNS = 200;
const WHY_NOT_ASKED = 'There is no terminal to ask on: name what may run with --allow or --permission-mode.';

/**
 * Runs one prompt and shows it.
 * @returns the exit code of its outcome.
 * @throws InvalidOptionError the arguments cannot be used; nothing was started.
 */
export async function runPrompt(prompt: string, args: RunArguments, host: ProgramHost): Promise<number> {
  if (host.abortController.signal.aborted) return ExitCode.interrupted;
  const around: Around = { ...screenOf(host, args.json === true), host, interrupt: new AbortController() };
  if (args.permissionMode !== undefined) await warnOfMode(args.permissionMode, around);
  const recording = args.record === undefined ? undefined : await recorderFor(args.record, args.cli, host);
  try {
    const { query, end } = superviseQuery({
      prompt,
      options: optionsOf(args, recording?.path ?? args.cli, around),
      // The user has named these rules.
      silences: ['CLAUDE_SDK_CAN_USE_TOOL_SHADOWED'],
    });
    const undo = catchSignals(query, around);
    try {
      const summary = await follow(query, around.show);
      await end();
      const exitCode = host.stoppedWith?.() ?? EXIT_CODES[summary.outcome.kind];
      finish(summary, exitCode, around);
      return exitCode;
    } finally {
      undo();
    }
  } finally {
    recording?.remove();
  }
}

/** It is passed on all the same: the CLI may be newer than this list. */
async function warnOfMode(mode: string, { display }: Around): Promise<void> {
  const { PERMISSION_MODES } = await import('../../../../src/adapter/doctor/check-adapter.js');
  if (Object.hasOwn(PERMISSION_MODES, mode)) return;
  const known = Object.keys(PERMISSION_MODES).join(', ');
  const text = `--permission-mode ${JSON.stringify(mode)} is not known here, and a CLI that does not know it does not start. The known ones are ${known}.`;
  display.block(text, 'yellow');
}

interface Screen {
  readonly display: Display;
  readonly isJson: boolean;
  /** Everything is on standard output, as it happens. */
  readonly isLive: boolean;
  readonly show: (message: SDKMessage) => void;
}

interface Around extends Screen {
  readonly host: ProgramHost;
  /** Aborts when the turn is interrupted. */
  readonly interrupt: AbortController;
}

function screenOf(host: ProgramHost, isJson: boolean): Screen {
  const { stdout, stderr, env } = host;
  const isLive = !isJson && stdout.isTTY === true;
  const output = isLive ? stdout : stderr;
  const display = new Display({
    colors: colorsFor({ stdout: output, env }),
    write: (text) => void output.write(text),
    columns: () => output.columns || PLAIN_COLUMNS,
    isLive,
  });
  const show = isJson
    ? (message: SDKMessage) => void stdout.write(jsonLine(message))
    : (message: SDKMessage) => display.message(message);
  return { display, isJson, isLive, show };
}

function optionsOf(args: RunArguments, cli: string | undefined, around: Around): Options {
  const { display, isLive, host, interrupt } = around;
  const env = withoutOuterSession(host.env);
  const { appendSystemPrompt: append, deadline } = args;
  const stdin = isLive ? host.stdin?.() : undefined;
  const terminal = stdin?.isTTY === true ? { stdin, stdout: host.stdout as NodeJS.WriteStream } : undefined;
  // Without a path the SDK says where it has looked.
  const { path } = locateExecutable({ pathToClaudeCodeExecutable: cli, env });
  return omitUndefined({
    abortController: host.abortController,
    // The mode was named on the command line.
    allowDangerouslySkipPermissions: args.permissionMode === 'bypassPermissions' || undefined,
    allowedTools: args.allow && [...args.allow],
    canUseTool: askPerson({
      display,
      ask: terminal && ((text, signal) => askOnTerminal(terminal, text, signal)),
      whyNotAsked: WHY_NOT_ASKED,
      stopped: interrupt.signal,
    }),
    continue: args.continue,
    cwd: args.cwd,
    deadlineMs: deadline === undefined ? undefined : deadline * 1_000,
    disallowedTools: args.deny && [...args.deny],
    env,
    includePartialMessages: isLive || undefined,
    maxBudgetUsd: args.maxBudgetUsd,
    maxTurns: args.maxTurns,
    model: args.model,
    // Ctrl-C interrupts the turn, and no tool can write to the terminal past the display (`/dev/tty`).
    ownProcessGroup: true,
    pathToClaudeCodeExecutable: path === undefined ? cli : absolute(path),
    // The CLI judges the names of modes.
    permissionMode: args.permissionMode as Options['permissionMode'],
    resume: args.resume,
    settingSources: args.settingSources && [...args.settingSources],
    stderr: (text: string) => display.stderr(text),
    systemPrompt: { type: 'preset' as const, preset: 'claude_code' as const, ...omitUndefined({ append }) },
    unhandledElicitation: 'cancel' as const,
  });
}

/** A path is one from here, not from `--cwd`. */
function absolute(path: string): string {
  return /[\\/]/.test(path) ? resolve(path) : path;
}

/** Never rejects: the summary says how it went. */
async function follow(query: Query, show: (message: SDKMessage) => void): Promise<RunSummary> {
  try {
    for await (const message of query) show(message);
  } catch {
    // It is the summary's `error`.
  }
  return summaryOf(query);
}

/** The first Ctrl-C stops the turn; what comes then is the program's. @returns takes everything back. */
function catchSignals(query: Query, { display, host, interrupt }: Around): () => void {
  let timer: NodeJS.Timeout | undefined;
  const say = (text: string): void => display.line([['yellow', text]]);
  const undoInterrupt = host.onInterrupt?.(() => {
    say('Interrupting the turn. Ctrl-C again ends the run.');
    timer = setTimeout(() => {
      say(`The turn has not ended after ${INTERRUPT_GRACE_MS / 1_000} s.`);
      host.abortController.abort();
    }, INTERRUPT_GRACE_MS);
    query.interrupt().catch(() => host.abortController.abort());
    interrupt.abort();
  });
  const onHangUp = (): void => void process.emit('SIGTERM', 'SIGTERM');
  process.on('SIGHUP', onHangUp);
  const { signal } = host.abortController;
  // Other ends need no word: the reader has gone, or whoever sent SIGTERM knows.
  const onEnd = (): void => {
    if (interrupt.signal.aborted) say('Ending the run. Ctrl-C again does not wait.');
  };
  signal.addEventListener('abort', onEnd);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onEnd);
    undoInterrupt?.();
    process.off('SIGHUP', onHangUp);
  };
}

function finish(summary: RunSummary, exitCode: number, { display, isJson, isLive, host: { stdout } }: Around): void {
  if (isJson) {
    const { result: _, ...outcome } = summary.outcome;
    const error = summary.error === undefined ? undefined : errorText(summary.error);
    stdout.write(jsonLine({ type: 'run_summary', exitCode, ...summary, outcome, error }));
    return;
  }
  // What is piped on is the answer as it is, which may be a file's content.
  if (!isLive && summary.text !== '') stdout.write(`${summary.text.replace(/\n$/, '')}\n`);
  display.summary(summary, exitCode);
}

/** The recorder in the CLI's place, in a folder of its own. */
async function recorderFor(
  out: string,
  given: string | undefined,
  { assets, env }: ProgramHost,
): Promise<{ readonly path: string; readonly remove: () => void }> {
  const { createRecorderLauncher, findCli } = await import('../../../../src/testing/recorder/launcher.js');
  const cli = findCli(given, env);
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-run-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  };
  // A run that is ended at once comes to no `finally`.
  process.once('exit', remove);
  try {
    return { path: createRecorderLauncher({ out, cli, dir, recorder: join(assets, 'recorder.mjs') }).path, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
