import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

const resolve = (file) => fileURLToPath(new URL(file, import.meta.url));

/** What all outputs have in common. Nothing is minified, and functions and classes keep their names. */
const shared = {
  platform: 'node',
  // Packages are dependencies of ours, never copies.
  external: /^(?!\.|\/|[a-z]:\\|claudewire(?:\/testing)?$)/i,
  // The viewer is a package of its own, which imports ours.
  resolve: { alias: { 'claudewire/testing': resolve('src/testing/index.ts'), claudewire: resolve('src/index.ts') } },
  // An import that nothing uses goes, also one of a module of Node: the browser has none.
  treeshake: { moduleSideEffects: 'no-external' },
  transform: { target: 'node20.19' },
  // Names of files between the functions: the maps have them.
  experimental: { attachDebugInfo: 'none' },
};
const output = {
  // With the TypeScript in them: a debugger and `node --enable-source-maps` show it. Declaration maps would need `src`
  // in the package as well: 6.6 MB, where 6 MB are allowed.
  sourcemap: true,
  keepNames: true,
  minifyInternalExports: false,
  // The declarations have the documentation.
  comments: { jsdoc: false },
};

/** The helpers have no effect of their own, and esbuild warns its users of each import without a name. Lines stay. */
const withoutBareRuntime = {
  name: 'without-bare-runtime',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/^import "[^"]*rolldown-runtime[^"]*";$/m, '');
    }
  },
};

/** Entry points of the package that share code. */
const entries = {
  ...shared,
  plugins: [withoutBareRuntime],
  input: {
    index: 'src/index.ts',
    core: 'src/core.ts',
    'adapter/index': 'src/adapter/index.ts',
    'testing/index': 'src/testing/index.ts',
    'tool-types/index': 'src/tool-types/index.ts',
    'bin/claudewire': 'packages/cli/src/claudewire.ts',
    viewer: 'packages/viewer/src/command/index.ts',
  },
  output: { ...output, chunkFileNames: 'chunks/[name]-[hash].js' },
};

/** One file that shares no code with the others. */
const standalone = (fileName, input, options = {}, written = {}) => ({
  ...shared,
  ...options,
  input,
  output: { ...output, ...written, entryFileNames: fileName, codeSplitting: false },
});

export default defineConfig([
  entries,
  // Needs little of the rest. In shared files it would take more, and more of them.
  standalone('bridge.js', 'src/bridge.ts'),
  standalone('extract.js', 'src/extract.ts'),
  // Must not share files that import modules of Node.
  standalone('browser.js', 'src/browser.ts', { platform: 'browser' }),
  // Programs that other programs start, in any language. Nobody steps through them.
  standalone('player.mjs', 'packages/cli/src/replay/main.ts', {}, { sourcemap: false }),
  standalone('recorder.mjs', 'packages/cli/src/record/main.ts', {}, { sourcemap: false }),
]);
