import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseDriver } from '../../src/bin/conformance/run-arguments.js';
import { InvalidOptionError } from '../../src/index.js';
import { buildPackage } from './built-package.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const RAW = `raw="${process.execPath}" conformance/drivers/raw/driver.mjs`;
const PART = ['--data', 'conformance', '--filter', 'l3-set-model'];

let program: string;
let dir: string;
beforeAll(() => {
  program = join(buildPackage('conformance-command'), 'bin/claudewire.js');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-conformance-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'conformance', 'run', ...args],
    { cwd: root, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe('claudewire conformance run', () => {
  test('plays the scenarios that fit, and writes its reports', () => {
    const [json, junit, html] = ['r.json', 'r.xml', 'r.html'].map((name) => join(dir, name));
    const said = run(
      ...['--driver', RAW, '--driver', RAW.replace('raw=', 'again='), ...PART, '--verbose'],
      ...['--json', json ?? '', '--junit', junit ?? '', '--html', html ?? ''],
    );
    expect(said.stdout).toMatch(/^passed {7}l3-set-model \d+ ms$/m);
    expect(said.stdout).toMatch(/^raw \(none 1, javascript\): \d scenarios/m);
    expect(said.stdout).toMatch(/^ {2}L3-11 +pass +pass/m);
    expect(said.stdout).toMatch(/as expected\n$/);
    expect(said.status).toBe(0);
    const { drivers } = JSON.parse(readFileSync(json ?? '', 'utf8')) as { drivers: object[] };
    expect(drivers).toMatchObject([{ name: 'raw' }, { name: 'again' }]);
    expect(readFileSync(junit ?? '', 'utf8')).toContain('name="l3-set-model"');
    expect(readFileSync(html ?? '', 'utf8')).toContain('<td class="passed">');
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

  test('lists the scenarios', () => {
    const { stdout, status } = run('--list', '--data', 'conformance', '--filter', 'L3-11');
    expect(stdout).toMatch(/^L3 {2}l3-set-model {2}\(.*L3-11.*\) {2}\w/m);
    expect(status).toBe(0);
  });

  test.for<[args: readonly string[], said: string]>([
    [PART, 'error: name a driver: --driver COMMAND\n'],
    [['--driver', 'x', '--data', 'src'], 'is not the folder of claudewire-conformance'],
    [['--driver', 'x', ...PART, '--level', 'L9'], 'error: --level: expected one of L0, L1,'],
    [
      ['--driver', 'x', ...PART, '--jobs', '0'],
      'error: --jobs: expected a number above 0, found "0"',
    ],
    [['--driver', 'x', '--data', 'conformance', '--filter', 'l9-'], 'error: no scenario fits'],
    [['--driver', 'x', ...PART, '--baseline', '/no'], 'error: baseline /no cannot be read'],
  ])('refuses %j', ([args, said]) => {
    const { status, stderr } = run(...args);
    expect(stderr).toContain(said);
    expect(status).toBe(2);
  });
});

describe('a driver', () => {
  test.for<[text: string, name: string | undefined, command: readonly string[]]>([
    ['node driver.mjs', undefined, ['node', 'driver.mjs']],
    ['mine=node "my driver.mjs" --a=b', 'mine', ['node', 'my driver.mjs', '--a=b']],
    ['./driver --sdk=x', undefined, ['./driver', '--sdk=x']],
    ['["a b","c"]', undefined, ['a b', 'c']],
    ['py=["a b"]', 'py', ['a b']],
    ["a 'b c' $HOME `x` ;d", undefined, ['a', 'b c', '$HOME', '`x`', ';d']],
  ])('%s', ([text, name, command]) => {
    expect(parseDriver(text)).toEqual({ name, command });
  });

  test.for(['', '[]', '[1]', '["a"', 'x=[]'])('%j is none', (text) => {
    expect(() => parseDriver(text)).toThrow(InvalidOptionError);
  });
});
