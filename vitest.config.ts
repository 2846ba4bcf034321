import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Where tests are. */
export const ALL = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const entry = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Tests of the web pages in a real browser: `npm run test:page`. */
const PAGE = ['packages/{server,viewer}/test/page/**/*.test.ts'];
/** Tests that start Redis, PostgreSQL or S3: `npm run test:services`. */
const SERVICES = ['packages/{stores,bullmq}/test/services/**/*.test.ts'];
/** Tests behind nginx and HAProxy: `npm run test:proxies`. */
const PROXIES = ['packages/server/test/proxies/**/*.test.ts'];
const NEVER = ['test/live/**', '**/node_modules/**'];

/**
 * Tests that start real processes for seconds, put load on the machine, or change or count what the whole process has
 * (directory, user, descriptors): `npm run test:processes`. A folder, or the end of a file's path. So a file stays in its
 * stage when its folder moves.
 */
export const PROCESSES = [
  'test/adapter/process',
  'packages/cli/test',
  'packages/conformance/test/bin',
  'test/faults',
  'test/stress',
  'adapter/workspace/escapes.test.ts',
  'adapter/workspace/write-back-crash.test.ts',
  'backlog/session.test.ts',
  'stores/test/built-entries.test.ts',
  'stores/test/hostile-input.test.ts',
  'test/build.test.ts',
  'player/launcher.test.ts',
  'player/steps.test.ts',
  'player/verdict.test.ts',
  'examples.test.ts',
  'floods.test.ts',
  'flow-control.test.ts',
  'parking-directory.test.ts',
  'query-endings.test.ts',
  'query/hostile-input.test.ts',
  'recipes.test.ts',
  'record-once.test.ts',
  'otel/test/endings.test.ts',
  'runner/run-scenario.test.ts',
  'runner/run-suite.test.ts',
  'runner/wrong-driver.test.ts',
  'sandbox-guard.test.ts',
  'scripted-cli.test.ts',
  'session-cases.test.ts',
  'session-log.test.ts',
  'session-property.test.ts',
  'server/test/host/stopped-process.test.ts',
  'transcripts/unreadable.test.ts',
  'transport/descriptors.test.ts',
  'viewer/test/command/view.test.ts',
  'viewer/test/source-hostile.test.ts',
];

/**
 * Tests that count what the whole process has, or leave something in it. They and all files that replace modules have a
 * worker of their own. All others share the modules of their worker: loading them for each file was a third of the time of
 * `npm test`. Those that replace the clock share with each other only: they count timers, and one of a process that is
 * still leaving would count.
 */
export const ALONE = [
  'isolation/placeholders.test.ts',
  'query/stored-session/sweep.test.ts',
  'testing/hostile-arguments.test.ts',
  'transport/host-exit.test.ts',
  'transport/private-files.test.ts',
];
const REPLACES_MODULES = /\bvi\.(?:mock|doMock|hoisted|resetModules)\(/;
const REPLACES_CLOCK = /\bvi\.useFakeTimers\(/;

const filesWith = (pattern: RegExp): string[] =>
  ['test', ...readdirSync(entry('packages')).map((name) => `packages/${name}/test`)]
    .filter((folder) => existsSync(entry(folder)))
    .flatMap((folder) => readdirSync(entry(folder), { recursive: true, encoding: 'utf8' }).map((f) => `${folder}/${f}`))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .filter((file) => pattern.test(readFileSync(entry(file), 'utf8')));

const globsOf = (places: readonly string[]): string[] =>
  places.map((place) => (place.endsWith('.ts') ? `**/${place}` : `${place}/**/*.test.ts`));

/** Packages import the entry points of claudewire; their tests run on the source. */
export const ENTRIES = [
  { find: /^claudewire$/, replacement: entry('src/index.ts') },
  { find: /^claudewire\/adapter$/, replacement: entry('src/adapter/index.ts') },
  { find: /^claudewire\/testing$/, replacement: entry('src/testing/index.ts') },
  { find: /^claudewire-server$/, replacement: entry('packages/server/src/index.ts') },
  { find: /^claudewire-server\/testing$/, replacement: entry('packages/server/src/testing.ts') },
  { find: /^claudewire-otel$/, replacement: entry('packages/otel/src/index.ts') },
  { find: /^claudewire-otel\/ledger$/, replacement: entry('packages/otel/src/ledger/index.ts') },
  { find: /^claudewire-viewer$/, replacement: entry('packages/viewer/src/index.ts') },
];

const NOT_FAST = [...NEVER, ...PAGE, ...SERVICES, ...PROXIES, ...globsOf(PROCESSES)];
const alone = [...globsOf(ALONE), ...filesWith(REPLACES_MODULES)];
const clock = filesWith(REPLACES_CLOCK);

/** Tests whose files share a worker. None may leave a clock, a spy or a variable to the next one. */
const SHARED = {
  pool: 'threads' as const,
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  setupFiles: ['test/helpers/real-clock.ts'],
};

export default defineConfig({
  resolve: { alias: ENTRIES },
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/fail-on-warnings.ts', 'test/helpers/property-seed.ts'],
    // A test waits for events. These bounds only end a test that hangs, so they leave room for a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    // Else a title made of `$name` ends after 40 characters, and the id of its row, which comes last, is lost.
    chaiConfig: { truncateThreshold: 300 },
    // Two cores are the machine we promise to be fast on; more workers only make process tests noisy.
    maxWorkers: 2,
    projects: [
      // A worker thread starts in half the time that a process takes.
      { extends: true, test: { ...SHARED, name: 'fast', include: ALL, exclude: [...NOT_FAST, ...alone, ...clock] } },
      { extends: true, test: { ...SHARED, name: 'clock', include: clock, exclude: [...NOT_FAST, ...alone] } },
      { extends: true, test: { name: 'alone', pool: 'threads', include: alone, exclude: NOT_FAST } },
      { extends: true, test: { name: 'processes', include: globsOf(PROCESSES), exclude: NEVER } },
      { extends: true, test: { name: 'page', include: PAGE, exclude: NEVER } },
      { extends: true, test: { name: 'proxies', include: PROXIES, exclude: NEVER } },
      { extends: true, test: { name: 'services', include: SERVICES, exclude: NEVER } },
    ],
  },
});
