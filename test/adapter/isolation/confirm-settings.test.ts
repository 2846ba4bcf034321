import '../../helpers/property-seed.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { type ConfirmSettingsInput, confirmSettings } from '../../../src/adapter/isolation/confirm-settings.js';
import type { JsonObject } from '../../../src/util/json.js';
import { thrownBy } from '../support/thrown-by.js';
import { recordedSettings } from './recorded-settings.js';
import { settingsOf } from './support.js';

const WRITTEN = settingsOf({
  apiKey: 'k',
  networkPolicy: { allowedDomains: ['good.example'] },
  sandbox: { excludedCommands: ['docker'] },
});

function confirm(more: Partial<ConfirmSettingsInput>) {
  return confirmSettings({
    written: WRITTEN,
    answer: undefined,
    isolated: true,
    childEnv: {},
    sandboxRequired: true,
    file: '/h/.claude/settings.json',
    ...more,
  });
}

/** An answer that has what was written in force, and more. */
function answerWith(change: (effective: JsonObject & typeof WRITTEN) => void): JsonObject {
  const effective = structuredClone(WRITTEN);
  change(effective);
  return { effective, sources: [{ source: 'flagSettings', settings: WRITTEN }], applied: {} };
}

const fieldsOf = (call: () => unknown): readonly string[] => {
  const error = thrownBy(call);
  expect(error).toBeInstanceOf(AdapterConfigError);
  return (error as AdapterConfigError).fields;
};

describe('recordings of the real CLI', () => {
  test('a whole isolation is confirmed', () => {
    const { answer, written } = recordedSettings('sandbox-whole-isolation');
    expect(confirm({ answer, written })).toEqual({
      confirmed: true,
      reason: undefined,
      managedSources: [],
      effective: written,
    });
  });

  test('one value of a wrong type: file, path and message are told', () => {
    const { answer } = recordedSettings('settings-wrong-type');
    const error = thrownBy(() => confirm({ answer, isolated: false, sandboxRequired: false }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect((error as Error).message).toContain(
      '/run-dir/s.json: sandbox.network.allowUnixSockets: Expected array, but received boolean',
    );
  });

  test('managed settings that add a domain and an excluded command are refused, a longer deny list is not', () => {
    const { answer, written } = recordedSettings('settings-managed');
    expect(fieldsOf(() => confirm({ answer, written }))).toEqual([
      'sandbox.network.allowedDomains',
      'sandbox.excludedCommands',
      'env.MARK',
    ]);
    const { managedSources } = confirm({ answer, written, isolated: false });
    expect(managedSources).toEqual(['policySettings']);
  });

  const sandboxed = [
    'sandbox-credentials-deny',
    'sandbox-deny-read',
    'sandbox-excluded-commands',
    'sandbox-file-tools-blocked',
    'sandbox-net-strict-bypass',
    'sandbox-proxy-both',
    'sandbox-tmp-allowed',
  ];
  test.each(sandboxed)('%s: the CLI echoes what it was given', (name) => {
    const { answer, written } = recordedSettings(name);
    expect(Object.keys(written)).not.toEqual([]);
    expect(confirm({ answer, written }).confirmed).toBe(true);
  });
});

describe('another value than the written one', () => {
  const cases: readonly (readonly [string, (effective: typeof WRITTEN) => void, string])[] = [
    ['of a switch', (e) => Object.assign(e.sandbox ?? {}, { enabled: false }), 'sandbox.enabled'],
    ['none at all', (e) => delete e.sandbox?.failIfUnavailable, 'sandbox.failIfUnavailable'],
    [
      'a domain more',
      (e) => listAt(e, 'sandbox', 'network', 'allowedDomains').push('x.example'),
      'sandbox.network.allowedDomains',
    ],
    ['a domain less', (e) => listAt(e, 'sandbox', 'network', 'allowedDomains').pop(), 'sandbox.network.allowedDomains'],
    [
      'an excluded command more',
      (e) => listAt(e, 'sandbox', 'excludedCommands').push('rm:*'),
      'sandbox.excludedCommands',
    ],
    [
      'a path that is readable again',
      (e) => listAt(e, 'sandbox', 'filesystem', 'allowRead').push('/home/u'),
      'sandbox.filesystem.allowRead',
    ],
    [
      'a path less that is denied',
      (e) => listAt(e, 'sandbox', 'filesystem', 'denyRead').pop(),
      'sandbox.filesystem.denyRead',
    ],
    [
      'a credential that is shown in another entry',
      (e) => listAt(e, 'sandbox', 'credentials', 'envVars').push({ name: 'ANTHROPIC_API_KEY', mode: 'mask' }),
      'sandbox.credentials.envVars',
    ],
    [
      'the file tools let out',
      (e) => delete e.permissions?.blockReadsOutsideWorkingDirectories,
      'permissions.blockReadsOutsideWorkingDirectories',
    ],
    ['a list for an object', (e) => Object.assign(e, { permissions: [] }), 'permissions'],
  ];
  test.each(cases)('%s', (_, change, field) => {
    const answer = answerWith(change);
    expect(fieldsOf(() => confirm({ answer }))).toEqual([field]);
    // Without isolation other sources are meant to merge.
    expect(confirm({ answer, isolated: false }).confirmed).toBe(true);
  });
});

describe('what was not written', () => {
  const added: readonly (readonly [string, JsonObject, string])[] = [
    ['a switch', { enableWeakerNestedSandbox: true }, 'sandbox.enableWeakerNestedSandbox'],
    ['a list', { ignoreViolations: ['a'] }, 'sandbox.ignoreViolations'],
    ['a writable path', { filesystem: { allowWrite: ['/'] } }, 'sandbox.filesystem.allowWrite'],
    ['a socket', { network: { allowAllUnixSockets: true } }, 'sandbox.network.allowAllUnixSockets'],
    [
      'a credential that goes out in the clear',
      { credentials: { allowPlaintextInject: true } },
      'sandbox.credentials.allowPlaintextInject',
    ],
  ];
  test.each(added)('%s more is refused', (_, more, field) => {
    const answer = answerWith((effective) => merge(effective.sandbox ?? {}, more));
    expect(fieldsOf(() => confirm({ answer }))).toEqual([field]);
  });

  const harmless: readonly (readonly [string, JsonObject])[] = [
    ['denied domains', { sandbox: { network: { deniedDomains: ['x'] } } }],
    ['paths that may not be written', { sandbox: { filesystem: { denyWrite: ['/x'] } } }],
    ['files that hold credentials', { sandbox: { credentials: { files: [{ path: '/x', mode: 'deny' }] } } }],
    [
      'keys that open nothing',
      {
        cleanupPeriodDays: 3,
        companyAnnouncements: ['Hello'],
        allowManagedHooksOnly: true,
        permissions: { ask: ['Read'], disableBypassPermissionsMode: 'disable' },
      },
    ],
    [
      'keys that are there and say nothing',
      { env: {}, hooks: { PreToolUse: [] }, permissions: { allow: [] }, disableAllHooks: false },
    ],
  ];
  test.each(harmless)('%s are accepted', (_, more) => {
    const answer = answerWith((effective) => merge(effective, more));
    expect(confirm({ answer }).confirmed).toBe(true);
  });

  const loosening: readonly (readonly [string, JsonObject, string])[] = [
    ['an allow rule', { permissions: { allow: ['Edit(//srv/**)'] } }, 'permissions.allow'],
    ['a directory', { permissions: { additionalDirectories: ['/srv'] } }, 'permissions.additionalDirectories'],
    ['another endpoint', { env: { ANTHROPIC_BASE_URL: 'http://x' } }, 'env.ANTHROPIC_BASE_URL'],
    ['other programs', { env: { PATH: '/evil' } }, 'env.PATH'],
    ['variables that are none', { env: ['PATH'] } as unknown as JsonObject, 'env'],
    ['a hook', { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'x' }] }] } }, 'hooks'],
    ['a key helper', { apiKeyHelper: '/bin/key' }, 'apiKeyHelper'],
    ['no hooks at all', { disableAllHooks: true }, 'disableAllHooks'],
    ['plugins', { enabledPlugins: { 'a@b': true } }, 'enabledPlugins'],
  ];
  test.each(loosening)('managed settings that loosen are refused: %s', (_, more, field) => {
    const answer = answerWith((effective) => merge(effective, more));
    expect(fieldsOf(() => confirm({ answer, childEnv: { PATH: '/bin' } }))).toEqual([field]);
    expect(confirm({ answer, isolated: false }).confirmed).toBe(true);
  });

  test('a managed variable that the child has anyway changes nothing', () => {
    const answer = answerWith((effective) => merge(effective, { env: { MARK: 'managed' } }));
    expect(confirm({ answer, childEnv: { MARK: 'managed' } }).confirmed).toBe(true);
    expect(fieldsOf(() => confirm({ answer, childEnv: { MARK: 'ours' } }))).toEqual(['env.MARK']);
  });

  test('longer lists that only forbid are accepted', () => {
    const answer = answerWith((effective) => {
      listAt(effective, 'sandbox', 'filesystem', 'denyRead').push('/etc');
      listAt(effective, 'sandbox', 'credentials', 'envVars').push({ name: 'OTHER', mode: 'deny' });
    });
    expect(confirm({ answer }).confirmed).toBe(true);
  });
});

test('block keys that the CLI echoes and does not apply', () => {
  const answer = { ...answerWith(() => {}), applied: { outsideFileToolWritesBlocked: false } };
  expect(fieldsOf(() => confirm({ answer }))).toEqual(['permissions.blockWritesOutsideWorkingDirectories']);
});

test('no answer, or one without the settings: refused when the sandbox is required, else not confirmed', () => {
  for (const answer of [undefined, {}, { effective: null, sources: [] }]) {
    expect(fieldsOf(() => confirm({ answer }))).toEqual(['isolation.sandbox.required']);
    const { confirmed, reason } = confirm({ answer, sandboxRequired: false });
    expect(confirmed).toBe(false);
    expect(reason).toContain('get_settings');
  }
});

test('any JSON in an answer is confirmed or an AdapterConfigError, never anything else', () => {
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (answer, effective) => {
    const error = thrownBy(() => confirm({ answer: { ...answer, effective } }));
    // Nothing but our own settings may pass.
    expect(error).toBeInstanceOf(AdapterConfigError);
  });
  fc.assert(property);
});

function listAt(root: JsonObject, ...path: readonly string[]): unknown[] {
  return path.reduce<unknown>((value, key) => (value as JsonObject)[key], root) as unknown[];
}

function merge(target: JsonObject, more: JsonObject): void {
  for (const [key, value] of Object.entries(more)) {
    const own = target[key];
    if (typeof own === 'object' && own !== null && !Array.isArray(own)) {
      merge(own as JsonObject, value as JsonObject);
    } else target[key] = value;
  }
}
