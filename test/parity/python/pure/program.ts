import type { Json } from '../harness/row.js';

export type JsonRecord = { readonly [key: string]: Json };

/** A session of a store made to order. */
export interface StoredSession {
  readonly mtime: number;
  readonly entries?: readonly Json[];
  /** Time of the summary that the store keeps of the entries; absent: it keeps none. */
  readonly summaryMtime?: number;
  /** False: `listSessions` does not know it. */
  readonly isListed?: boolean;
  /** Entries by `subpath`. */
  readonly below?: { readonly [subpath: string]: readonly Json[] };
}

export type StoreMethod = 'append' | 'load' | 'listSessions' | 'listSessionSummaries' | 'delete' | 'listSubkeys';

/** A store made to order. It writes down what it is asked. */
export interface StoreSpec {
  /** @defaultValue all of them */
  readonly methods?: readonly StoreMethod[];
  readonly sessions?: { readonly [sessionId: string]: StoredSession };
  /** Milliseconds before an answer. */
  readonly delayMs?: { readonly [method in StoreMethod]?: number };
  /** What to reject with, by method, or by method and session: `'load aaaa…'`. */
  readonly fails?: { readonly [call: string]: string };
}

/** One call that both SDKs make. `<root>` in a text is the folder of the program. */
export type PureCall =
  | { readonly op: 'parse'; readonly frames: readonly Json[] }
  | { readonly op: 'isSystem'; readonly frames: readonly Json[] }
  | { readonly op: 'error'; readonly class: string; readonly args: readonly Json[] }
  /** The shape of a type of this name. */
  | { readonly op: 'type'; readonly name: string }
  | { readonly op: 'copiedError' | 'contract' | 'aliasing' }
  | { readonly op: 'key'; readonly dir: string }
  | {
      readonly op: 'session';
      readonly function: string;
      readonly args: JsonRecord;
      readonly store?: StoreSpec;
      /** The order of the answer is the file system’s. */
      readonly sorted?: boolean;
    }
  | {
      readonly op: 'fold';
      readonly prev?: { readonly mtime: number; readonly data: JsonRecord };
      readonly batches: readonly (readonly Json[])[];
    }
  | { readonly op: 'memoryStore'; readonly steps: readonly (readonly [string, ...Json[]])[] }
  | ({
      readonly op: 'run';
      readonly prompt?: Json;
      /** Leave the loop at this message, counted from 1. */
      readonly breakAt?: number;
      /** Ask for one message more when the loop is over. */
      readonly again?: boolean;
      /** Waits of 60 s are this many milliseconds. */
      readonly minuteMs?: number;
      /** Shows all fields of the error. */
      readonly showsError?: boolean;
    } & WithCli)
  | ({ readonly op: 'client'; readonly steps: readonly ClientStep[] } & WithCli)
  | { readonly op: 'transport'; readonly store?: StoreSpec; readonly options?: JsonRecord };

/** What a client is told, one after another; what each gave is shown. */
export type ClientStep =
  | readonly ['connect', string?]
  /** With an iterable of these messages. */
  | readonly ['connectItems', readonly Json[]]
  | readonly ['query', string, string?]
  | readonly ['queryItems', readonly Json[], string?]
  /** So many messages of `receive_messages()`, or all without a number. */
  | readonly ['receive', number?]
  | readonly ['receiveResponse']
  | readonly ['serverInfo']
  | readonly ['call', string, ...Json[]]
  /** Leaves the scope of the client, by an error of the program's own or not. */
  | readonly ['scope', boolean]
  | readonly ['disconnect']
  /** Milliseconds in which nothing is asked. */
  | readonly ['pause', number];

/** A real process, beside a CLI that does what it is told (`writes-down.mjs`). */
interface WithCli {
  readonly options?: JsonRecord;
  readonly store?: StoreSpec;
  /** `mapping`: a hook matcher that is a plain mapping; `matcher`: the SDK's own form. */
  readonly hooks?: 'mapping' | 'matcher';
  readonly cli?: CliScript;
  /** Milliseconds for a run, or for a step of a client. What takes longer is `hung`. */
  readonly limitMs?: number;
}

export interface CliScript {
  readonly isAbsent?: boolean;
  /** The SDK may be done before the process has begun: it is waited for. */
  readonly isLate?: boolean;
  readonly initialize?: 'answer' | 'error' | 'never' | readonly Json[];
  readonly turns?: readonly (readonly Json[])[];
  readonly exitAtStart?: number;
  readonly keepsOpen?: boolean;
  /** Shows the configuration folder of the process. */
  readonly showsFolder?: boolean;
}

/** A file or a link below the program's folder. */
export interface FileSpec {
  readonly path: string;
  /** Text, or entries written one a line. */
  readonly content?: string | readonly Json[];
  readonly base64?: string;
  readonly linkTo?: string;
  /** Seconds since the epoch. */
  readonly mtime?: number;
  readonly mode?: number;
}

/** Calls made one after another, beside a folder of their own. */
export interface PureProgram {
  readonly kind: 'pure';
  readonly name: string;
  readonly calls: readonly PureCall[];
  readonly files?: readonly FileSpec[];
  /** Working trees of git to make: `[repository, tree]` below the folder. */
  readonly worktrees?: readonly (readonly [string, string])[];
  readonly environment?: { readonly [name: string]: string };
  /** Shows what is in these folders afterwards: paths, modes and texts. */
  readonly shows?: readonly string[];
}
