import { tooLate } from '../../control/request-errors.js';
import { ClaimError, type ClaimInfo, InvalidOptionError, SessionClosedError } from '../../errors.js';
import type { SDKUserMessage } from '../../parser/message.js';
import { createDeferred, ignoreRejection } from '../../util/deferred.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { warnOnce } from '../../util/warn-once.js';
import { assertPrompt } from '../prompt.js';
import { SessionQuery } from '../query.js';
import type { QuerySession } from '../query-session.js';
import type { Query } from '../query-types.js';
import { type ClaimOptions, planClaim, sendClaim } from './claim.js';

/** A CLI that has started and belongs to no session yet. For one claim only. */
export interface SpareProcess extends AsyncDisposable {
  /**
   * Makes the process a session and sends its prompt. Synchronous: the claim, what differs, and the prompt are written
   * when it returns, the prompt later where there are `settings`. The query describes the claimed session as soon as
   * the claim is answered (`initializationResult()`, `supportedCommands()` and the like wait for that). A claim that
   * the CLI refuses rejects {@link claimed}; a prompt that was sent already ends in an error result that begins with
   * `not_claimed`, and the process goes.
   * @throws InvalidOptionError an option cannot be used, governs hooks, or chooses another session (`resume`,
   * `continue`, `forkSession`, `sessionId`). Nothing was sent: the spare can still be claimed.
   * @throws SessionClosedError it was claimed before, was closed, or has ended (`cause` says how).
   */
  claim(params: { prompt: string | AsyncIterable<SDKUserMessage>; options: ClaimOptions }): Query;
  /**
   * Resolves when the CLI has accepted the claim and everything that went with it. Never counts as an unhandled
   * rejection. Unless it rejects with `option_not_applied`, the prompt does not run: start the session with `query()`.
   * @throws ControlRequestError the CLI refused; its text begins with the reason, such as `cwd_not_found`.
   * @throws ClaimError `reason` tells which: see {@link ClaimFailure}.
   * @throws ControlRequestTimeoutError no answer to the claim within `controlTimeoutMs`; the session was ended.
   * @throws the error of the session when it ended before the answer.
   */
  readonly claimed: Promise<ClaimInfo>;
  /** Resolves when the process is gone, claimed or not. */
  readonly exited: Promise<void>;
  /** Ends the process: unclaimed it is thrown away, claimed its query is closed. */
  close(): void;
  /** As {@link close}; resolves when the process is gone, at the latest after 2 s. */
  [Symbol.asyncDispose](): Promise<void>;
}

const NOT_CLAIMABLE = 'SpareProcess.claim() came too late: the process is gone. Call query() for this session.';

/** A parked session. All decisions after the claim are the session's. */
export class ClaimableProcess implements SpareProcess {
  readonly claimed: Promise<ClaimInfo>;
  readonly exited: Promise<void>;
  readonly #session: QuerySession;
  readonly #claimed = createDeferred<ClaimInfo>();
  #isClaimed = false;
  #isClosed = false;

  /** @param session - Opened with `--await-claim` and confirmed. */
  constructor(session: QuerySession) {
    this.#session = session;
    this.claimed = this.#claimed.promise;
    this.exited = session.exited;
    ignoreRejection(this.claimed);
    void session.exited.then(() => this.#onExit());
  }

  // Own and bound, as the official ones are: programs take the object apart.
  readonly claim = (params: { prompt: string | AsyncIterable<SDKUserMessage>; options: ClaimOptions }): Query => {
    const session = this.#session;
    if (this.#isClaimed) throw new SessionClosedError('SpareProcess.claim() can only be called once');
    if (this.#isClosed || !session.isRunning) throw tooLate(NOT_CLAIMABLE, session.controller.closedBy);
    if (!isJsonObject(params)) {
      throw new InvalidOptionError(
        'claim',
        `claim() takes an object with \`prompt\` and \`options\`, got ${describeValue(params)}`,
      );
    }
    const { prompt, options } = params;
    assertPrompt(prompt, 'query');
    const request = planClaim(options, [...session.controller.mcpServers.keys()]);

    this.#isClaimed = true;
    for (const warning of request.warnings) warnOnce(warning);
    const { claimed, accepted } = sendClaim(session, request);
    claimed.then(this.#claimed.resolve, this.#claimed.reject);
    session.sendPrompt(prompt, accepted);
    return new SessionQuery(session);
  };

  readonly close = (): void => {
    this.#isClosed = true;
    if (!this.#isClaimed) {
      this.#claimed.reject(new ClaimError('spare_closed', 'the process was closed before it was claimed'));
    }
    this.#session.close();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#session.left();
  }

  /** Nothing happens where it is settled already. */
  #onExit(): void {
    if (this.#isClaimed) return;
    const { closedBy } = this.#session.controller;
    this.#claimed.reject(
      new ClaimError(
        'spare_exited',
        'the process ended before it was claimed',
        closedBy === undefined ? {} : { cause: closedBy },
      ),
    );
  }
}
