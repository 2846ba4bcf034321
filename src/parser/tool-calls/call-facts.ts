/** What messages and hooks say about one call. */
export interface CallFacts {
  readonly id: string;
  name: string | undefined;
  /** `id` of the API message that has the call. */
  messageId: unknown;
  result: ResultFacts | undefined;
  /** The model went on after the result, in the same turn. */
  isFollowed: boolean;
  /** The CLI noted an interrupt of tools right behind the result. */
  isInterrupted: boolean;
  /** A list of refused calls names it. */
  isDenied: boolean;
  isDeferred: boolean;
  /** PreToolUse was called. */
  isAsked: boolean;
  /** What PostToolUse and PostToolUseFailure said. */
  ended: 'ran' | 'failed' | 'cut' | undefined;
}

/** One `tool_result`, with the fields of the message around it. */
export interface ResultFacts {
  readonly isError: boolean;
  /** It has a `content`, which may be empty. */
  readonly hasContent: boolean;
  readonly text: string;
  /** `toolDenialKind` of a transcript, `non_execution_kind` of a live frame. */
  readonly denialKind: string | undefined;
  readonly isBeforeRun: boolean;
  readonly isAfterRun: boolean;
  /** The CLI says that the permission was refused. */
  readonly isRejected: boolean;
  /** The release marks calls that it denies: see `docs/evidence/cut-calls.md`. */
  readonly hasFields: boolean;
}

export function newCallFacts(id: string): CallFacts {
  return {
    ...{ id, name: undefined, messageId: undefined, result: undefined, isFollowed: false, isInterrupted: false },
    ...{ isDenied: false, isDeferred: false, isAsked: false, ended: undefined },
  };
}
