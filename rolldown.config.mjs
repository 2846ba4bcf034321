import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { compileEarly, keepRequire, nodeNames, withoutBareRuntime } from './scripts/bundler-plugins.mjs';

const resolve = (file) => fileURLToPath(new URL(file, import.meta.url));

/** What all outputs share. Nothing is minified but what is a program alone, and functions and classes keep their names. */
const shared = {
  platform: 'node',
  external: /^(?!\.|\/|[a-z]:\\|claudewire(?:\/testing)?$)/i, // Packages are dependencies, never copies.
  resolve: { alias: { 'claudewire/testing': resolve('src/testing/index.ts'), claudewire: resolve('src/index.ts') } },
  // An import that nothing uses goes, also one of a module of Node: a browser has none.
  treeshake: { moduleSideEffects: 'no-external' },
  transform: { target: 'node20.19' },
  checks: { bundlerTimings: false }, // A note on a busy machine, and not on others.
  experimental: { attachDebugInfo: 'none' }, // Names of files between the functions: the maps have them.
};
const output = {
  chunkFileNames: 'chunks/[name]-[hash].js',
  sourcemap: true, // With the TypeScript in them, for debuggers and `node --enable-source-maps`.
  keepNames: true,
  minifyInternalExports: false,
  comments: { jsdoc: false, annotation: false }, // JSDoc is in the declarations; bundlers know that `new Set` is pure.
};

/** Entry points that share code. The viewer is a package of its own, which imports ours. */
const input = {
  index: 'src/index.ts',
  core: 'src/core.ts',
  'adapter/index': 'src/adapter/index.ts',
  'testing/index': 'src/testing/index.ts',
  'tool-types/index': 'src/tool-types/index.ts',
  'bin/claudewire': 'packages/cli/src/claudewire.ts',
  viewer: 'packages/viewer/src/command/index.ts',
};

/** One file that shares no code with the others. */
const standalone = (entryFileNames, input, { platform = 'node', isProgram = false } = {}) => ({
  ...shared,
  platform,
  plugins: isProgram ? [] : [nodeNames],
  input,
  output: { ...output, ...(isProgram && { sourcemap: false, minify: true }), entryFileNames, codeSplitting: false },
});

export default defineConfig([
  { ...shared, plugins: [compileEarly, keepRequire, withoutBareRuntime, nodeNames], input, output },
  standalone('bridge.js', 'src/bridge.ts'),
  standalone('extract.js', 'src/extract.ts'),
  // Must not share files that import modules of Node.
  standalone('browser.js', 'src/browser.ts', { platform: 'browser' }),
  // Programs that other programs start, in any language. Nobody steps through them.
  standalone('player.mjs', 'packages/cli/src/replay/main.ts', { isProgram: true }),
  standalone('recorder.mjs', 'packages/cli/src/record/main.ts', { isProgram: true }),
]);
