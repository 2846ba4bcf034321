import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';

/** A step of the program that uses the SDK, beside the steps of the scripted CLI. */
export type Act =
  /** Sends a command of the driver protocol; `as` names it for `reply`. */
  | { readonly drive: JsonObject & { readonly command: string }; readonly as?: string }
  /** Waits until the command of that name was answered, well or badly: `calls/<name>` has the answer. */
  | { readonly reply: string; readonly timeoutMs?: number }
  /** Waits for the next event that fits, after the one that was waited for last. */
  | { readonly observe: JsonObject }
  /** Waits until the CLI passed `{"mark": …}`. */
  | { readonly reached: string }
  /** Lets the CLI go on behind `{"gate": …}`. */
  | { readonly open: string };

/**
 * What is done with an SDK, and what the CLI beside it does. Run once on each side.
 *
 * It is not the session case of the layers (`test/helpers/session-case`), whose programs and callbacks are TypeScript
 * that no Python process can run; a program here is data for the driver protocol of the conformance suite, so that one
 * text drives every subject. Steps of the CLI, the player and the fake CLI are the same for both.
 */
export interface ProcessProgram {
  readonly name: string;
  readonly mode: 'query' | 'client';
  readonly prompt?: string;
  /** The prompt is an iterable; its messages come by `send`. */
  readonly stream?: boolean;
  /** Options under the names of the TypeScript SDK. */
  readonly options?: JsonObject;
  /** Over `options`, for one side: where the same thing has another form. */
  readonly python?: JsonObject;
  readonly ours?: JsonObject;
  readonly callbacks?: JsonObject;
  /** The CLI's lane, after the handshake that is answered by itself. */
  readonly cli: readonly Step[];
  readonly header?: JsonObject;
  readonly acts?: readonly Act[];
  /** The acts come while the start is still going on. */
  readonly isEarly?: boolean;
  /** `close`: ends the run when the acts are done. Default: `wait` for a query, `close` for a client. */
  readonly last?: 'wait' | 'close' | 'break';
  /** Variables of the host; `<home>` is its home. */
  readonly hostEnv?: Readonly<Record<string, string>>;
  /** Variables of the child that are looked at, beside `CLAUDE*`, `PWD` and `TRACE*`. */
  readonly env?: readonly string[];
  /** How much faster the SDK's clock goes. */
  readonly timeScale?: number;
  /** The version probe of the Python SDK: what `-v` prints, or `hang`. Without it the probe is switched off. */
  readonly probe?: string;
  /**
   * What stands where the CLI should. Default: the scripted CLI. `home:bin/claude`: the scripted CLI is there below the
   * home of the host, and the SDK is told no path; `named:claude.cmd`: it has that name.
   */
  readonly place?: 'missing' | 'directory' | 'not-executable' | 'none' | `named:${string}` | `home:${string}`;
  /** The folder the SDK is told to run in. Default: a temporary one. */
  readonly cwd?: 'missing' | 'file' | 'unset';
}
