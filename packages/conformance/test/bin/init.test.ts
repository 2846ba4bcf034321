import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildTools } from '../../scripts/build-tools.mjs';
import { LANGUAGES } from '../../src/init/first-driver.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const DATA = ['--data', join(root, 'packages/conformance')];

let program: string;
let dir: string;
beforeAll(() => {
  program = join(buildTools(join(root, '.build', 'conformance-init')).dist, 'bin/claudewire-conformance.js');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-init-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

function suite(...args: readonly string[]) {
  return spawnSync(process.execPath, [program, ...args, ...DATA], { cwd: dir, encoding: 'utf8' });
}

function isThere(command: string): boolean {
  return spawnSync(command, ['--version']).status === 0;
}

describe('claudewire-conformance init', () => {
  test.each([
    ['typescript', 'node'],
    ['python', 'python3'],
  ])('writes a driver in %s that passes L0 as it is', { timeout: 120_000 }, (language, command) => {
    if (!isThere(command)) return;
    const written = suite('init', language);
    expect(written.stderr).toBe('');
    const [, driver = ''] = /--driver "(.*)" --level L0/.exec(written.stdout) ?? [];
    const { stdout } = suite('run', '--driver', driver, '--level', 'L0');
    expect(stdout).toMatch(/^ {2}all +[1-9]\d* +0 +\d+ +0$/m);
    // Those scenarios are for ports that give the prompt as text.
    expect(stdout).toMatch(/^ {2}unsupported for lack of: query:text \d+$/m);
    expect(stdout).toMatch(/as expected\n$/);
  });

  test('lists the languages', () => {
    const { stdout, status } = suite('init', '--list');
    expect(stdout.split('\n').map((line) => line.split(' ', 1)[0])).toEqual([...Object.keys(LANGUAGES), '']);
    expect(status).toBe(0);
  });

  test('writes a Rust project with the kit, and says how to build it', () => {
    const { stdout, status } = suite('init', 'rust', 'port');
    expect(status).toBe(0);
    expect(stdout).toContain('cd port\n  cargo build\n  claudewire-conformance run');
    expect(existsSync(join(dir, 'port/Cargo.toml'))).toBe(true);
    expect(readdirSync(join(dir, 'port/src')).sort()).toEqual(['driver_kit.rs', 'main.rs', 'mini_host.rs']);
  });

  test('overwrites nothing, and writes nothing beside a file that is there', () => {
    writeFileSync(join(dir, 'driver.py'), 'mine');
    const { stderr, status } = suite('init', 'python');
    expect(stderr).toContain('already has driver.py');
    expect(status).toBe(2);
    expect(readdirSync(dir)).toEqual(['driver.py']);
    expect(readFileSync(join(dir, 'driver.py'), 'utf8')).toBe('mine');
  });

  test.each(['java', 'toString'])('has no kit for %s', (language) => {
    const { stderr, status } = suite('init', language);
    expect(stderr).toContain(`there is no kit for "${language}", only for typescript, python, rust`);
    expect(status).toBe(2);
  });
});
