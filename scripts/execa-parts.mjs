/**
 * Leaves out of the bundle what `src/transport/subprocess.ts` does not use of execa: synchronous runs, IPC, pipes
 * between processes, transforms, conversions, buffered output, clean-up at exit, texts about signals,
 * logs of `verbose`. That is half of it, and every program that imports claudewire would
 * load it.
 *
 * A name that another release of execa wants and that is missing here ends the build with an error of esbuild.
 */

/** Module of execa to what stands in its place. */
const PARTS = {
  'index.js': `
    import { createExeca } from './lib/methods/create.js';
    export const execa = createExeca(() => ({}));`,
  'lib/methods/main-sync.js': 'export const execaCoreSync = undefined;',
  'lib/methods/template.js': `
    export const isTemplateString = () => false;
    export const parseTemplates = undefined;`,
  'lib/ipc/methods.js': 'export const addIpcMethods = () => {};',
  'lib/ipc/buffer-messages.js': `
    export const waitForIpcOutput = async ({ ipcOutput }) => ipcOutput;
    export const getBufferedIpcOutput = async (promise, ipcOutput) => ipcOutput;`,
  'lib/ipc/graceful.js': 'export const sendAbort = undefined;',
  'lib/pipe/setup.js': 'export const pipeToSubprocess = () => {};',
  'lib/convert/add.js': 'export const addConvertedStreams = () => {};',
  'lib/transform/generator.js': 'export const generatorToStream = undefined;',
  'lib/io/iterate.js': 'export const iterateForResult = undefined;',
  'lib/verbose/start.js': 'export const logCommand = () => {};',
  'lib/verbose/complete.js': 'export const logResult = () => {};',
  'lib/verbose/output.js': `
    export const shouldLogOutput = () => false;
    export const logLines = undefined;`,
};

/** Package to what stands in its place. */
const PACKAGES = {
  'get-stream': `
    export default undefined;
    export const getStreamAsArray = undefined;
    export const getStreamAsArrayBuffer = undefined;
    export class MaxBufferError extends Error {}`,
  '@sindresorhus/merge-streams': 'export default undefined;',
  // A signal is described by its name.
  'human-signals': `
    import { constants } from 'node:os';
    export const signalsByName = Object.fromEntries(
      Object.keys(constants.signals).map((description) => [description, { description }]),
    );`,
  'signal-exit': 'export const onExit = undefined;',
};

export const execaParts = {
  name: 'execa-parts',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]node_modules[\\/]execa[\\/].*\.js$/ }, ({ path }) => {
      const contents = PARTS[path.replaceAll('\\', '/').replace(/^.*\/node_modules\/execa\//, '')];
      return contents && { contents };
    });
    // In a namespace of its own: the package is in no bundle, and its licence need not be.
    onResolve({ filter: /^(@sindresorhus\/)?[a-z-]+$/ }, ({ path }) =>
      Object.hasOwn(PACKAGES, path) ? { path, namespace: 'execa-parts' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'execa-parts' }, ({ path }) => ({ contents: PACKAGES[path] }));
  },
};
