/**
 * What `load-now.ts` loads. A file of CommonJS: tracers take the CommonJS build of a package only for a `require` in such
 * a file, and bundlers follow no other. Each name is written out, because they read the file without running it.
 */
module.exports = {
  '@modelcontextprotocol/sdk/server/mcp.js': () => require('@modelcontextprotocol/sdk/server/mcp.js'),
  '@modelcontextprotocol/sdk/server/zod-compat.js': () => require('@modelcontextprotocol/sdk/server/zod-compat.js'),
  '@modelcontextprotocol/sdk/server/zod-json-schema-compat.js': () =>
    require('@modelcontextprotocol/sdk/server/zod-json-schema-compat.js'),
  ajv: () => require('ajv'),
  'ajv/dist/2019.js': () => require('ajv/dist/2019.js'),
  'ajv/dist/2020.js': () => require('ajv/dist/2020.js'),
  'ajv-formats': () => require('ajv-formats'),
  'zod/v4/core': () => {
    // zod is optional. Outside of a `try`, a bundler that does not find it gives up.
    try {
      return require('zod/v4/core');
    } catch (cause) {
      throw new Error('zod is not installed', { cause });
    }
  },
};
