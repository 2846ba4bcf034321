import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { writePrivateFiles } from '../../src/transport/private-files.js';

describe('private files', () => {
  test('only this user can read them, and their names end as asked', () => {
    const files = writePrivateFiles([
      { name: 'mcp-config.json', content: '{"key":"sécret"}' },
      { name: 'settings.json', content: '{}' },
    ]);
    const [config = '', settings = ''] = files.paths;
    expect(readFileSync(config, 'utf8')).toBe('{"key":"sécret"}');
    expect([config, settings].map((path) => basename(path))).toEqual(['0-mcp-config.json', '1-settings.json']);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(config)).mode & 0o777).toBe(0o700);
    files.remove();
    expect(existsSync(dirname(config))).toBe(false);
  });

  test.skipIf(process.platform === 'win32')('their paths are absolute, also below a relative TMPDIR', () => {
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    vi.stubEnv('TMPDIR', relative(process.cwd(), folder));
    const files = writePrivateFiles([{ name: 'a.json', content: '{}' }]);
    vi.unstubAllEnvs();
    expect(dirname(dirname(files.paths[0] ?? ''))).toBe(folder);
    files.remove();
    rmSync(folder, { recursive: true });
  });

  test('removing twice is removing once, and leaves no listener', () => {
    const before = process.listenerCount('exit');
    const files = writePrivateFiles([{ name: 'a', content: '' }]);
    expect(process.listenerCount('exit')).toBe(before + 1);
    files.remove();
    files.remove();
    expect(process.listenerCount('exit')).toBe(before);
  });

  test('a file that cannot be written leaves nothing behind', () => {
    const before = process.listenerCount('exit');
    expect(() => writePrivateFiles([{ name: 'no/such/directory', content: '' }])).toThrow('ENOENT');
    expect(process.listenerCount('exit')).toBe(before);
  });
});
