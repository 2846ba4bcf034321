import type { JsonObject } from '../../util/json.js';
import type { MessagesRequest } from './requests.js';

/**
 * What the API answers to one model call. A string is one text block; a function is asked at the time of the call, and
 * what it throws becomes a 500.
 */
export type Turn = string | ScriptedTurn | ComputedTurn;

export type ScriptedTurn = TextTurn | BlocksTurn | ErrorTurn | RawTurn | HangTurn;

export type ComputedTurn = (request: MessagesRequest) => Turn | Promise<Turn>;

/** When a turn is served, and how late. */
export interface TurnControl {
  /**
   * Serves the turn this often before the next one's time comes. `close()` fails when it is asked for less often;
   * `Infinity` means once or more. @defaultValue 1
   */
  readonly times?: number;
  /** Only for the requests it accepts, side calls too; the others look at the turns behind it. */
  readonly when?: (request: MessagesRequest) => boolean;
  /** Milliseconds before the response's headers. @defaultValue 0 */
  readonly delayMs?: number;
  /** Added to the response's headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How an answer of the model is made and paced. */
export interface MessageShape extends TurnControl {
  /** @defaultValue `tool_use` when a block calls a tool, else `end_turn` */
  readonly stopReason?: string;
  /** Overrides fields of the made-up usage; wire names. */
  readonly usage?: JsonObject;
  /** @defaultValue the model that was asked for */
  readonly model?: string;
  /** Milliseconds between `message_start` and the first block. @defaultValue 0 */
  readonly firstTokenMs?: number;
  /** Milliseconds after each delta. @defaultValue 0 */
  readonly chunkMs?: number;
  /** UTF-16 units in one delta, one more where a surrogate pair would be cut. @defaultValue 20 */
  readonly chunkSize?: number;
  /** Milliseconds between the last block and `message_delta`. @defaultValue 0 */
  readonly holdMs?: number;
  /** `ping` events after `message_start`. @defaultValue 1 */
  readonly pings?: number;
  /** Breaks the connection inside the last block. Only streams can be cut. @defaultValue false */
  readonly truncate?: boolean;
  /** Ends the stream with this `error` event behind the blocks, in place of a regular end. */
  readonly sseError?: { readonly type: string; readonly message: string };
}

export interface TextTurn extends MessageShape {
  readonly text: string;
}

export interface BlocksTurn extends MessageShape {
  readonly blocks: readonly ContentBlock[];
}

/** An HTTP error with the API's own body. */
export interface ErrorTurn extends TurnControl {
  readonly error: {
    readonly status: number;
    /** @defaultValue the API's type for the status, such as `overloaded_error` for 529 */
    readonly type?: string;
    readonly message?: string;
  };
}

/** Any bytes, for instance a proxy's HTML page. */
export interface RawTurn extends TurnControl {
  readonly raw: string;
  /** @defaultValue 200 */
  readonly status?: number;
  /** @defaultValue 'application/json' */
  readonly contentType?: string;
}

/** Takes the request and never answers. */
export interface HangTurn extends TurnControl {
  readonly hang: true;
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | ToolUseBlock;

export interface ToolUseBlock {
  readonly type: 'tool_use';
  /** @defaultValue counted: `toolu_fake_0001` and on */
  readonly id?: string;
  readonly name: string;
  readonly input: JsonObject;
  /** Streamed in place of the JSON of `input`: a call whose input cannot be parsed. */
  readonly rawInput?: string;
}
