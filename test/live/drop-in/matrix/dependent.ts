import type { MessagesApiOptions } from '../../../../src/testing/messages-api/server.js';
import type { ReceivedRequest } from './receiver.js';

/** What a run over one subject showed. */
export interface Observation {
  readonly exitCode: number | null;
  readonly stderr: readonly unknown[];
  /** What the program printed and what its telemetry said, by label, each list in order. */
  readonly said: Readonly<Record<string, readonly unknown[]>>;
  /** Bodies of the conversation's model calls. */
  readonly asked: readonly unknown[];
  /** Processes that outlived the program. */
  readonly left: readonly string[];
}

/** Which package answers to the official name: it, the packed claudewire by `overrides`, or the twin. */
export type SubjectName = 'official' | 'claudewire' | 'twin';

/** One thing that users do, and what the model answers meanwhile. */
export interface Story {
  /** First argument of the program. */
  readonly name: string;
  readonly model: MessagesApiOptions;
  /** Added to the environment of the program. */
  readonly env?: Readonly<Record<string, string>>;
  /** What every good run shows, so that two failures are not taken for success. */
  readonly check: (run: Observation) => void;
}

/** A difference between the official package and a subject that we accept. */
export interface KnownDifference {
  /** Stands in the table. */
  readonly id: string;
  readonly subject: SubjectName;
  /** All where left out. */
  readonly stories?: readonly string[];
  /**
   * Labels that are told from the official ones. They must differ: a difference that is gone fails the test, so that it
   * leaves the list.
   */
  readonly labels: readonly string[];
  /** What these labels have instead, where it is known. */
  readonly instead?: readonly unknown[];
  readonly reason: string;
}

/** Lists by label, as a program prints them. */
export type Digest = Readonly<Record<string, readonly unknown[]>>;

/** A published package, driven in one way of its users. */
export interface Dependent {
  /** The package whose version the table shows. */
  readonly packageName: string;
  /** How it is used, where there are several ways. */
  readonly way?: string;
  /** Folder in `projects`. */
  readonly project: string;
  /** File in `programs`, which plays one story and prints observations with `say()`. */
  readonly program: string;
  /** Flags of Node in front of the program, such as `--import`. */
  readonly nodeFlags?: readonly string[];
  /** Added to the environment; the address is that of a receiver of telemetry, which takes everything. */
  readonly env?: (receiver: string) => Readonly<Record<string, string>>;
  /** Makes observations out of what the receiver got. They are printed ones from then on. */
  readonly digest?: (received: readonly ReceivedRequest[]) => Digest | Promise<Digest>;
  /** Labels that a run of each story has to have, beside what the story checks itself. */
  readonly shows: readonly string[];
  readonly stories: readonly Story[];
  /** Names of the stories that run without `--all`. */
  readonly quick: readonly string[];
  /** In one sentence: what is compared. For the table. */
  readonly compared: string;
  readonly differences?: readonly KnownDifference[];
  /** Labels of errors, whose texts may say more than the official ones, with which they begin. */
  readonly errors?: readonly string[];
  /** Lines of stderr that are not compared, such as log lines with a time. */
  readonly noise?: RegExp;
  /** Patterns of texts that no two runs share, besides those of `support/normalise.ts`, and what replaces them. */
  readonly masks?: readonly (readonly [RegExp, string])[];
  /** Why `noise` and `masks` are left out of the comparison, a sentence each. For the table. */
  readonly reasons?: readonly string[];
}
