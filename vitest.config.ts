import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const ALL = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const NEVER = ['test/live/**', '**/node_modules/**'];

/**
 * Tests that start real processes for seconds, or put load on the machine: `npm run test:processes`. A folder, or the end of
 * a file's path. So a file stays in its stage when its folder moves.
 */
export const PROCESSES = [
  'test/adapter/process',
  'test/bin',
  'packages/conformance/test/bin',
  'test/faults',
  'test/stress',
  'adapter/workspace/escapes.test.ts',
  'adapter/workspace/write-back-crash.test.ts',
  'backlog/session.test.ts',
  'player/launcher.test.ts',
  'player/steps.test.ts',
  'player/verdict.test.ts',
  'ending-rows.test.ts',
  'examples.test.ts',
  'floods.test.ts',
  'flow-control.test.ts',
  'python-session-rows.test.ts',
  'query-endings.test.ts',
  'query/hostile-input.test.ts',
  'record-once.test.ts',
  'recorder/recorder.test.ts',
  'runner/run-scenario.test.ts',
  'runner/run-suite.test.ts',
  'runner/wrong-driver.test.ts',
  'scripted-cli.test.ts',
  'session-log.test.ts',
  'session-property.test.ts',
  'rows/session-rows.test.ts',
];

/**
 * Quick tests that need a process of their own: they replace modules, or look at what all modules of a process share, such as
 * the listeners and folders of the process.
 */
export const ISOLATED = [
  'append-line.test.ts',
  'backlog/host-process.test.ts',
  'control/mcp-bridge.test.ts',
  'control/requests.test.ts',
  'evaluate/refusals.test.ts',
  'evaluate/run-edges.test.ts',
  'isolation/ephemeral-home.test.ts',
  'isolation/finished-homes.test.ts',
  'limits/deadline.test.ts',
  'proxy/hostile-clients.test.ts',
  'query/client.test.ts',
  'query/execute-plan.test.ts',
  'query/missing-places.test.ts',
  'query/open-session.test.ts',
  'event-bus.test.ts',
  'startup/parking-directory.test.ts',
  'startup/prewarm.test.ts',
  'store/file-store-trouble.test.ts',
  'stored-session/resume-endings.test.ts',
  'stored-session/sweep.test.ts',
  'testing/virtual-time.test.ts',
  'transport/custom-spawn.test.ts',
  'transport/host-exit.test.ts',
  'transport/private-files.test.ts',
  'transport/subprocess.test.ts',
  'util/stale-directories.test.ts',
  'workspace/after-run.test.ts',
  'workspace/write-back.test.ts',
];

const globsOf = (places: readonly string[]): string[] =>
  places.map((place) => (place.endsWith('.ts') ? `**/${place}` : `${place}/**/*.test.ts`));

const entry = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Packages import the entry points of claudewire; their tests run on the source. */
export const ENTRIES = [
  { find: /^claudewire$/, replacement: entry('src/index.ts') },
  { find: /^claudewire\/testing$/, replacement: entry('src/testing/index.ts') },
];

export default defineConfig({
  resolve: { alias: ENTRIES },
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: [
      'test/helpers/fail-on-warnings.ts',
      'test/helpers/file-reset.ts',
      'test/helpers/property-seed.ts',
    ],
    // A test waits for events. These bounds only end a test that hangs, so they leave room for a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    // Else a title made of `$name` ends after 40 characters, and the id of its row, which comes last, is lost.
    chaiConfig: { truncateThreshold: 300 },
    // Two cores are the machine we promise to be fast on; more workers only make process tests noisy.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        // Files share a worker, so that each module is loaded once and not once for each file.
        test: {
          name: 'fast',
          include: ALL,
          exclude: [...NEVER, ...globsOf([...PROCESSES, ...ISOLATED])],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: globsOf(ISOLATED), exclude: NEVER },
      },
      { extends: true, test: { name: 'processes', include: globsOf(PROCESSES), exclude: NEVER } },
    ],
  },
});
