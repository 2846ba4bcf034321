import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ConformanceData } from '../../src/data/conformance-data.js';
import { loadData } from '../../src/data/load-data.js';
import { type RunSuiteOptions, runSuite } from '../../src/runner/run-suite.js';
import { HELLO, PLAYER, WRONG_DRIVER } from './helpers.js';

const SCHEMAS = fileURLToPath(new URL('../../schemas', import.meta.url));

let dir: string;
let data: ConformanceData;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-data-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  write('package.json', { name: 'claudewire-conformance', version: '1.2.0' });
  for (let level = 0; level <= 8; level += 1) {
    const requirements = [{ id: `L${level}-01`, party: 'host', text: 'The host MUST.', source: [] }];
    write(`requirements/L${level}.json`, { level: `L${level}`, title: 'T', requirements });
  }
  scenario('l0-first', 'L0');
  scenario('l1-needs-more', 'L1', ['client']);
  scenario('l2-last', 'L2');
  cpSync(SCHEMAS, join(dir, 'schemas'), { recursive: true });
  data = loadData(dir);
});

function write(path: string, value: object): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), JSON.stringify(value));
}

function scenario(name: string, level: string, features: readonly string[] = ['query']): void {
  const header = { scenario: name, version: 1, level, requirements: [`${level}-01`], features };
  const file = join(dir, 'scenarios', level, `${name}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, [header, ...HELLO].map((line) => JSON.stringify(line)).join('\n'));
}

/** A driver that writes a line into a file as it starts, and then is what `mode` says. */
function counted(mode: string): RunSuiteOptions['command'] {
  const file = join(dir, 'starts.mjs');
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(join(dir, 'starts'))}, 'x');\nawait import(${JSON.stringify(WRONG_DRIVER)});\n`,
  );
  return [process.execPath, file, mode];
}
const starts = (): number => readFileSync(join(dir, 'starts'), 'utf8').length;

const run = (mode: string, options: Partial<RunSuiteOptions> = {}) =>
  runSuite({ data, command: counted(mode), player: PLAYER, jobs: 1, ...options });
const short = ({ results }: Awaited<ReturnType<typeof run>>) =>
  results.map(({ scenario: name, status }) => `${name} ${status}`);

describe('a suite', () => {
  test('runs every scenario in the order of the data, through one driver', async () => {
    const suite = await run('ok');
    expect(short(suite)).toEqual(['l0-first passed', 'l1-needs-more unsupported', 'l2-last passed']);
    expect(suite).toMatchObject({ name: 'wrong', hello: { sdk: 's', version: '0' } });
    expect(starts()).toBe(1);
  });

  test('replaces the driver for every scenario when asked to', async () => {
    await run('ok', { fresh: true });
    expect(starts()).toBe(3);
  });

  test('replaces the driver after a failure', async () => {
    expect(short(await run('changes-messages'))).toEqual([
      ...['l0-first failed', 'l1-needs-more unsupported', 'l2-last failed'],
    ]);
    expect(starts()).toBe(2);
  });

  test('holds nothing against an SDK that the small host of a template fails (K-1)', async () => {
    const suite = await run('changes-messages', {
      command: [process.execPath, WRONG_DRIVER, 'changes-messages', 'mini-host'],
    });
    expect(short(suite)).toEqual(['l0-first unsupported', 'l1-needs-more unsupported', 'l2-last unsupported']);
    expect(suite.results[0]).toMatchObject({
      missing: ['an SDK'],
      reason: expect.stringMatching(
        /^`mini-host` stands in for an SDK, and cannot do this: .* Put your SDK in its place/s,
      ),
    });
    expect(suite.results[0]).not.toHaveProperty('stderr');
  });

  test('gives every lane a driver of its own', async () => {
    expect(short(await run('ok', { jobs: 2 }))).toHaveLength(3);
    expect(starts()).toBe(2);
  });

  test('plays others beside those that wait in vain, when no number of jobs is given', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `l0-${letter}`);
    for (const name of names) scenario(name, 'L0');
    data = loadData(dir);
    const file = join(dir, 'open');
    // Says when it is asked, and answers nothing.
    const silent = join(dir, 'silent.mjs');
    writeFileSync(
      silent,
      `import { appendFileSync } from 'node:fs';
       console.log(JSON.stringify({ event: 'hello', protocol: 1, driver: 'd', sdk: 's', version: '0', language: 'js', features: ['query'] }));
       process.stdin.once('data', () => appendFileSync(${JSON.stringify(file)}, 'x'));`,
    );
    const ended: number[] = [];
    const suite = await runSuite({
      data,
      command: [process.execPath, silent],
      player: PLAYER,
      // 4.4 s each: long enough to be a wait, and for others to begin meanwhile.
      timeoutFactor: 0.4,
      onResult: ({ status }) => {
        if (status !== 'unsupported') ended.push(readFileSync(file, 'utf8').length - ended.length);
      },
    });
    expect(suite.results.filter(({ status }) => status === 'failed')).toHaveLength(7);
    // Two lanes alone never have more than two under way.
    expect(Math.max(...ended)).toBeGreaterThan(2);
  });

  test('stops at the first failure when asked to', async () => {
    expect(short(await run('lies', { bail: true }))).toEqual(['l0-first failed']);
  });

  test('starts nothing after an abort', async () => {
    const aborter = new AbortController();
    const suite = await run('ok', { signal: aborter.signal, onResult: () => aborter.abort() });
    expect(short(suite)).toEqual(['l0-first passed']);
  });

  test('tries a driver that never says hello twice, and says so for every scenario', async () => {
    const suite = await run('talks-first', { name: 'mine' });
    expect(short(suite)).toEqual([...['l0-first driver_error', 'l1-needs-more driver_error', 'l2-last driver_error']]);
    expect(suite).toMatchObject({ name: 'mine', hello: undefined });
    const why = 'the driver wrote a line that is no JSON object: Starting up...';
    expect(suite.results.map(({ reason }) => reason)).toEqual([why, why, why]);
    expect(suite.fault).toBe(why);
    expect(starts()).toBe(2);
  });

  test('does not play a driver whose hello has a feature that is not known', async () => {
    const suite = await run('misspelt');
    const why = 'the driver says in its hello that it has a feature that the suite does not know: "hook"';
    expect(suite.fault).toBe(`${why} (did you mean "hooks"?)`);
    expect(short(suite)).toEqual([...['l0-first driver_error', 'l1-needs-more driver_error', 'l2-last driver_error']]);
    expect(suite.hello).toMatchObject({ sdk: 's' });
    expect(starts()).toBe(1);
  });

  test('says how many scenarios were not run, and why', async () => {
    const aborter = new AbortController();
    const stopped = await run('ok', { signal: aborter.signal, onResult: () => aborter.abort() });
    expect(stopped.notRun).toEqual({ scenarios: 2, reason: 'the run was stopped' });
    expect((await run('lies', { bail: true })).notRun).toMatchObject({ scenarios: 2 });
    expect((await run('ok')).notRun).toBeUndefined();
  });

  test('gives a driver an empty home directory, and nothing that configures a CLI', async () => {
    const file = join(dir, 'shows-env.mjs');
    writeFileSync(
      file,
      `import { readdirSync, writeFileSync } from 'node:fs';
       const { HOME, CLAUDE_CONFIG_DIR, ANTHROPIC_API_KEY } = process.env;
       writeFileSync(${JSON.stringify(join(dir, 'env'))}, JSON.stringify([HOME, readdirSync(HOME), CLAUDE_CONFIG_DIR, ANTHROPIC_API_KEY]));`,
    );
    process.env.CLAUDE_CONFIG_DIR = '/x';
    onTestFinished(() => {
      delete process.env.CLAUDE_CONFIG_DIR;
    });
    await runSuite({ data, command: [process.execPath, file], player: PLAYER });
    const [home, files, ...others] = JSON.parse(readFileSync(join(dir, 'env'), 'utf8')) as unknown[];
    expect(home).not.toBe(process.env.HOME);
    expect([files, ...others]).toEqual([[], null, null]);
  });
});
