import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidOptionError } from 'claudewire';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildTools } from '../../scripts/build-tools.mjs';
import { parseDriver } from '../../src/bin/run-arguments.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const RAW = `raw="${process.execPath}" packages/conformance/drivers/raw/driver.mjs`;
const GO = 'packages/conformance/baselines/go.json';
const PART = ['--data', 'packages/conformance', '--filter', 'l3-set-model'];

let program: string;
let dir: string;
beforeAll(() => {
  program = join(buildTools(join(root, '.build', 'conformance-command')).dist, 'bin/claudewire-conformance.js');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-conformance-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'run', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('claudewire-conformance run', () => {
  test('plays the scenarios that fit, and writes its reports', () => {
    const [json, junit, html] = ['r.json', 'r.xml', 'r.html'].map((name) => join(dir, name));
    const said = run(
      ...['--driver', RAW, '--driver', RAW.replace('raw=', 'again='), ...PART, '--verbose'],
      ...['--json', json ?? '', '--junit', junit ?? '', '--html', html ?? ''],
    );
    expect(said.stdout).toMatch(/^passed {7}l3-set-model \d+ ms$/m);
    expect(said.stdout).toMatch(/^raw \(none 1, javascript\): \d scenarios? in/m);
    expect(said.stdout).toMatch(/^ {2}L3-11 +pass +pass/m);
    expect(said.stdout).toMatch(/as expected\n$/);
    expect(said.status).toBe(0);
    const { drivers } = JSON.parse(readFileSync(json ?? '', 'utf8')) as { drivers: object[] };
    expect(drivers).toMatchObject([{ name: 'raw' }, { name: 'again' }]);
    expect(readFileSync(junit ?? '', 'utf8')).toContain('name="l3-set-model"');
    expect(readFileSync(html ?? '', 'utf8')).toContain('<h1>Conformance of 2 SDKs</h1>');
  });

  test('fails when an expected failure passes', () => {
    const baseline = join(dir, 'baseline.json');
    writeFileSync(baseline, '{"driver":"raw","expected":{"l3-set-model":"not done yet"}}');
    const said = run('--driver', RAW, ...PART, '--baseline', baseline);
    expect(said.stdout).toMatch(
      /not as expected:\n {2}raw: l3-set-model: in the baseline, and is passed now\. Take it out\n$/,
    );
    expect(said.status).toBe(1);
  });

  test('fails when a driver does not start', () => {
    const said = run('--driver', '/does/not/exist', ...PART);
    expect(said.stdout).toContain('could not be started');
    expect(said.status).toBe(1);
  });

  test('fails when a driver can do nothing, and when a required level is not whole', () => {
    const driver = join(dir, 'none.mjs');
    writeFileSync(
      driver,
      `console.log('{"event":"hello","protocol":1,"driver":"d","sdk":"s","version":"0","language":"js","features":[]}');
       process.stdin.resume();`,
    );
    const said = run('--driver', `mine="${process.execPath}" "${driver}"`, ...PART, '--require', 'L3,L2');
    expect(said.stdout).toContain('  mine: L3 is required, and 1 scenario of it cannot be run: l3-set-model (');
    expect(said.stdout).toContain('  mine: L2 is required, and no scenario of it was judged\n');
    expect(said.stdout).toContain('  mine: nothing was judged, so nothing is known about the SDK: the driver');
    expect(said.status).toBe(1);
  });

  test('lists the scenarios', () => {
    const { stdout, status } = run('--list', '--data', 'packages/conformance', '--filter', 'L3-11');
    expect(stdout).toMatch(/^L3 {2}l3-set-model {2}\(.*L3-11.*\) {2}\w/m);
    expect(status).toBe(0);
  });

  test.for<[args: readonly string[], said: string]>([
    [PART, 'error: name a driver: --driver COMMAND\n'],
    [['--driver', 'x', '--data', 'src'], 'is not a folder of conformance data'],
    [['--driver', 'x', ...PART, '--level', 'L9'], 'error: --level: expected one of L0, L1,'],
    [['--driver', 'x', ...PART, '--require', 'L0,L9'], 'error: --require: expected one of L0, L1,'],
    ...['0', '1.5', '-1', 'two', '1e3', ''].map((jobs): [string[], string] => [
      ['--driver', 'x', ...PART, '--jobs', jobs],
      `error: --jobs: expected a whole number above 0, found "${jobs}"`,
    ]),
    [
      ['--driver', 'x', ...PART, '--timeout-factor', '0'],
      'error: --timeout-factor: expected a number above 0, found "0"',
    ],
    [['--driver', 'x', '--data', 'packages/conformance', '--filter', 'l9-'], 'error: no scenario fits'],
    [['--driver', 'x', ...PART, '--baseline', '/no'], 'error: baseline /no cannot be read'],
    [
      ['--driver', 'x', ...PART, '--baseline', GO],
      'error: --baseline: it is for "go", and no driver has that name: --driver go=COMMAND\n',
    ],
    [['--driver', 'go=x', ...PART, '--baseline', GO, '--baseline', GO], 'error: --baseline: there are two for "go"\n'],
    [['--driver', 'a=x', '--driver', 'a=y', ...PART], 'error: --driver: there are two for "a"\n'],
    [['--driver', 'python "my driver.py', ...PART], 'error: --driver: expected a closing quote in'],
    ...['json', 'junit', 'html'].flatMap((option): [string[], string][] => [
      [
        ['--driver', 'x', ...PART, `--${option}`, '/does/not/exist'],
        `error: --${option}: /does/not/exist cannot be written\n`,
      ],
      [['--driver', 'x', ...PART, `--${option}`, '/'], `error: --${option}: / cannot be written`],
    ]),
  ])('refuses %j', ([args, said]) => {
    const { status, stderr } = run(...args);
    expect(stderr).toContain(said);
    expect(status).toBe(2);
  });
});

/** Starts a CLI in a group of its own, and never answers; neither listens to signals or to the end of its input. */
const STUBBORN = `
import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
process.on('SIGTERM', () => {});
setInterval(() => {}, 60_000);
console.log(JSON.stringify({ event: 'hello', protocol: 1, driver: 'd', sdk: 's', version: '0', language: 'js', features: ['query-stream', 'query:close'] }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { command, cli } = JSON.parse(line);
  if (command !== 'start') return;
  const child = spawn(cli, [], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write('{"type":"user","message":{"role":"user","content":"Go."}}\\n');
  child.stdout.on('data', (data) => {
    if (!String(data).includes('Before it.')) return;
    writeFileSync('pids.part', process.pid + ' ' + child.pid);
    renameSync('pids.part', 'pids');
  });
});
`;

describe('a stop in the middle of a scenario', () => {
  const kinds: [string, NodeJS.Signals[], number[]][] = [
    ['Ctrl-C', ['SIGINT'], [130]],
    ['SIGTERM', ['SIGTERM'], [143]],
    // Of two that are pending at once either may be delivered first.
    ['a second one, which does not wait', ['SIGINT', 'SIGTERM'], [130, 143]],
  ];
  test.for(kinds)('%s ends what was started at once, and leaves no folder', async (kind) => {
    const [, signals, codes] = kind;
    writeFileSync(join(dir, 'driver.mjs'), STUBBORN);
    const temp = join(dir, 'temp');
    mkdirSync(temp);
    const child = spawn(
      process.execPath,
      [
        ...[program, 'run', '--driver', 'node driver.mjs', '--keep'],
        ...['--data', join(root, 'packages/conformance'), '--filter', 'l7-close-sigkill'],
        ...['--json', 'r.json', '--junit', 'r.xml', '--html', 'r.html'],
      ],
      { cwd: dir, env: { ...process.env, TMPDIR: temp }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const pidFile = join(dir, 'pids');
    await expect.poll(() => existsSync(pidFile)).toBe(true);
    const pids = readFileSync(pidFile, 'utf8').split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    for (const signal of signals) child.kill(signal);
    const [status] = (await once(child, 'exit')) as [number | null];
    expect(codes).toContain(status);
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
    expect(readdirSync(temp)).toEqual([]);
    // A second stop does not wait for anything.
    if (signals.length > 1) return;
    const [json = '', junit, html] = ['r.json', 'r.xml', 'r.html'].map((name) => readFileSync(join(dir, name), 'utf8'));
    expect(JSON.parse(json)).toMatchObject({
      complete: false,
      drivers: [{ notRun: { scenarios: 1, reason: 'the run was stopped' } }],
    });
    expect(junit).toContain('<error message="1 scenario was not run: the run was stopped">');
    expect(html).toContain('<b>Incomplete.</b>');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A dead process whose parent is gone stands there until somebody collects it.
    const stat = `/proc/${pid}/stat`;
    return !(existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8')));
  } catch {
    return false;
  }
}

describe('a driver', () => {
  test.for<[text: string, name: string | undefined, command: readonly string[]]>([
    ['node driver.mjs', undefined, ['node', 'driver.mjs']],
    ['mine=node "my driver.mjs" --a=b', 'mine', ['node', 'my driver.mjs', '--a=b']],
    ['./driver --sdk=x', undefined, ['./driver', '--sdk=x']],
    ['["a b","c"]', undefined, ['a b', 'c']],
    ['py=["a b"]', 'py', ['a b']],
    [`"it's" '"'`, undefined, ["it's", '"']],
    ["a 'b c' $HOME `x` ;d", undefined, ['a', 'b c', '$HOME', '`x`', ';d']],
  ])('%s', ([text, name, command]) => {
    expect(parseDriver(text)).toEqual({ name, command });
  });

  test.for(['', '"a', "a 'b", 'a"', `"it's" '`, '[]', '[1]', '["a"', 'x=[]'])('%j is none', (text) => {
    expect(() => parseDriver(text)).toThrow(InvalidOptionError);
  });
});
