/** What several questions to a port have in common. */

export const ECHO = {
  blocks: [{ type: 'tool_use', name: 'Bash', input: { command: 'echo out', description: 'Print a word' } }],
};
export const TOUCH = {
  blocks: [{ type: 'tool_use', name: 'Bash', input: { command: 'touch made.txt', description: 'Make a file' } }],
};
export const NOW = { blocks: [{ type: 'tool_use', name: 'mcp__clock__now', input: {} }] };

const now = {
  name: 'now',
  description: 'Says the time.',
  inputSchema: { type: 'object', properties: {} },
  handler: { $callback: 'now' },
};

/** An in-process server with a tool that takes nothing. */
export const clock = {
  options: {
    allowedTools: ['mcp__clock__now'],
    mcpServers: { clock: { $server: { version: '1.0.0', tools: [now] } } },
  },
  callbacks: { now: { returns: [{ content: [{ type: 'text', text: 'noon' }] }] } },
};

/** The callback `hook` for each of these events; Bash needs no permission. */
export const hooksOf = (...events) => ({
  hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [{ $callback: 'hook' }] }]])),
  allowedTools: ['Bash'],
});
