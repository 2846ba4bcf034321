import type { JsonObject } from '../../util/json.js';

/** A step of the driver lane: done by the conformance runner, skipped by the player. */
export type DriverStep = DriveStep | ReplyStep | ObserveStep | CountStep | ReachedStep | OpenStep;

/** Sends a command to the driver and goes on at once. */
export interface DriveStep {
  readonly drive: DriveCommand;
  /** Names the command for a `reply` step. */
  readonly as?: string;
}

/** One command of the driver protocol, without its `id`. */
export type DriveCommand = JsonObject & {
  readonly command: DriveCommandName;
  /** The session that is meant. @defaultValue 'main' */
  readonly run?: string;
};

export const DRIVE_COMMANDS = [
  'start',
  'send',
  'end_input',
  'call',
  'pause',
  'resume',
  'break',
  'close',
  'abort',
  'cue',
  'sessions',
] as const;
/** `finish` is not among them: the runner sends it by itself. */
export type DriveCommandName = (typeof DRIVE_COMMANDS)[number];

/** Waits for the reply of the command with this name. */
export interface ReplyStep {
  readonly reply: string;
  /** What the result must match. */
  readonly result?: unknown;
  /** The command must fail, with an error that matches. Without it, it must not fail. */
  readonly failure?: JsonObject;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

export const OBSERVED_KINDS = [
  'message',
  'callback',
  'cancelled',
  'stderr',
  'end',
  'error',
] as const;
/** What a driver reports. */
export type ObservedKind = (typeof OBSERVED_KINDS)[number];
export type ObservedPattern = JsonObject & { readonly what: ObservedKind };

/** Waits for the next event that matches, after the one matched last of the same kind and run. */
export interface ObserveStep {
  readonly observe: ObservedPattern;
  /** @defaultValue 'main' */
  readonly run?: string;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

/** So many events must match, in all. Judged when the scenario is over. */
export interface CountStep {
  readonly count: ObservedPattern;
  readonly is: number;
  /** @defaultValue 'main' */
  readonly run?: string;
}

/** Waits until a player has passed the `mark` step of this name. */
export interface ReachedStep {
  readonly reached: string;
  /** The mark must not be passed for as long as `timeoutMs` says, which has to be given. */
  readonly not?: true;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

/** Opens the gate that a `gate` step of the CLI lane waits for. */
export interface OpenStep {
  readonly open: string;
}
