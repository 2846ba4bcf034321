import { describe, expect, test } from 'vitest';
import { configLocation } from '../../src/util/config-folder.js';

describe.runIf(process.platform !== 'win32')('the configuration folder of a CLI (skipped on Windows)', () => {
  test.each([
    { env: { HOME: '/h' }, folder: '/h/.claude', globalFile: '/h/.claude.json' },
    { env: { HOME: '/h', CLAUDE_CONFIG_DIR: '' }, folder: '/h/.claude', globalFile: '/h/.claude.json' },
    { env: { HOME: '/h', CLAUDE_CONFIG_DIR: '/c/' }, folder: '/c', globalFile: '/c/.claude.json' },
    { env: { CLAUDE_CONFIG_DIR: 'c' }, folder: '/w/c', globalFile: '/w/c/.claude.json' },
    { env: { CLAUDE_CONFIG_DIR: '/e\u0301' }, folder: '/\u00e9', globalFile: '/\u00e9/.claude.json' },
  ])('$env', ({ env, folder, globalFile }) => {
    expect(configLocation(env, '/w')).toEqual({ folder, globalFile });
  });
});
