import type { Callbacks, RegisteredHook } from '../../control/controller-options.js';
import type { McpEndpointFactory } from '../../control/mcp-endpoint.js';
import { InvalidOptionError } from '../../errors.js';
import type { McpSdkServerConfigWithInstance } from '../../mcp/mcp-server-config.js';
import { type JsonObject, omitUndefined } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import type { Options } from '../options.js';
import type { LaunchHost } from './launch-plan.js';
import type { GivenOptions } from './validate-options.js';

type FactoryMaker = LaunchHost['createMcpEndpointFactory'];

/** What the CLI may call in the host program. */
export function collectCallbacks(
  options: GivenOptions,
  hooks: HooksPlan,
  inProcess: ReadonlyMap<string, McpSdkServerConfigWithInstance>,
  createFactory: FactoryMaker,
): Callbacks {
  const { canUseTool, onElicitation, onUserDialog, unhandledElicitation } = options;
  const hasHookEvents = options.hooks !== undefined && Object.keys(options.hooks).length > 0;
  return {
    canUseTool,
    onElicitation,
    onUserDialog,
    unhandledElicitation,
    hooks: hooks.registered,
    mcpServers: new Map([...inProcess].map(([name, config]) => [name, makeFactory(name, config, createFactory)])),
    onHookError: options.onHookError ?? 'report',
    needStdin: (canUseTool ?? onElicitation ?? onUserDialog) !== undefined || hasHookEvents || inProcess.size > 0,
  };
}

function makeFactory(
  name: string,
  config: McpSdkServerConfigWithInstance,
  createFactory: FactoryMaker,
): McpEndpointFactory {
  try {
    return createFactory(config);
  } catch (cause) {
    if (cause instanceof InvalidOptionError) throw cause;
    const path = memberPath('mcpServers', name);
    throw new InvalidOptionError(path, `Option \`${path}\` is not a usable MCP server.`, { cause });
  }
}

/** The `hooks` option, taken apart into what the CLI is told and what it may call. */
interface HooksPlan {
  /** `undefined`: the option was not given. */
  readonly wire: JsonObject | undefined;
  readonly registered: readonly RegisteredHook[];
  /** True when a failure must stop something: an older CLI would not know, so it has to confirm. */
  readonly needsOnFailure: boolean;
}

/** Without the `hooks` option. */
export const NO_HOOKS: HooksPlan = { wire: undefined, registered: Object.freeze([]), needsOnFailure: false };

/** Ids count up over all events in the caller's order (TS-071). An event without matchers is left out (TS-072). */
export function planHooks(hooks: NonNullable<Options['hooks']>): HooksPlan {
  const registered: RegisteredHook[] = [];
  const wire: [string, JsonObject[]][] = [];
  let needsOnFailure = false;

  for (const [event, matchers] of Object.entries(hooks)) {
    if (!matchers || matchers.length === 0) continue;
    const wireMatchers = matchers.map(({ matcher, hooks: callbacks, timeout, onFailure }) => {
      const hookCallbackIds = callbacks.map((callback) => {
        const callbackId = `hook_${registered.length}`;
        registered.push({ callbackId, event, callback });
        return callbackId;
      });
      if ((onFailure ?? 'continue') !== 'continue') needsOnFailure = true;
      // `null` is the same as absent.
      return omitUndefined({
        matcher: matcher ?? undefined,
        hookCallbackIds,
        timeout: timeout ?? undefined,
        onFailure: onFailure ?? undefined,
      });
    });
    wire.push([event, wireMatchers]);
  }
  return { wire: Object.fromEntries(wire), registered, needsOnFailure };
}
