import { createRequestId } from '../../control/outbound-requests.js';
import { isClaudeSDKError } from '../../errors.js';
import { isInitMessage, isResultMessage } from '../../parser/guards.js';
import type { SDKResultMessage, SDKSystemMessage } from '../../parser/message.js';
import { fieldsOf, type Unchecked } from '../../parser/read-message.js';
import type { RunSummary } from '../../parser/run-summary.js';
import type { TransportObserver } from '../../transport/observed-transport.js';
import type { ExitLadder, TransportEnd } from '../../transport/transport.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { VERSION } from '../../version.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { contained } from '../logging.js';
import type { Logger } from '../options/process-options.js';
import { Loggable } from './loggable.js';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

interface OpenRequest {
  readonly subtype: string;
  /** `performance.now()`. */
  readonly since: number;
}

/** The log of one run; `undefined` without a logger. */
export function createSessionLog(plan: LaunchPlan, logger: Logger | undefined, run?: string): SessionLog | undefined {
  return logger && new SessionLog(plan, logger, run);
}

/**
 * Tells one run to a logger, from what crosses its transport: at `info` one line at the end, at `debug` start, control
 * requests with their latency and the exit, at `trace` the frames. Every record has `run`, an id of its own, and
 * `sessionId` once that is known.
 */
export class SessionLog implements TransportObserver {
  /**
   * For diagnostics: the logger that was given, with the ids of this run and without known secrets. Nothing it throws
   * gets out.
   */
  readonly logger: Logger;
  readonly #given: Logger;
  readonly #plan: LaunchPlan;
  readonly #loggable: Loggable;
  readonly #run: string;
  readonly #isDebug: boolean;
  readonly #isTrace: boolean;
  readonly #started = performance.now();
  /** Control requests without an answer, by direction and id. */
  readonly #open = new Map<string, OpenRequest>();
  #sessionId: string | undefined;
  #result: Unchecked<SDKResultMessage> | undefined;

  constructor(plan: LaunchPlan, logger: Logger, run = createRequestId()) {
    this.#run = run;
    this.#plan = plan;
    this.#loggable = new Loggable(plan.env);
    this.#given = logger;
    const write =
      (level: Level) =>
      (fields: object, message = '') =>
        this.#write(level, { ...(this.#loggable.frame(fields) as object) }, this.#loggable.text(message));
    this.logger = {
      trace: write('trace'),
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    };
    this.#isDebug = isEnabled(logger, 'debug');
    this.#isTrace = isEnabled(logger, 'trace');
  }

  onOpen(): void {
    if (!this.#isDebug) return;
    const { command, args, cwd } = this.#plan;
    this.#write(
      'debug',
      {
        version: VERSION,
        executable: command.path ?? '(searched)',
        args: this.#loggable.args(args),
        cwd: cwd ?? '(of this process)',
      },
      'Starting Claude Code',
    );
  }

  onFrameIn(frame: JsonObject, bytes: number): void {
    if (this.#isTrace) this.#write('trace', { bytes, frame: this.#loggable.frame(frame) }, 'Frame from Claude Code');
    if (isInitMessage(frame)) this.#onInit(frame);
    else if (isResultMessage(frame)) this.#result = fieldsOf(frame);
    else this.#onControl(frame, 'Claude Code', 'the SDK');
  }

  onFrameOut(frame: object): void {
    if (this.#isTrace) this.#write('trace', { frame: this.#loggable.frame(frame) }, 'Frame to Claude Code');
    // It was written, so it is JSON.
    this.#onControl(frame as JsonObject, 'the SDK', 'Claude Code');
  }

  onInputEnd(): void {
    this.#write('debug', {}, 'The input of Claude Code was ended');
  }

  onClose(ladder: ExitLadder | undefined): void {
    this.#write('debug', { ...ladder }, 'Claude Code is told to exit');
  }

  onEnd({ exit, error }: TransportEnd): void {
    const unanswered = [...this.#open].map(([key, { subtype }]) => `${subtype} ${key}`);
    this.#write(
      'debug',
      {
        exitCode: exit?.exitCode,
        signal: exit?.signal,
        stderrTail: exit && this.#loggable.text(exit.stderrTail),
        ...errorFields(this.#loggable, error),
        unanswered,
      },
      'Claude Code exited',
    );
  }

  onOver({ outcome, error }: Pick<RunSummary, 'outcome' | 'error'>): void {
    const result = this.#result;
    this.#write(
      'info',
      {
        outcome: outcome.kind,
        turns: result?.num_turns,
        durationMs: Math.round(performance.now() - this.#started),
        costUsd: result?.total_cost_usd,
        ...errorFields(this.#loggable, error),
      },
      'The run is over',
    );
  }

  #onInit(init: SDKSystemMessage): void {
    const { session_id: sessionId, claude_code_version: cliVersion, model, permissionMode } = fieldsOf(init);
    if (typeof sessionId === 'string') this.#sessionId = sessionId;
    this.#write('debug', { cliVersion, model, permissionMode }, 'Claude Code is ready');
  }

  #onControl(frame: JsonObject, sender: string, receiver: string): void {
    if (!this.#isDebug) return;
    switch (frame.type) {
      case 'control_request': {
        const requestId = String(frame.request_id);
        const { request } = frame;
        const subtype = (isJsonObject(request) ? stringField(request, 'subtype') : undefined) ?? '';
        this.#open.set(`${sender} ${requestId}`, { subtype, since: performance.now() });
        this.#write('debug', { requestId, subtype }, `Control request from ${sender}`);
        return;
      }
      case 'control_response': {
        const { response } = frame;
        if (!isJsonObject(response)) return;
        const requestId = String(response.request_id);
        const asked = this.#open.get(`${receiver} ${requestId}`);
        this.#open.delete(`${receiver} ${requestId}`);
        this.#write(
          'debug',
          {
            requestId,
            subtype: asked?.subtype,
            answer: response.subtype,
            latencyMs: asked && Math.round(performance.now() - asked.since),
          },
          `Control response from ${sender}`,
        );
        return;
      }
      case 'control_cancel_request': {
        const requestId = String(frame.request_id);
        this.#open.delete(`${sender} ${requestId}`);
        this.#write('debug', { requestId }, `Control request cancelled by ${sender}`);
      }
    }
  }

  #write(level: Level, fields: object, message: string): void {
    contained(() => this.#given[level]({ ...this.#ids(), ...fields }, message));
  }

  #ids(): object {
    return this.#sessionId === undefined ? { run: this.#run } : { run: this.#run, sessionId: this.#sessionId };
  }
}

/** A logger that cannot say gets everything. */
function isEnabled(logger: Logger, level: Level): boolean {
  try {
    return logger.isLevelEnabled?.(level) ?? true;
  } catch {
    return true;
  }
}

function errorFields(loggable: Loggable, error: unknown): object {
  if (!(error instanceof Error)) return {};
  const text = loggable.text(`${error.name}: ${error.message}`);
  return isClaudeSDKError(error) ? { errorClass: error.errorClass, error: text } : { error: text };
}
