import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { checkManagedMachine, hasManagedServers } from '../../../src/adapter/isolation/start-checks.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function machine(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'managed-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const hook = { hooks: [{ type: 'command', command: 'true' }] };

describe('the files of an administrator, before the CLI starts (I-11)', () => {
  test.each([
    ['hooks', 'managed-settings.json', { hooks: { SessionStart: [hook] } }, ['hooks']],
    ['a helper', 'managed-settings.json', { apiKeyHelper: 'x' }, ['apiKeyHelper']],
    ['a drop-in', 'managed-settings.d/10-a.json', { statusLine: { command: 'x' } }, ['statusLine']],
    ['a variable', 'managed-settings.json', { env: { NODE_OPTIONS: '-r x' } }, ['env.NODE_OPTIONS']],
  ])('%s that would run or open something are refused', async (_, name, settings, keys) => {
    const folder = machine({ [name]: settings });
    const error = await checkManagedMachine(folder, {}).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: keys });
    expect((error as Error).message).toContain(join(folder, name));
    expect((error as Error).message).toContain('not started');
  });

  test('servers are refused with what to do, not found out by an exit of the CLI', async () => {
    const folder = machine({ 'managed-mcp.json': { mcpServers: {} } });
    expect(await hasManagedServers(folder)).toBe(true);
    const error = await checkManagedMachine(folder, {}).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['isolation'], hint: expect.stringContaining('container') });
    expect((error as Error).message).toContain('managed-mcp.json');
  });

  test('what restricts is left to the CLI, and texts are named', async () => {
    const folder = machine({
      'managed-settings.json': {
        permissions: { deny: ['Bash'] },
        allowManagedPermissionRulesOnly: true,
        env: { SAME: 'v' },
      },
      'managed-settings.d/broken.json': '{',
      'CLAUDE.md': 'Text.',
      '.claude/skills/a/SKILL.md': 'Text.',
    });
    expect(await hasManagedServers(folder)).toBe(false);
    expect(await checkManagedMachine(folder, { SAME: 'v' })).toEqual({
      texts: [join(folder, 'CLAUDE.md'), join(folder, '.claude', 'skills')],
    });
  });

  test('a machine without any is fine', async () => {
    expect(await checkManagedMachine('/nowhere/at/all', {})).toEqual({ texts: [] });
  });
});
