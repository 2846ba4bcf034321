import { expect, test } from 'vitest';
import { createSdkMcpServer } from '../../../src/index.js';
import { plan } from './launch-case.js';

const ask = async () => null;

test('shadowing names the tools once each', () => {
  const { warnings } = plan({ canUseTool: ask, allowedTools: ['Bash', 'Read', 'Bash', 'Edit(/x)'] });
  expect(warnings).toEqual([
    {
      code: 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED',
      type: 'Warning',
      message: 'canUseTool is not asked about tools that allowedTools allows: Bash, Read.',
    },
  ]);
});

const own = createSdkMcpServer({ name: 'any' });
const external = { command: 'x' };
test.each([
  { name: 'a tool of an in-process server', mcpServers: { review: own }, rule: 'mcp__review__report', warns: false },
  { name: 'an in-process server', mcpServers: { review: own }, rule: 'mcp__review', warns: false },
  { name: 'all of its tools', mcpServers: { review: own }, rule: 'mcp__review__*', warns: false },
  { name: 'its name as the CLI writes it', mcpServers: { 'a b': own }, rule: 'mcp__a_b__report', warns: false },
  { name: 'a name that only begins so', mcpServers: { review: own }, rule: 'mcp__reviewer__report', warns: true },
  { name: 'a tool of an external server', mcpServers: { review: external }, rule: 'mcp__review__report', warns: true },
  { name: 'a server of a file', mcpServers: {}, rule: 'mcp__review__report', warns: true },
])('$name in allowedTools beside canUseTool warns: $warns', ({ mcpServers, rule, warns }) => {
  const { warnings } = plan({ canUseTool: ask, allowedTools: [rule], mcpServers });
  expect(warnings.map(({ code }) => code)).toEqual(warns ? ['CLAUDE_SDK_CAN_USE_TOOL_SHADOWED'] : []);
});

test('servers on the command line of an own executable are deprecated (TS-059)', () => {
  const { warnings } = plan({ mcpServers: { a: { command: 'x' } }, pathToClaudeCodeExecutable: '/claude' });
  expect(warnings).toEqual([
    expect.objectContaining({ code: 'CLAUDE_SDK_MCP_SERVERS_ARGV_DEPRECATED', type: 'DeprecationWarning' }),
  ]);
});

test('servers in a private file are not on the command line, so there is nothing to warn of (TS-059)', () => {
  const { warnings, files } = plan({
    mcpServers: { a: { command: 'x', env: { TOKEN: 'secret' } } },
    pathToClaudeCodeExecutable: '/claude',
  });
  expect(files).toHaveLength(1);
  expect(warnings).toEqual([]);
});

test('an in-process server inside an agent: the warning names the agent, the server and the cure (D-6)', () => {
  const { warnings } = plan({
    agents: {
      reviewer: { description: 'd', prompt: 'p', mcpServers: ['named', { notes: createSdkMcpServer({ name: 'n' }) }] },
      tidy: { description: 'd', prompt: 'p', mcpServers: ['named'] },
    },
  });
  expect(warnings).toEqual([
    {
      code: 'CLAUDE_SDK_AGENT_IN_PROCESS_SERVER',
      type: 'Warning',
      message:
        'The agent "reviewer" has the in-process MCP server "notes" in its mcpServers, and Claude Code gets only its name. Put the server into the mcpServers option, and "notes" into the agent.',
    },
  ]);
});
