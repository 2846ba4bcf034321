/** `@anthropic-ai/claude-agent-sdk` as installed in `BENCH_OFFICIAL`, with its own zod and MCP SDK. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSdkContender } from './sdk.mjs';

const folder = process.env.BENCH_OFFICIAL;
const require = createRequire(join(folder, 'package.json'));

export const { load, open } = createSdkContender(
  () => {
    const own = join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk');
    const { main } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    return import(pathToFileURL(join(own, main)));
  },
  async () => ({ z: require('zod').z, McpServer: require('@modelcontextprotocol/sdk/server/mcp.js').McpServer }),
);
