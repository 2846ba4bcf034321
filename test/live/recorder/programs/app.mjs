// A small application: two messages, a permission, a hook, an in-process tool. Runs over any SDK with the official TypeScript
// surface: `node app.mjs CONFIG`, see support.ts. Prints the results; exits with 1 when the SDK throws.
const config = JSON.parse(process.argv[2]);
const { createSdkMcpServer, query, tool } = await import(config.sdk);
const { z } = await import(config.zod);

const add = tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));

let turnOver = () => {};
async function* prompt() {
  for (const text of config.messages) {
    const over = new Promise((resolve) => {
      turnOver = resolve;
    });
    const content = [{ type: 'text', text }];
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    await over;
  }
}

try {
  const session = query({
    prompt: prompt(),
    options: {
      pathToClaudeCodeExecutable: config.cli,
      cwd: config.cwd,
      env: config.env,
      model: config.model,
      settingSources: [],
      allowedTools: ['mcp__calc'],
      mcpServers: { calc: createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add] }) },
      canUseTool: async (_tool, input) => ({ behavior: 'allow', updatedInput: { ...input, command: config.command } }),
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({ continue: true })] }] },
    },
  });
  for await (const message of session) {
    if (message.type !== 'result') continue;
    console.log(message.result ?? message.subtype);
    turnOver();
  }
} catch (error) {
  console.error(String(error?.message ?? error));
  process.exitCode = 1;
}
