import { expect, test } from 'vitest';
import { plan } from '../../rows/launch-row.js';

const ask = async () => null;

test('shadowing is told at every call and names the tools once each', () => {
  const { warnings } = plan({
    canUseTool: ask,
    allowedTools: ['Bash', 'Read', 'Bash', 'Edit(/x)'],
  });
  expect(warnings).toEqual([
    {
      code: 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED',
      type: 'Warning',
      once: false,
      message: 'canUseTool is not asked about tools that allowedTools allows: Bash, Read.',
    },
  ]);
});

test('TS-059: the deprecation is told once in the life of the process', () => {
  const { warnings } = plan({
    mcpServers: { a: { command: 'x' } },
    pathToClaudeCodeExecutable: '/claude',
  });
  expect(warnings).toEqual([
    expect.objectContaining({
      code: 'CLAUDE_SDK_MCP_SERVERS_ARGV_DEPRECATED',
      type: 'DeprecationWarning',
      once: true,
    }),
  ]);
});

test('TS-059: servers in a private file are not on the command line, so there is nothing to warn of', () => {
  const { warnings, files } = plan({
    mcpServers: { a: { command: 'x', env: { TOKEN: 'secret' } } },
    pathToClaudeCodeExecutable: '/claude',
  });
  expect(files).toHaveLength(1);
  expect(warnings).toEqual([]);
});
