import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { SpawnExpectation } from '../scenario/scenario-types.js';
import { argvPattern, readFlags } from './argv-flags.js';
import type { MadeUpIds } from './session-ids.js';
import { type HostTexts, textPattern } from './templates.js';

/** How an SDK sets up the CLI by variables; the environment it was started in says nothing about the program. */
const TOLD_BY_SDK =
  /^CLAUDE_CODE_(?:ENTRYPOINT|SDK_\w+|ENABLE_SDK_\w+|EXTRA_BODY|MAX_OUTPUT_TOKENS)$/;
export const FREE = 'what was scrubbed here may be anything';

export interface SpawnSource {
  readonly isByHand: boolean;
  readonly isStrict: boolean;
  readonly madeUp: MadeUpIds;
  readonly texts: HostTexts;
  readonly leaveOut: (what: string, why: string) => void;
}

/** What a `spawn` event says of how the process must be started. */
export function spawnExpectation(
  { argv, env_values: variables }: JsonObject,
  source: SpawnSource,
): SpawnExpectation {
  const flags = readFlags(Array.isArray(argv) ? argv.map(String).slice(1) : []);
  for (const rest of flags.rest) source.leaveOut('argv', `the argument ${rest} has no flag`);
  const env = Object.entries(isJsonObject(variables) ? variables : {})
    .filter(([name]) => TOLD_BY_SDK.test(name))
    .map(([name, value]) => [name, variable(name, String(value), source)]);
  return {
    argv: argvPattern(flags, (value, flag) => flagValue(value, flag, source)),
    ...(source.isStrict ? { argvOnly: true } : {}),
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env) as Record<string, string> }),
  };
}

function flagValue(value: string | JsonObject, flag: string, source: SpawnSource): unknown {
  const leaveOut = (why: string): void => source.leaveOut(`argv ${flag}`, why);
  if (flag === '--settings' && source.isByHand && isJsonObject(value)) {
    leaveOut('an SDK may hand the same settings over in a file');
    return '$_';
  }
  if (typeof value === 'string' && source.madeUp.has(value)) {
    source.texts.capture(value, 'uuid');
    if (flag !== '--session-id') leaveOut('an id that the client had made up may be any');
  }
  return source.texts.pattern(value, (path) =>
    leaveOut(`${path}${path === '' ? '' : ': '}${FREE}`),
  );
}

function variable(name: string, value: string, { leaveOut }: SpawnSource): string {
  const pattern = textPattern(value);
  if (typeof pattern === 'string' && pattern !== '$_') return pattern;
  leaveOut(`env ${name}`, FREE);
  return '$_';
}
