import nodeModule, { createRequire } from 'node:module';

interface Packages {
  '@modelcontextprotocol/sdk/server/mcp.js': typeof import('@modelcontextprotocol/sdk/server/mcp.js');
  '@modelcontextprotocol/sdk/server/zod-compat.js': typeof import('@modelcontextprotocol/sdk/server/zod-compat.js');
  '@modelcontextprotocol/sdk/server/zod-json-schema-compat.js': typeof import('@modelcontextprotocol/sdk/server/zod-json-schema-compat.js');
  ajv: typeof import('ajv');
  'ajv/dist/2019.js': typeof import('ajv/dist/2019.js');
  'ajv/dist/2020.js': typeof import('ajv/dist/2020.js');
  'ajv-formats': typeof import('ajv-formats');
  'zod/v4/core': typeof import('zod/v4/core');
}

type Loaders = { readonly [Name in keyof Packages]: () => Packages[Name] };

/**
 * Loads a package synchronously, when it is first needed: a getter and a constructor cannot wait for an `import()`.
 * @throws what `require` throws: the package, or one that it needs, is not installed.
 */
export function loadNow<Name extends keyof Packages>(name: Name): Packages[Name] {
  try {
    return loaders(nodeModule)[name]();
  } catch {
    // A bundle that left the package out, in which a `require` of esbuild cannot load. webpack would warn of a name that
    // is not written out if it knew this function, which it does by its own name alone.
    return nodeModule.createRequire(import.meta.url ?? __filename)(name);
  }
}

/** A static import of that file would cost a tenth of the time that importing claudewire takes. */
function loaders(module: typeof nodeModule): Loaders {
  // CommonJS made by esbuild.
  if (!import.meta.url) return require('./late.cjs');
  // What Node, webpack and Turbopack follow, whatever the build calls the import: in these words, and not in the `try`.
  const own = createRequire(import.meta.url);
  // The same for tracers, which know it by these two names alone.
  const traced = module.createRequire(import.meta.url);
  try {
    return own('./late.cjs');
  } catch {
    // What esbuild, Bun and rolldown follow.
    return typeof require === 'undefined' ? traced('./late.cjs') : require('./late.cjs');
  }
}
