import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkPolicySettings } from '../../src/settings/check-settings.js';
import { policyTier } from '../../src/settings/policy-tier.js';
import { readMachinePolicy } from '../../src/settings/read-all-settings.js';
import { resolveSettings } from '../../src/settings/resolve-settings.js';
import type { JsonObject } from '../../src/util/json.js';
import { type SettingsFolder, settingsFolder } from './settings-folder.js';

const deny = (...rules: string[]): JsonObject => ({ permissions: { deny: rules } });
const tier = (parts: { remote?: JsonObject; file?: JsonObject; parent?: JsonObject }) =>
  policyTier({ remote: parts.remote, file: parts.file ?? {}, parent: parts.parent });

describe('managed settings (TS-185): which part of the tier counts', () => {
  const cases = [
    { name: 'none', parts: {}, origin: undefined, settings: undefined },
    { name: 'the file', parts: { file: { model: 'f' } }, origin: 'file', settings: { model: 'f' } },
    {
      name: 'the server before the file and the caller',
      parts: { remote: { model: 's' }, file: { model: 'f' }, parent: deny('Bash') },
      origin: 'remote',
      settings: { model: 's' },
    },
    {
      name: 'the caller when nobody else says anything',
      parts: { remote: {}, parent: deny('Bash') },
      origin: 'parent',
      settings: deny('Bash'),
    },
    {
      name: 'the file before the caller',
      parts: { file: deny('Edit'), parent: deny('Bash') },
      origin: 'file',
      settings: deny('Edit'),
    },
    {
      name: 'the caller under a file that wants it',
      parts: { file: { ...deny('Edit'), parentSettingsBehavior: 'merge' }, parent: { ...deny('Bash'), model: 'p' } },
      origin: 'file',
      settings: { ...deny('Bash', 'Edit'), parentSettingsBehavior: 'merge' },
    },
    {
      name: 'the file under a server that wants it, the server first',
      parts: {
        remote: { ...deny('Edit'), managedSourcesBehavior: 'merge', model: 's' },
        file: { ...deny('Bash'), model: 'f', apiKeyHelper: 'h', allowManagedHooksOnly: true },
      },
      origin: 'remote',
      settings: { ...deny('Edit', 'Bash'), model: 's', allowManagedHooksOnly: true },
    },
    {
      name: 'variables of the file under any server',
      parts: { remote: { env: { A: '3' } }, file: { env: { A: '1', B: '2' }, model: 'f' } },
      origin: 'remote',
      settings: { env: { A: '3', B: '2' } },
    },
  ];
  for (const { name, parts, origin, settings } of cases) {
    test(name, () => {
      const result = tier(parts);
      if (origin !== undefined) expect(result.policyOrigin).toBe(origin);
      expect(result.settings).toEqual(settings);
    });
  }
});

describe('managedSettings of the caller (TS-185): only what restricts', () => {
  const cases: { given: JsonObject; kept: JsonObject | undefined }[] = [
    { given: { model: 'm', env: { A: 'b' }, cleanupPeriodDays: 5, unknown: 1 }, kept: undefined },
    {
      given: { permissions: { allow: ['Read'], deny: ['Bash'], defaultMode: 'plan' } },
      kept: { permissions: { allow: ['Read'], deny: ['Bash'] } },
    },
    { given: { hooks: { Stop: [] }, allowManagedHooksOnly: true }, kept: { allowManagedHooksOnly: true } },
    { given: { allowManagedHooksOnly: false, disableWorkflows: false, enableWorkflows: true }, kept: undefined },
    {
      given: { disableWorkflows: true, enableArtifact: false },
      kept: { disableWorkflows: true, enableArtifact: false },
    },
    { given: { disableAllHooks: true }, kept: { allowManagedHooksOnly: true } },
    { given: { includeCoAuthoredBy: false }, kept: { attribution: { commitTrailers: false } } },
    {
      given: { sandbox: { enabled: false, excludedCommands: ['x'], allowUnsandboxedCommands: true } },
      kept: undefined,
    },
    {
      given: { sandbox: { enabled: true, network: { deniedDomains: ['a'], allowLocalBinding: true } } },
      kept: { sandbox: { enabled: true, network: { deniedDomains: ['a'] } } },
    },
    { given: { availableModels: ['a'], availableModelsMatch: 'prefix' }, kept: { availableModels: ['a'] } },
    { given: { allowedHttpHookUrls: ['https://a.example/*'] }, kept: undefined },
    { given: { allowedHttpHookUrls: [] }, kept: { allowedHttpHookUrls: [] } },
    { given: { skipDangerousModePermissionPrompt: false, isolatePeerMachines: true }, kept: undefined },
  ];
  for (const { given, kept } of cases) {
    test(JSON.stringify(given), () => expect(tier({ parent: given }).settings).toEqual(kept));
  }
});

describe('a policy value that cannot be used (TS-185) goes alone, or the strictest stands in', () => {
  const cases: { given: JsonObject; used: JsonObject }[] = [
    { given: { model: 5, agent: 'x' }, used: { agent: 'x' } },
    { given: { allowManagedHooksOnly: 'yes' }, used: { allowManagedHooksOnly: true } },
    { given: { enableArtifact: 1 }, used: { enableArtifact: false } },
    { given: { availableModels: 'opus' }, used: { availableModels: [] } },
    { given: { availableModels: ['opus', 5] }, used: { availableModels: ['opus'] } },
    {
      given: { permissions: { disableBypassPermissionsMode: true, deny: ['Bash'] } },
      used: { permissions: { disableBypassPermissionsMode: 'disable', deny: ['Bash'] } },
    },
    { given: { permissions: { defaultMode: 'zzz' } }, used: { permissions: { defaultMode: 'default' } } },
    { given: { sandbox: { enabled: 'on', bwrapPath: 5 } }, used: { sandbox: { enabled: true } } },
    { given: { disableAutoMode: false }, used: {} },
    { given: { crossSessionInbound: 'x' }, used: { crossSessionInbound: 'refuse' } },
  ];
  for (const { given, used } of cases) {
    test(JSON.stringify(given), () => expect(checkPolicySettings(given).settings).toEqual(used));
  }

  test('permissions and sandbox that are no objects close what they can', () => {
    const { settings } = checkPolicySettings({ permissions: 'strict', sandbox: true });
    expect(settings).toMatchObject({
      permissions: { disableBypassPermissionsMode: 'disable', denyInsteadOfPrompting: true },
      sandbox: { allowUnsandboxedCommands: false, network: { allowManagedDomainsOnly: true } },
    });
  });
});

describe('what does not count of a policy (TS-185) is said, part by part', () => {
  const RESTRICTS = 'Of managedSettings only what restricts counts.';
  const UNUSABLE = 'Its value cannot be used.';
  const STRICT = 'Its value cannot be used: a strict one stands in for it.';
  const OVERRULED = 'A higher part of the policy is set, and does not ask for this one.';
  const HIGHEST = 'Only the highest part of the policy may set it.';
  const cases: {
    name: string;
    parts: Parameters<typeof tier>[0];
    leftOut: readonly (readonly [origin: string, key: string | undefined, reason: string])[];
  }[] = [
    {
      name: 'what does not restrict, with the way to it',
      parts: {
        parent: {
          model: 'm',
          hooks: { Stop: [] },
          env: { TOKEN: 'sk-secret' },
          permissions: { deny: ['Bash'], defaultMode: 'plan' },
          agent: null,
        },
      },
      leftOut: [
        ['parent', 'model', RESTRICTS],
        ['parent', 'hooks', RESTRICTS],
        ['parent', 'env', RESTRICTS],
        ['parent', 'permissions.defaultMode', RESTRICTS],
      ],
    },
    {
      name: 'a rule of the caller that is none',
      parts: { parent: deny('Bash', 'bash(') },
      leftOut: [['parent', 'permissions.deny[1]', UNUSABLE]],
    },
    {
      name: 'nothing where a key restricts under another name',
      parts: {
        parent: { disableAllHooks: true, includeCoAuthoredBy: false, attribution: { commit: '', sessionUrl: false } },
      },
      leftOut: [],
    },
    {
      name: 'a rule of the server that is none',
      parts: { remote: deny('bash(', 'Bash') },
      leftOut: [['remote', 'permissions.deny[0]', UNUSABLE]],
    },
    {
      name: 'a value that a strict one stands in for, by part',
      parts: {
        remote: { allowManagedHooksOnly: 'yes', parentSettingsBehavior: 'merge' },
        parent: { disableWorkflows: 1 },
      },
      leftOut: [
        ['parent', 'disableWorkflows', STRICT],
        ['remote', 'allowManagedHooksOnly', STRICT],
      ],
    },
    {
      name: 'parts below the one that wins, but not their variables',
      parts: { remote: deny('Edit'), file: deny('Bash'), parent: deny('Read') },
      leftOut: [
        ['file', undefined, OVERRULED],
        ['parent', undefined, OVERRULED],
      ],
    },
    {
      name: 'nothing of a part that only has variables',
      parts: { remote: deny('Edit'), file: { env: { A: '1' } } },
      leftOut: [],
    },
    {
      name: 'what a merged lower part may not set',
      parts: {
        remote: { managedSourcesBehavior: 'merge' },
        file: { apiKeyHelper: 'sk-secret', permissions: { deny: ['Bash'], defaultMode: 'plan' } },
      },
      leftOut: [
        ['file', 'apiKeyHelper', HIGHEST],
        ['file', 'permissions.defaultMode', HIGHEST],
      ],
    },
  ];
  for (const { name, parts, leftOut } of cases) {
    test(name, () => {
      const said = tier(parts).leftOut;
      expect(said.map(({ policyOrigin, key, reason }) => [String(policyOrigin), key, reason])).toEqual(leftOut);
      expect(JSON.stringify(said)).not.toContain('sk-secret');
    });
  }

  test('resolveSettings() reports what its two policy options lose', async () => {
    const folder = settingsFolder();
    try {
      const { leftOut } = await resolveSettings({
        cwd: folder.project,
        serverManagedSettings: { permissions: { deny: ['bash('] }, model: 'm' },
        managedSettings: { env: { A: 'b' } },
      });
      expect(leftOut?.map(({ policyOrigin, key }) => [policyOrigin, key])).toEqual([
        ['parent', 'env'],
        ['remote', 'permissions.deny[0]'],
      ]);
    } finally {
      folder.remove();
    }
  });
});

describe('managed files of a machine (TS-185)', () => {
  let folder: SettingsFolder;
  beforeEach(() => {
    folder = settingsFolder();
  });
  afterEach(() => folder.remove());
  const main = () => join(folder.home, 'managed-settings.json');
  const dropIn = (name: string) => join(folder.home, 'managed-settings.d', name);

  test('the file, then the drop-ins by name, each over the one before; other files do not count', async () => {
    folder.write(main(), { model: 'f', ...deny('Bash') });
    folder.write(dropIn('20-b.json'), { model: 'b', ...deny('Edit') });
    folder.write(dropIn('10-a.json'), { model: 'a', agent: 'x' });
    folder.write(dropIn('.hidden.json'), { model: 'h' });
    folder.write(dropIn('z.txt'), { model: 'z' });
    expect(await readMachinePolicy(folder.home, 'linux')).toEqual({
      settings: { model: 'b', agent: 'x', ...deny('Bash', 'Edit') },
      leftOut: [],
      didNotLoad: [],
    });
  });

  test('a file that cannot be read is named in didNotLoad, and the others count', async () => {
    folder.write(main(), '{bad');
    folder.write(dropIn('a.json'), { model: 'a' });
    const { settings, didNotLoad, leftOut } = await readMachinePolicy(folder.home, 'linux');
    expect(settings).toEqual({ model: 'a' });
    expect(didNotLoad).toEqual(['file']);
    expect(leftOut).toEqual([
      { source: 'managed', policyOrigin: 'file', path: main(), reason: 'It is not valid JSON.' },
    ]);
  });

  test('a bad value is named with its key', async () => {
    folder.write(main(), { model: 5, agent: 'x' });
    const { settings, leftOut, didNotLoad } = await readMachinePolicy(folder.home, 'linux');
    expect({ settings, didNotLoad }).toEqual({ settings: { agent: 'x' }, didNotLoad: [] });
    expect(leftOut).toEqual([
      { source: 'managed', policyOrigin: 'file', path: main(), key: 'model', reason: 'Its value cannot be used.' },
    ]);
  });

  test('no folder, an empty folder: no policy', async () => {
    mkdirSync(join(folder.home, 'managed-settings.d'), { recursive: true });
    for (const path of [folder.home, join(folder.home, 'nowhere')]) {
      expect(await readMachinePolicy(path, 'linux')).toEqual({ settings: {}, leftOut: [], didNotLoad: [] });
    }
  });

  test('the Windows registry is not read, and that is said', async () => {
    expect((await readMachinePolicy(folder.home, 'win32')).didNotLoad).toEqual(['registry']);
  });
});
