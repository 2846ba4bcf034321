/** The built package, at `BENCH_DIST`. */
import { pathToFileURL } from 'node:url';
import { createSdkContender } from './sdk.mjs';

export const { load, open } = createSdkContender(
  () => import(pathToFileURL(`${process.env.BENCH_DIST}/index.js`)),
  async () => ({
    z: (await import('zod')).z,
    McpServer: (await import('@modelcontextprotocol/sdk/server/mcp.js')).McpServer,
  }),
);
