import type { MessageIssue } from '../errors.js';

/** Where in a frame, as keys and indexes from the top. */
export type IssuePath = MessageIssue['path'];

/** What a parse of one frame found. */
export type ParseResult<T> =
  | { readonly ok: true; readonly message: T }
  | {
      readonly ok: false;
      readonly issues: readonly [MessageIssue, ...MessageIssue[]];
      /** The value as it came. */
      readonly raw: unknown;
    };

/** Collects the issues of one frame. One instance per parse. */
export class IssueList {
  readonly #issues: MessageIssue[] = [];

  add(path: IssuePath, message: string): void {
    this.#issues.push({ path, message });
  }

  /** The parse's result: the message, unless something was wrong with it. */
  settle<T>(message: T, raw: unknown): ParseResult<T> {
    const [first, ...rest] = this.#issues;
    return first === undefined
      ? { ok: true, message }
      : { ok: false, issues: [first, ...rest], raw };
  }
}
