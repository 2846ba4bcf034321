import type { JsonObject } from '../util/json.js';

/** Version of the driver protocol. @see packages/conformance/DRIVERS.md in the repository */
const DRIVER_PROTOCOL = 1;

/** First line of a driver. */
export interface DriverHello {
  readonly event: 'hello';
  readonly protocol: typeof DRIVER_PROTOCOL;
  /** Name of the driver, such as `python`. */
  readonly driver: string;
  /** Package under test, such as `claude-agent-sdk`. */
  readonly sdk: string;
  /** Version of that package. */
  readonly version: string;
  readonly language: string;
  /** What it can do; a scenario that needs more is `unsupported`. */
  readonly features: readonly string[];
}

const ERROR_KINDS = [
  'aborted',
  'not_found',
  'launch',
  'process_exit',
  'closed',
  'timeout',
  'control',
  'json',
  'frame_too_large',
  'parse',
  'result',
  'invalid_option',
  'other',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** An error of an SDK, in the form that is the same for all. */
export interface NormalError {
  readonly kind: ErrorKind;
  readonly message: string;
  /** Name of the error's class in its language. */
  readonly class: string;
  readonly exit_code?: number;
  /** Of an error answer to a control request. */
  readonly error_code?: string;
  readonly signal?: string;
}

/** Answer to one command. */
export type DriverReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: NormalError }
  | { readonly id: number; readonly unsupported: string };

/** Something that happened in a run. */
export interface ObservedEvent extends JsonObject {
  readonly event: 'observed';
  readonly run: string;
  readonly what: string;
}

/** The driver broke the protocol, or could not be started: nothing is known about the SDK behind it. */
export class DriverFault extends Error {
  override name = 'DriverFault';
}
