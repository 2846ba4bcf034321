/** A contender made of a package with the surface of the official SDK. Both packages run through this one file. */

/**
 * @param importSdk - Resolves to the package.
 * @param importParts - Resolves to `{ z, McpServer }` for the runs with in-process tools.
 */
export function createSdkContender(importSdk, importParts) {
  let sdk;
  let parts;
  return {
    async load(needs) {
      sdk = await importSdk();
      if (needs.tools) parts = await importParts();
    },

    open(work) {
      const abortController = work.abortController ?? new AbortController();
      const { canUseTool, hook, tool, cli } = work;
      const isScript = cli.script !== undefined;
      const query = sdk.query({
        prompt: work.prompt,
        options: {
          abortController,
          pathToClaudeCodeExecutable: cli.script ?? cli.file,
          ...(isScript && { executable: cli.file }),
          env: cli.env,
          settingSources: [],
          ...(canUseTool && { canUseTool: async (name, input) => canUseTool(name, input) }),
          ...(hook && { hooks: { PreToolUse: [{ hooks: [async (input) => hook(input)] }] } }),
          ...(tool && { mcpServers: { calc: serverOf(sdk, parts, tool, work.viaInstance) } }),
        },
      });
      return {
        done: consume(query, work.onMessage, abortController.signal),
        setModel: (model) => query.setModel(model),
        abort: () => abortController.abort(),
      };
    },
  };
}

async function consume(query, onMessage, signal) {
  try {
    for await (const message of query) {
      const step = onMessage(message);
      if (step === true) break;
      // A plain message must not cost a promise.
      if (step !== undefined) await step;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function serverOf(sdk, { z, McpServer }, add, viaInstance) {
  const description = 'Adds two numbers';
  const shape = { a: z.number(), b: z.number() };
  const handler = async (args) => ({ content: [{ type: 'text', text: add(args) }] });
  if (!viaInstance) {
    const tools = [sdk.tool('add', description, shape, handler)];
    return sdk.createSdkMcpServer({ name: 'calc', tools });
  }
  const instance = new McpServer({ name: 'calc', version: '1.0.0' });
  instance.registerTool('add', { description, inputSchema: shape }, handler);
  return { type: 'sdk', name: 'calc', instance };
}
