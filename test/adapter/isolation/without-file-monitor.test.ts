import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { withoutFileMonitor } from '../../../src/adapter/isolation/environment.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test('git does not run the file monitor of a repository, and keeps what the caller configures (I-5)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monitor-'));
  folders.push(folder);
  const given = { PATH: process.env.PATH, HOME: folder };
  const git = (env: Readonly<Record<string, string | undefined>>, ...args: string[]) =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  const ran = join(folder, 'ran');
  const monitor = join(folder, 'monitor.sh');
  writeFileSync(monitor, `#!/bin/sh\ntouch '${ran}'\n`);
  chmodSync(monitor, 0o755);
  git(given, 'init', '-q');
  git(given, 'config', 'core.fsmonitor', monitor);
  const own = { ...given, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'c' };
  for (const env of [given, own]) git(withoutFileMonitor(env), 'status');
  expect(existsSync(ran)).toBe(false);
  expect(git(withoutFileMonitor(own), 'config', 'a.b')).toBe('c');
  git(given, 'status');
  expect(existsSync(ran), 'the monitor works').toBe(true);
});
