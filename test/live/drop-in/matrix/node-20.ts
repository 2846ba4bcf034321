import type { Dependent } from './dependent.js';
import { langsmithRuns } from './digests/langsmith.js';
import { ALL_STORIES } from './stories.js';

/** Dependents that run on Node 20. */
export const NODE_20: readonly Dependent[] = [
  {
    packageName: 'langsmith',
    project: 'node-20',
    program: 'langsmith.mjs',
    env: (receiver) => ({
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: receiver,
      LANGSMITH_API_KEY: 'fake',
      LANGSMITH_PROJECT: 'drop-in',
    }),
    digest: langsmithRuns,
    shows: ['run'],
    stories: ALL_STORIES,
    quick: ['tool', 'denied'],
    compared: 'the tree of runs with inputs, outputs, usage and errors',
  },
];
