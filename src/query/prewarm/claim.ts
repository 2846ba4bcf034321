import { isAbsolute } from 'node:path';
import type { PermissionMode } from '../../control/permission-types.js';
import { requireOption } from '../../errors/usage-errors.js';
import {
  ClaimError,
  type ClaimInfo,
  ControlRequestError,
  ControlRequestTimeoutError,
  InvalidOptionError,
} from '../../errors.js';
import { handled } from '../../util/deferred.js';
import { errorText } from '../../util/error-text.js';
import { absolutePath } from '../../util/host-places.js';
import { isJsonObject, type JsonObject, omitUndefined, stringField } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import {
  argumentString,
  array,
  arrayOf,
  count,
  object,
  problemOf,
  recordOf,
  secretString,
  shape,
  string,
  type Validator,
} from '../../util/validate.js';
import type { Warning } from '../../util/warn-once.js';
import { NO_AGENTS, planAgents } from '../launch/mcp-servers.js';
import { agentInProcessServer } from '../launch/warnings.js';
import { toWireJson } from '../launch/wire-json.js';
import type { AgentDefinition } from '../options/extension-options.js';
import type { QuerySession } from '../query-session.js';
import type { FlagSettings } from '../query-types.js';

/**
 * What belongs to a session rather than to the process that serves it. Everything else was given to `prewarm()` and
 * stays as it was.
 */
export type ClaimOptions = {
  /** The session's working directory. A relative path is taken from this process; `~/` is the CLI's to expand. */
  cwd: string;
  /**
   * Further variables. The CLI takes few at this point (tokens and the host's session id) and refuses the claim for any
   * other.
   */
  env?: Record<string, string>;
  /** As the option of that name. A relative path is taken from `cwd`. */
  additionalDirectories?: string[];
  model?: string;
  /** Part of the claim: a mode that the process cannot take refuses it, so no session runs under another. */
  permissionMode?: PermissionMode;
  /** `null` lifts the limit. */
  maxThinkingTokens?: number | null;
  /**
   * Settings laid over those of the process, as `applyFlagSettings()` does. The prompt waits until they are accepted,
   * and is not sent when they are refused. Keys that govern hooks belong in `prewarm()`.
   */
  settings?: FlagSettings;
  appendSystemPrompt?: string;
  title?: string;
  agents?: Record<string, AgentDefinition>;
};

/** The claim and the requests around it, in the order of writing. All are wire JSON. */
interface ClaimRequest {
  /** Settings that decide what the claim starts. `undefined`: none. */
  readonly settingsBefore: JsonObject | undefined;
  /** Fields of `claim_session` without `subtype`. */
  readonly claim: JsonObject;
  /** `undefined`: as the process was started. */
  readonly model: string | undefined;
  readonly maxThinkingTokens: number | null | undefined;
  /** Settings that the claim would reset. `undefined`: none. */
  readonly settingsAfter: JsonObject | undefined;
  readonly warnings: readonly Warning[];
  /** Whether the prompt waits until everything but the two options is accepted. */
  readonly holdsPrompt: boolean;
}

/** They have to be in force before any hook runs. */
const HOOK_SETTINGS = [
  ...['hooks', 'disableAllHooks', 'allowManagedHooksOnly', 'allowedHttpHookUrls', 'httpHookAllowedEnvVars'],
];

/** Written behind the claim, which has a say in them. In this order. */
const SETTINGS_AFTER = ['model', 'agent', 'fastMode', 'permissions', 'availableModels', 'disableAutoMode'];

/**
 * Checks the options of a claim and puts them into wire form. Pure but for the working directory of this process, which
 * relative paths start from.
 * @throws InvalidOptionError the first one that cannot be used.
 */
export function planClaim(options: unknown, sdkMcpServers: readonly string[]): ClaimRequest {
  requireOption(object, options, 'options');
  refuseSessionsInClaim(options);
  const given = readOptions(options as Readonly<Record<string, unknown>>);
  const settings = given.settings && toWireJson<JsonObject>(given.settings, 'settings');
  const { before, after } = splitSettings(settings ?? {});
  const agents = given.agents === undefined ? NO_AGENTS : planAgents(given.agents);
  const claim: JsonObject = {
    cwd: absolute(given.cwd),
    permission_mode: given.permissionMode,
    env: given.env && toWireJson(given.env, 'env'),
    additional_directories: given.additionalDirectories && [...given.additionalDirectories],
    append_system_prompt: given.appendSystemPrompt,
    title: given.title,
    agents: agents.wire,
    sdk_mcp_servers: sdkMcpServers,
    include_initialize: true,
  };
  return {
    settingsBefore: before,
    claim: omitUndefined(claim),
    model: given.model,
    maxThinkingTokens: given.maxThinkingTokens,
    settingsAfter: after,
    warnings: agents.inProcessServers.map(agentInProcessServer),
    holdsPrompt: settings !== undefined,
  };
}

/** Reads every known option once. `null` means "not given", except where it is a value. */
function readOptions(source: Readonly<Record<string, unknown>>): Readonly<ClaimOptions> {
  const given: Record<string, unknown> = {};
  for (const [name, validator] of Object.entries(VALIDATORS)) {
    const value = source[name];
    const isValue = name === 'cwd' || (name === 'maxThinkingTokens' && value === null);
    if (!isValue && (value === undefined || value === null)) continue;
    requireOption(validator, value, name);
    given[name] = value;
  }
  // Every member has passed its validator, and `cwd` is never left out.
  return given as Readonly<ClaimOptions>;
}

const folder: Validator = (value, path) =>
  typeof value === 'string' && value !== ''
    ? argumentString(value, path)
    : problemOf(path, 'a path, the working directory of the session', value);

const environment = recordOf((value, path) => (value === undefined ? undefined : secretString(value, path)));

const overlay: Validator = (value, path) => {
  const problem = object(value, path);
  if (problem !== undefined) return problem;
  const settings = value as Readonly<Record<string, unknown>>;
  const name = HOOK_SETTINGS.find((key) => settings[key] !== undefined);
  if (name === undefined) return undefined;
  const member = memberPath(path, name);
  return {
    ...problemOf(member, 'absent', settings[name], 'Give it to prewarm() in `options.settings`.'),
    text: `Option \`${member}\` governs hooks, and a claim cannot change those. Nothing was sent: the spare can be claimed without it`,
  };
};

const VALIDATORS: { readonly [K in keyof Required<ClaimOptions>]: Validator } = {
  cwd: folder,
  env: environment,
  additionalDirectories: arrayOf(argumentString),
  model: string,
  permissionMode: string,
  maxThinkingTokens: (value, path) => (value === null ? undefined : count(value, path)),
  settings: overlay,
  appendSystemPrompt: string,
  title: string,
  agents: recordOf(shape({ mcpServers: array })),
};

function absolute(cwd: string): string {
  return isAbsolute(cwd) || cwd === '~' || cwd.startsWith('~/') ? cwd : absolutePath('cwd', cwd);
}

function splitSettings(settings: JsonObject): {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
} {
  const before = Object.entries(settings).filter(([key]) => !SETTINGS_AFTER.includes(key));
  const after = SETTINGS_AFTER.filter((key) => key in settings).map((key) => [key, settings[key]]);
  return {
    before: before.length === 0 ? undefined : Object.fromEntries(before),
    after: after.length === 0 ? undefined : Object.fromEntries(after),
  };
}

type Answer = Promise<JsonObject | undefined>;

/** A claim on its way. Neither promise counts as an unhandled rejection. */
interface SentClaim {
  /** As `SpareProcess.claimed`. */
  readonly claimed: Promise<ClaimInfo>;
  /** Resolves when the prompt may go; the run has been ended when it rejects. `undefined`: it goes at once. */
  readonly accepted: Promise<void> | undefined;
}

/**
 * Writes a claim and the requests around it in one go. A refusal ends the run, except for the two options that a
 * session can do without.
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

  session.record.describeBy(handled(describedBy(session, answer)));
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
    // `claimed` rejects with it.
  }
  return isJsonObject(initialize) ? initialize : session.controller.initialized;
}

/** The claim's answer, read. A refusal lets the CLI say so in a result and go; no answer ends it. */
async function claimInfo(session: QuerySession, answer: Answer, claim: JsonObject): Promise<ClaimInfo> {
  let response: JsonObject;
  try {
    response = (await answer) ?? {};
  } catch (error) {
    if (error instanceof ControlRequestError) session.controller.endRefusedInput();
    else if (error instanceof ControlRequestTimeoutError) session.close(error);
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

/** They name a session that exists, and a spare process has none. */
const EXISTING_SESSION = ['resume', 'continue', 'forkSession'] as const;

/** @throws InvalidOptionError */
export function refuseSessionsInPrewarm(options: unknown): void {
  const name = firstGiven(options, EXISTING_SESSION);
  if (name === undefined) return;
  throw new InvalidOptionError(
    name,
    `Option \`${name}\` describes a session, and prewarm() starts a process that has none: give it to query().`,
  );
}

/**
 * The id of the session to come is the spare's from its start, so at the claim it is too late for that one as well.
 * Dropped, each of these would leave the prompt without the conversation that it belongs to.
 * @throws InvalidOptionError
 */
function refuseSessionsInClaim(options: unknown): void {
  const name = firstGiven(options, [...EXISTING_SESSION, 'sessionId']);
  if (name === undefined) return;
  const cure = name === 'sessionId' ? 'give it to prewarm()' : 'start it with query()';
  throw new InvalidOptionError(
    name,
    `Option \`${name}\` chooses a session, and a claim starts a new one. Nothing was sent: the spare can be claimed without it, or ${cure}.`,
  );
}

function firstGiven(options: unknown, names: readonly string[]): string | undefined {
  const source = (options ?? {}) as Readonly<Record<string, unknown>>;
  return names.find((name) => Boolean(source[name]));
}
