import { buildEnvironment } from '../../../src/adapter/isolation/environment.js';
import { type IsolationConfig, resolveIsolation } from '../../../src/adapter/isolation/isolation-config.js';
import { buildSettings, type SettingsInput } from '../../../src/adapter/isolation/settings.js';
import type { Log } from '../../../src/adapter/logging/log.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import type { JsonObject } from '../../../src/util/json.js';

export interface Logged {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A log that keeps what it is given. */
export function keepingLog(): Log & { readonly logged: Logged[] } {
  const logged: Logged[] = [];
  const write =
    (level: Logged['level']) =>
    (event: string, context: Readonly<Record<string, unknown>>): void => {
      logged.push({ level, event, context });
    };
  return { logged, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Settings of a home `/h` for a host whose home is `/home/u`, working in `/proj`. */
export function settingsOf(
  config: IsolationConfig = {},
  more: Partial<SettingsInput> & {
    readonly platform?: string;
    readonly hostEnv?: Readonly<Record<string, string>>;
  } = {},
): { readonly [key: string]: JsonObject } & JsonObject {
  const { platform = 'linux', hostEnv = {}, ...rest } = more;
  const isolation = resolveIsolation(config, platform);
  const homePath = '/h';
  return buildSettings({
    isolation,
    outsideWorkspacePaths: 'deny',
    homePath,
    childEnv: buildEnvironment({ isolation, hostEnv, platform, homePath }),
    cwd: '/proj',
    tempRoot: '/t',
    prefix: 'claude-agent-',
    addDirs: [],
    hostHome: '/home/u',
    hostConfigDir: undefined,
    ...rest,
  }) as { [key: string]: JsonObject };
}

/** A prompt with nothing in it that matters. */
export function askPrompt() {
  const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'What is 2 + 2?' });
  return new Prompt({ ns: 'test', key: 'ask', sections: [section] });
}

/** What the promise rejects with; fails when it does not. */
export async function refused(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ error: undefined }),
    (error: unknown) => ({ error }),
  );
  if (outcome.error === undefined) throw new Error('nothing was thrown');
  return outcome.error;
}

/** The result of a turn that said "4". */
export function resultMessage(): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: '4',
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    stop_reason: 'end_turn',
    session_id: '6b2f5f0e-0000-4000-8000-000000000001',
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
    modelUsage: {},
    permission_denials: [],
    uuid: '6b2f5f0e-0000-4000-8000-000000000002',
  };
}
