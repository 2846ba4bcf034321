import type { JsonObject } from '../../util/json.js';
import { VERSION } from '../../version.js';
import { isCount, isSecretName } from './scrub/rules.js';
import type { Scrubber } from './scrub/scrubber.js';

/** Variables whose values say how the program set up the CLI; others are recorded by name. */
const TOLD_VARIABLES =
  /^(?:CLAUDE_|MCP_|MAX_|DISABLE_|ANTHROPIC_(?:DEFAULT_|SMALL_|CUSTOM_)?\w*MODEL)/;

export interface ProvenanceFacts {
  readonly name: string;
  readonly cliVersion: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scrubber: Scrubber | undefined;
}

/** The first line of a recording: what was recorded, how, and where. */
export function provenanceOf({
  name,
  cliVersion,
  args,
  env,
  scrubber,
}: ProvenanceFacts): JsonObject {
  const sdk = sdkOf(env);
  return {
    scenario: name,
    ...(sdk === undefined ? {} : { sdk }),
    cli_version: cliVersion,
    argv: argvOf(args, scrubber),
    env: namesOf(env),
    platform: `${process.platform}-${process.arch}`,
    tool: `claudewire ${VERSION}`,
    scrubbed: scrubber !== undefined,
    date: new Date().toISOString(),
    legend: {
      in: 'written to the CLI stdin',
      out: 'read from the CLI stdout',
      err: 'read from the CLI stderr',
      meta: 'events of the recorder',
    },
  };
}

/** The `spawn` event of one process. */
export function spawnEvent({ args, env, scrubber }: Omit<ProvenanceFacts, 'name'>): JsonObject {
  const values = Object.entries(env)
    .filter(([name]) => TOLD_VARIABLES.test(name) && !isSecretName(name))
    .map(([name, value]) => [name, scrubber?.text(value ?? '', 'env') ?? value]);
  return {
    event: 'spawn',
    argv: argvOf(args, scrubber),
    env: namesOf(env),
    env_values: Object.fromEntries(values),
  };
}

/** Arguments that hold JSON are scrubbed field by field, and values of flags by the flag's name. */
function argvOf(args: readonly string[], scrubber: Scrubber | undefined): readonly string[] {
  if (scrubber === undefined) return ['claude', ...args];
  return ['claude', ...args.map((arg, index) => scrubArg(arg, args[index - 1] ?? '', scrubber))];
}

function scrubArg(arg: string, before: string, scrubber: Scrubber): string {
  const [, flag = '', name = before, value = arg] = /^((--?[\w-]+)=)([\s\S]*)$/.exec(arg) ?? [];
  const isValue = flag !== '' || (/^--?[\w-]+$/.test(name) && !value.startsWith('-'));
  // `--max-thinking-tokens 4000` counts.
  if (isValue && isSecretName(name) && !(/^\d+$/.test(value) && isCount(name, value))) {
    return flag + scrubber.secret(value, 'argv');
  }
  return flag + scrubber.text(value, 'argv');
}

function namesOf(env: ProvenanceFacts['env']): readonly string[] {
  return Object.keys(env).sort();
}

/** Which SDK stood in front, as it says itself; `undefined` for frames that were written by hand. */
function sdkOf(env: ProvenanceFacts['env']): string | undefined {
  const entrypoint = env.CLAUDE_CODE_ENTRYPOINT;
  if (entrypoint?.startsWith('sdk-') !== true || entrypoint === 'sdk-cli') return undefined;
  return [entrypoint, env.CLAUDE_AGENT_SDK_VERSION].filter(Boolean).join(' ');
}
