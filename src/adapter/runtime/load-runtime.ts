import type { Options, SDKUserMessage, ToolCallExtra } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import type { AgentRuntime, RuntimeOptions, RuntimeQuery, ToolServer } from './agent-runtime.js';

type Sdk = typeof import('../../index.js') & typeof import('../../sdk/supervised-query.js');

/** The SDK of this package, evaluated at the first call. */
export async function loadRuntime(): Promise<AgentRuntime> {
  const [index, supervised] = await Promise.all([
    import('../../index.js'),
    import('../../sdk/supervised-query.js'),
  ]);
  return sdkRuntime({ ...index, ...supervised });
}

function sdkRuntime(sdk: Sdk): AgentRuntime {
  return {
    query: (input, options) => startQuery(sdk, input, options),
    locateExecutable: async (options = {}) => sdk.locateExecutable(options),
  };
}

function startQuery(
  sdk: Sdk,
  input: AsyncIterable<SDKUserMessage>,
  { toolServers, meansToShadow, ...options }: RuntimeOptions,
): RuntimeQuery {
  const gate = endable(input);
  const { query, end } = sdk.superviseQuery({
    prompt: gate.items,
    options: withToolServers(sdk, options, toolServers ?? []),
    silences: meansToShadow === true ? ['CLAUDE_SDK_CAN_USE_TOOL_SHADOWED'] : [],
  });
  return {
    query,
    initialized: async () => void (await query.initializationResult()),
    getSettings: async () => ((await query.request('get_settings')) ?? {}) as JsonObject,
    interrupt: () => query.interrupt(),
    endInput: gate.end,
    close: async () => {
      gate.end();
      await end();
    },
    [Symbol.asyncIterator]: () => query[Symbol.asyncIterator](),
  };
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
        // A schema that takes everything: the bridge checks arguments itself, so that errors are worded once.
        inputSchema: {
          '~standard': {
            version: 1,
            vendor: 'claudewire',
            validate: (value: unknown) => ({ value }),
            jsonSchema: { input: () => tool.inputSchema },
          },
        },
        _meta: tool._meta,
        handler: async (args: JsonObject, extra: ToolCallExtra) => ({
          ...(await tool.call(args, extra)),
        }),
      })),
    }),
  ]);
  return { ...options, mcpServers: { ...options.mcpServers, ...Object.fromEntries(own) } };
}

/** The same items, until `end()`: whoever waits for the next one then gets the end. */
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
