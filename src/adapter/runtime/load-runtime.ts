import type { Options, Query, SDKUserMessage, ToolCallExtra } from '../../index.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { AgentRuntime, RuntimeOptions, RuntimeQuery, ToolServer } from './agent-runtime.js';

type Sdk = typeof import('../../index.js') &
  typeof import('../../query/locate-executable.js') &
  typeof import('../../query/supervised-query.js');

/** The SDK of this package, evaluated at the first call. */
export async function loadRuntime(): Promise<AgentRuntime> {
  const [index, executable, supervised] = await Promise.all([
    import('../../index.js'),
    import('../../query/locate-executable.js'),
    import('../../query/supervised-query.js'),
  ]);
  return sdkRuntime({ ...index, ...executable, ...supervised });
}

function sdkRuntime(sdk: Sdk): AgentRuntime {
  return {
    query: (input, options) => startQuery(sdk, input, options),
    locateExecutable: async (options = {}) => sdk.locateExecutable(options),
    launchErrorOf: sdk.launchErrorOf,
    judgeRelease: sdk.judgeRelease,
  };
}

function startQuery(
  sdk: Sdk,
  input: AsyncIterable<SDKUserMessage>,
  { toolServers, meansToShadow, checksOnFailure, ...options }: RuntimeOptions,
): RuntimeQuery {
  const gate = endable(input);
  const { query, end } = sdk.superviseQuery({
    prompt: gate.items,
    options: withToolServers(sdk, options, toolServers ?? []),
    silences: meansToShadow === true ? ['CLAUDE_SDK_CAN_USE_TOOL_SHADOWED'] : [],
    checksOnFailure,
  });
  return {
    query,
    initialized: async () => void (await query.initializationResult()),
    getSettings: async () => ((await query.request('get_settings')) ?? {}) as JsonObject,
    interrupt: ({ cancelQueued } = {}) => query.interrupt(cancelQueued === true ? { cancelQueued } : undefined),
    stopTask: (taskId) => query.stopTask(taskId),
    getUsage: () => sessionUsage(query),
    cliVersion: async () => {
      const { claude_code_version: version } = await handshakeOf(query);
      return typeof version === 'string' ? version : undefined;
    },
    confirmsOnFailure: async () => (await handshakeOf(query)).hook_on_failure_supported === true,
    endInput: gate.end,
    close: async (because) => {
      gate.end();
      await end(because);
    },
    [Symbol.asyncIterator]: () => query[Symbol.asyncIterator](),
  };
}

/** The answer to `initialize`, unchecked. */
async function handshakeOf(query: Query): Promise<Readonly<Record<string, unknown>>> {
  return { ...(await query.initializationResult()) };
}

/** Without this capability, an interrupt would have to wait for the answer. */
const DETACHED_USAGE = 'get_usage_detached_v1';

async function sessionUsage(query: Query): Promise<JsonObject | undefined> {
  const { capabilities } = await handshakeOf(query);
  if (!Array.isArray(capabilities) || !capabilities.includes(DETACHED_USAGE)) return undefined;
  const answer = await query.request('get_usage', { skip_behaviors: true, detached: true });
  const { session } = (answer ?? {}) as JsonObject;
  const table = isJsonObject(session) ? session.model_usage : undefined;
  return isJsonObject(table) ? table : undefined;
}

function withToolServers(sdk: Sdk, options: Options, servers: readonly ToolServer[]): Options {
  if (servers.length === 0) return options;
  const own = servers.map(({ name, version, tools }) => [
    name,
    sdk.createSdkMcpServer({
      name,
      version,
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        // Accepts everything: the bridge validates arguments itself, with its own errors.
        inputSchema: {
          '~standard': {
            version: 1,
            vendor: 'claudewire',
            validate: (value: unknown) => ({ value }),
            jsonSchema: { input: () => tool.inputSchema },
          },
        },
        _meta: tool._meta,
        handler: async (args: JsonObject, extra: ToolCallExtra) => ({ ...(await tool.call(args, extra)) }),
      })),
    }),
  ]);
  return { ...options, mcpServers: { ...options.mcpServers, ...Object.fromEntries(own) } };
}

/** The same items until `end()`, which also ends a pending `next()`. */
function endable<T>(input: AsyncIterable<T>): { items: AsyncIterable<T>; end: () => void } {
  let end = (): void => {};
  const ended = new Promise<{ done: true; value: undefined }>((resolve) => {
    end = () => resolve({ done: true, value: undefined });
  });
  const items: AsyncIterable<T> = {
    [Symbol.asyncIterator]: () => {
      const iterator = input[Symbol.asyncIterator]();
      const finish = async () => {
        await iterator.return?.();
        return { done: true, value: undefined } as const;
      };
      void ended.then(finish).catch(() => {});
      return { next: () => Promise.race([iterator.next(), ended]), return: finish };
    },
  };
  return { items, end };
}
