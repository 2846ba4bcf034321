import { expect, test } from 'vitest';
import { resolveAdapterConfig } from '../../../src/adapter/evaluate/adapter-config.js';
import { inlineSettings } from '../../../src/adapter/evaluate/run-options.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ToolPermissions } from '../../../src/adapter/state/slices.js';
import type { SettingSource } from '../../../src/index.js';

const OFF = { disableSkillShellExecution: true };

test.each<[string, readonly SettingSource[], readonly string[], object | undefined]>([
  ['Bash blocked, with project files', ['project'], ['Bash'], OFF],
  ['Bash blocked by a rule', ['user', 'project'], ['Bash(git:*)'], OFF],
  ['PowerShell blocked', ['project'], ['PowerShell'], OFF],
  ['everything blocked', ['project'], ['*'], OFF],
  ['something else blocked', ['project'], ['WebFetch', 'mcp__Bash'], undefined],
  ['nothing blocked', ['project'], [], undefined],
  ['no files, so no skills', [], ['Bash'], undefined],
])('a session that blocks the shell turns that of skills off: %s', (_, settingSources, blocked, is) => {
  const session = new Session();
  session.mutate(ToolPermissions).seed({ blocked });
  const config = resolveAdapterConfig({ clientConfig: { settingSources } });
  expect(inlineSettings(config, session)).toEqual(is);
});

test('the shell of skills is turned off beside the other settings', () => {
  const session = new Session();
  session.mutate(ToolPermissions).seed({ blocked: ['Bash'] });
  const config = resolveAdapterConfig({
    clientConfig: { settingSources: ['project'], sandbox: { enabled: true }, outsideWorkspacePaths: 'deny' },
  });
  expect(inlineSettings(config, session)).toEqual({
    permissions: { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true },
    sandbox: { enabled: true },
    ...OFF,
  });
});
