import {
  ClaimError,
  type ClaimInfo,
  InvalidOptionError,
  SessionClosedError,
} from '../../errors.js';
import type { SDKUserMessage } from '../../parser/message.js';
import { createDeferred, ignoreRejection } from '../../util/deferred.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { warnOnce } from '../../util/warn-once.js';
import { assertPrompt } from '../prompt.js';
import { SessionQuery } from '../query.js';
import type { QuerySession } from '../query-session.js';
import type { Query } from '../query-types.js';
import { sessionOver } from '../warm-session.js';
import { planClaim } from './claim-request.js';
import { sendClaim } from './claim-sender.js';
import type { ClaimOptions, SpareProcess } from './spare-types.js';

const NOT_CLAIMABLE =
  'SpareProcess.claim() came too late: the process is gone. Call query() for this session.';

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
  readonly claim = (params: {
    prompt: string | AsyncIterable<SDKUserMessage>;
    options: ClaimOptions;
  }): Query => {
    const session = this.#session;
    if (this.#isClaimed) {
      throw new SessionClosedError('SpareProcess.claim() can only be called once');
    }
    if (this.#isClosed || !session.isRunning) throw sessionOver(NOT_CLAIMABLE, session);
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
      this.#claimed.reject(
        new ClaimError('spare_closed', 'the process was closed before it was claimed'),
      );
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
    const { closedBy } = this.#session;
    this.#claimed.reject(
      new ClaimError(
        'spare_exited',
        'the process ended before it was claimed',
        closedBy === undefined ? {} : { cause: closedBy },
      ),
    );
  }
}
