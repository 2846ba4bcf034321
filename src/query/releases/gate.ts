import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../constants.js';
import type { DiagnosticListener } from '../../diagnostics.js';
import { CLIVersionError } from '../../errors.js';
import type { FrameTransport } from '../../transport/transport.js';
import { isFromRelease } from '../../util/cli-versions.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { FEATURES, type Feature, OLDEST_RELEASE, type Remedy } from './honoured.js';

/** What a release makes of a plan. */
export interface Adapted {
  /** The plan's arguments, and what has to come behind them. */
  readonly args: readonly string[];
  /** What replaces fields of `initialize`; `undefined` takes one out. */
  readonly initialize: JsonObject;
}

/**
 * Makes true another way what a release of the CLI does not honour of a plan, or reports it.
 * @param release - `undefined`: nothing tells it. As `newest`.
 * @throws CLIVersionError what does not work and must.
 */
export function adaptTo(release: string | undefined, plan: LaunchPlan, onDiagnostic: DiagnosticListener): Adapted {
  const args = [...plan.args];
  const initialize: JsonObject = {};
  if (release === undefined || release === 'newest') return { args, initialize };
  if (!isFromRelease(release, OLDEST_RELEASE)) throw new CLIVersionError(release, `${OLDEST_RELEASE} or newer`);
  for (const feature of FEATURES) {
    if (isHonoured(feature, release) || !isUsed(feature, plan)) continue;
    const { otherwise, option } = feature;
    if (otherwise === 'refuse') throw new CLIVersionError(release, neededBy(feature), option);
    if (otherwise !== 'report') {
      REMEDIES[otherwise](plan.initialize, args, initialize);
      continue;
    }
    onDiagnostic({
      code: 'option_not_honoured',
      message: `Claude Code ${release} does not honour \`${option}\`, which needs ${neededBy(feature)}. The run goes on without it.`,
      details: { option, release, needs: neededBy(feature) },
    });
  }
  return { args, initialize };
}

/** Puts the changed fields into every `initialize` that is sent. */
export function withInitialize(transport: FrameTransport, changes: JsonObject): FrameTransport {
  if (Object.keys(changes).length === 0) return transport;
  const send = transport.send.bind(transport);
  // On the transport itself: a wrapper would have to pass on the ten other methods.
  return Object.assign(transport, { send: (frame: object) => send(changed(frame, changes)) });
}

function changed(frame: object, changes: JsonObject): object {
  const { request } = frame as JsonObject;
  if (!isJsonObject(request) || request.subtype !== 'initialize') return frame;
  return { ...frame, request: { ...request, ...changes } };
}

function isHonoured({ since = OLDEST_RELEASE, except = [] }: Feature, release: string): boolean {
  return isFromRelease(release, since) && !except.some(([first, last]) => isBetween(release, first, last));
}

function isBetween(release: string, first: string, last: string): boolean {
  return isFromRelease(release, first) && isFromRelease(last, release);
}

function isUsed({ use }: Feature, { args, initialize, reliance }: LaunchPlan): boolean {
  if (use.startsWith('--')) return args.some((token) => token === use || token.startsWith(`${use}=`));
  const [, field, isList] = /^initialize\.(\w+)(\[\])?$/.exec(use) ?? [];
  if (field === undefined) return reliance.named.some((name) => name === use);
  return isList === undefined ? Object.hasOwn(initialize, field) : Array.isArray(initialize[field]);
}

function neededBy({ since, except = [] }: Feature): string {
  const needs = since === undefined ? 'another release' : `${since} or newer`;
  return except.length === 0 ? needs : `${needs}, but not ${except.map((range) => range.join(' to ')).join(' or ')}`;
}

const REMEDIES: Readonly<Record<Remedy, (sent: JsonObject, args: string[], changes: JsonObject) => void>> = {
  joinParts: ({ systemPrompt }, _args, changes) => {
    const parts: readonly unknown[] = Array.isArray(systemPrompt) ? systemPrompt : [];
    // As newer releases join them.
    changes.systemPrompt = parts.filter((part) => part !== '' && part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY).join('\n\n');
  },
  defaultMode: (_sent, args) => {
    args.push('--permission-mode=default');
  },
  agentsFlag: ({ agents }, args, changes) => {
    args.push(`--agents=${JSON.stringify(agents)}`);
    changes.agents = undefined;
  },
};
