import {
  ClaimError,
  type ClaimInfo,
  ControlRequestError,
  ControlRequestTimeoutError,
} from '../../errors.js';
import { handled } from '../../util/deferred.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import type { QuerySession } from '../query-session.js';
import type { ClaimRequest } from './claim-request.js';

type Answer = Promise<JsonObject | undefined>;

/** A claim on its way. Neither promise counts as an unhandled rejection. */
export interface SentClaim {
  /** As `SpareProcess.claimed`. */
  readonly claimed: Promise<ClaimInfo>;
  /** Resolves when the prompt may go; the run has been ended when it rejects. `undefined`: it goes at once. */
  readonly accepted: Promise<void> | undefined;
}

/**
 * Writes a claim and what goes with it, in one go. What the CLI refuses ends the run, except for the two
 * options that a session can do without.
 */
export function sendClaim(session: QuerySession, request: ClaimRequest): SentClaim {
  const { settingsBefore, claim, model, maxThinkingTokens, settingsAfter } = request;
  const send = (subtype: string, payload: JsonObject): Answer => session.request(subtype, payload);
  const overlay = (settings: JsonObject | undefined): Answer[] =>
    settings === undefined ? [] : [send('apply_flag_settings', { settings })];

  // The order of these calls is the order on the wire.
  const before = overlay(settingsBefore);
  const answer = send('claim_session', claim);
  const options: (readonly [string, Answer])[] = [];
  if (model !== undefined) options.push(['model', send('set_model', { model })]);
  if (maxThinkingTokens !== undefined) {
    const payload = { max_thinking_tokens: maxThinkingTokens };
    options.push(['maxThinkingTokens', send('set_max_thinking_tokens', payload)]);
  }
  const after = overlay(settingsAfter);

  session.describeBy(handled(describedBy(session, answer)));
  const info = handled(claimInfo(session, answer, claim));
  const ready = handled(acceptedBy(session, info, [...before, ...after]));
  return {
    claimed: handled(appliedWith(ready, options)),
    accepted: request.holdsPrompt ? handled(ready.then(() => {})) : undefined,
  };
}

/** The claim's own snapshot of the session; without one, or when refused, that of the parked process. */
async function describedBy(session: QuerySession, answer: Answer): Promise<JsonObject> {
  let initialize: unknown;
  try {
    initialize = (await answer)?.initialize;
  } catch {
    // Who made the claim hears of it.
  }
  return isJsonObject(initialize) ? initialize : session.controller.initialized;
}

/** The claim's answer, read. A refusal lets the CLI say so in a result and go; no answer ends it. */
async function claimInfo(
  session: QuerySession,
  answer: Answer,
  claim: JsonObject,
): Promise<ClaimInfo> {
  let response: JsonObject;
  try {
    response = (await answer) ?? {};
  } catch (error) {
    if (error instanceof ControlRequestError) session.controller.endRefusedInput();
    else if (error instanceof ControlRequestTimeoutError) session.fail(error);
    throw error;
  }
  const { parked_ms: parkedMs, sdk_mcp_settled: sdkMcpSettled } = response;
  return {
    cwd: stringField(response, 'cwd') ?? String(claim.cwd),
    sessionId: stringField(response, 'session_id') ?? '',
    ...(typeof parkedMs === 'number' ? { parkedMs } : {}),
    sdkMcpSettled: sdkMcpSettled === true,
  };
}

/** The claim's information once its settings are in force; a prompt that waited for them is given up otherwise. */
async function acceptedBy(
  session: QuerySession,
  info: Promise<ClaimInfo>,
  overlays: readonly Answer[],
): Promise<ClaimInfo> {
  const claim = await info;
  try {
    await Promise.all(overlays);
  } catch (cause) {
    const error = new ClaimError(
      'settings_not_applied',
      `${errorText(cause)} (your prompt stayed here and the process is gone: call query() for this session)`,
      { claim, cause },
    );
    session.giveUp(error);
    throw error;
  }
  return claim;
}

/** The claim's information once its options are in force. */
async function appliedWith(
  ready: Promise<ClaimInfo>,
  options: readonly (readonly [string, Answer])[],
): Promise<ClaimInfo> {
  const claim = await ready;
  const failed: string[] = [];
  let cause: unknown;
  for (const [name, answer] of options) {
    try {
      await answer;
    } catch (error) {
      cause ??= error;
      failed.push(`${name}: ${errorText(error)}`);
    }
  }
  if (failed.length === 0) return claim;
  throw new ClaimError(
    'option_not_applied',
    `${failed.join('; ')} (your prompt was delivered, and the session goes on without it)`,
    { claim, cause },
  );
}
