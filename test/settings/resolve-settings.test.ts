import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InvalidOptionError, type ResolveSettingsOptions, resolveSettings } from '../../src/index.js';
import { SETTINGS_FIELDS } from '../../src/settings/check-settings.js';
import { MAX_SETTINGS_BYTES } from '../../src/settings/read-all-settings.js';
import { type SettingsFolder, settingsFolder } from './settings-folder.js';

let folder: SettingsFolder;
beforeEach(() => {
  folder = settingsFolder();
});
afterEach(() => folder.remove());

/** The machine that runs the tests may have a policy of its own: it is looked at in `managed-files.test.ts`. */
const ask = async (options: ResolveSettingsOptions = {}) => await resolveSettings({ cwd: folder.project, ...options });

describe('resolveSettings (TS-185)', () => {
  test('two files nested 100,000 deep are merged without exhausting the stack (C-11)', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    for (const path of [folder.user, folder.shared]) {
      folder.write(path, {});
      writeFileSync(path, `{"unknownKey":${deep},"model":"m"}`);
    }
    const { effective, provenance } = await ask();
    expect(effective.model).toBe('m');
    expect(provenance.unknownKey?.source).toBe('project');
  });

  test('merges user, project and local in that order, joins lists, and says where each key is from', async () => {
    const { user, shared, local } = folder;
    folder.write(user, {
      model: 'u',
      permissions: { allow: ['A', 'B'], defaultMode: 'plan' },
      env: { X: '1', Y: '2' },
    });
    folder.write(shared, { model: 'p', permissions: { allow: ['B', 'C'] }, env: { Y: '3' } });
    folder.write(local, { permissions: { allow: ['Z'] }, unknownKey: [1] });
    const { effective, provenance, sources, leftOut } = await ask();
    expect(effective).toEqual({
      model: 'p',
      permissions: { allow: ['A', 'B', 'C', 'Z'], defaultMode: 'plan' },
      env: { X: '1', Y: '3' },
      unknownKey: [1],
    });
    expect(provenance).toEqual({
      model: { source: 'project', path: shared },
      permissions: { source: 'local', path: local },
      env: { source: 'project', path: shared },
      unknownKey: { source: 'local', path: local },
    });
    expect(sources.map(({ source, path }) => [source, path])).toEqual([
      ['user', user],
      ['project', shared],
      ['local', local],
    ]);
    expect(leftOut).toBeUndefined();
  });

  const choices: { sources: ResolveSettingsOptions['settingSources']; model: unknown }[] = [
    { sources: undefined, model: 'p' },
    { sources: ['user'], model: 'u' },
    { sources: ['project', 'user'], model: 'p' },
    { sources: ['local'], model: undefined },
    { sources: [], model: undefined },
  ];
  for (const { sources, model } of choices) {
    test(`settingSources ${JSON.stringify(sources)} gives model ${model}`, async () => {
      folder.write(folder.user, { model: 'u' });
      folder.write(folder.shared, { model: 'p' });
      const options = sources === undefined ? {} : { settingSources: sources };
      expect((await ask(options)).effective.model).toBe(model);
    });
  }

  const unusable = [
    { name: 'broken JSON', content: '{bad', reason: 'It is not valid JSON.' },
    { name: 'an array', content: '[1]', reason: 'It does not hold a JSON object.' },
    { name: 'null', content: 'null', reason: 'It does not hold a JSON object.' },
    { name: 'a wrong type', content: { model: 5, agent: 'x' }, reason: 'The CLI does not take its value of "model".' },
    {
      name: 'a wrong type inside',
      content: { permissions: { allow: 'Bash' } },
      reason: 'The CLI does not take its value of "permissions".',
    },
  ];
  for (const { name, content, reason } of unusable) {
    test(`a file with ${name} is left out whole, and said to be`, async () => {
      folder.write(folder.user, content);
      folder.write(folder.shared, { model: 'p' });
      const { effective, leftOut } = await ask();
      expect(effective).toEqual({ model: 'p' });
      expect(leftOut).toEqual([{ source: 'user', path: folder.user, reason }]);
    });
  }

  test('what a broken file holds does not show in the reason', async () => {
    folder.write(folder.user, '{"env":{"KEY":"sk-secret');
    expect(JSON.stringify(await ask())).not.toContain('sk-secret');
  });

  test('what is nested too deep becomes null, in one file and in two that are merged', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    folder.write(folder.shared, `{"deep":${nested(100_000)},"model":"x"}`);
    folder.write(folder.local, `{"deep":${nested(100_000)}}`);
    const { effective } = await ask();
    expect(effective.model).toBe('x');
    expect(JSON.stringify(effective)).toContain(`${'{"a":'.repeat(63)}null}`);
  });

  const counting: { name: string; content: unknown; effective: object; leftOut?: readonly string[] }[] = [
    { name: 'empty', content: '', effective: {} },
    { name: 'blank', content: ' \n', effective: {} },
    { name: 'with a byte order mark', content: '\uFEFF{"model":"x"}', effective: { model: 'x' } },
    {
      name: 'in UTF-16, as Windows PowerShell writes it',
      content: Buffer.from('\uFEFF{"model":"x"}', 'utf16le'),
      effective: { model: 'x' },
    },
    { name: 'with a key twice', content: '{"model":"x","model":"y"}', effective: { model: 'y' } },
    {
      name: 'with variables of other types',
      content: { env: { A: 1, B: true } },
      effective: { env: { A: '1', B: 'true' } },
    },
    {
      name: 'with the mode manual',
      content: { permissions: { defaultMode: 'manual' } },
      effective: { permissions: { defaultMode: 'default' } },
    },
    {
      name: 'with a word that only goes alone',
      content: { effortLevel: 'x', theme: 7, model: 'y' },
      effective: { model: 'y' },
      leftOut: ['effortLevel', 'theme'],
    },
    {
      name: 'with hooks of an unknown event',
      content: { hooks: { Foo: [], Stop: [] }, model: 'y' },
      effective: { hooks: { Stop: [] }, model: 'y' },
      leftOut: ['hooks.Foo'],
    },
    {
      name: 'with what only policy may set',
      content: { deniedModels: ['opus'], model: 'y' },
      effective: { model: 'y' },
      leftOut: ['deniedModels'],
    },
    {
      name: 'with rules that are none',
      content: { permissions: { allow: ['Bash', 'bash', 5, 'Bash('], deny: ['bash('] } },
      effective: { permissions: { allow: ['Bash'], deny: [] } },
      leftOut: ['permissions.allow[1]', 'permissions.allow[2]', 'permissions.allow[3]', 'permissions.deny[0]'],
    },
    {
      name: 'with values in another form',
      content: { attribution: false, enabledMcpjsonServers: 'a', env: { A: null } },
      effective: {
        attribution: { commit: '', pr: '', sessionUrl: false },
        enabledMcpjsonServers: ['a'],
        env: { A: 'null' },
      },
    },
    {
      name: 'with one setting under two names',
      content: { allowedMarketplaces: [{ source: 'a' }], strictKnownMarketplaces: [] },
      effective: { strictKnownMarketplaces: [] },
      leftOut: ['allowedMarketplaces'],
    },
  ];
  for (const { name, content, effective, leftOut } of counting) {
    test(`a file ${name} counts`, async () => {
      folder.write(folder.user, content);
      const result = await ask();
      expect(result.effective).toEqual(effective);
      expect(result.leftOut?.map(({ key }) => key)).toEqual(leftOut);
      for (const { source, path } of result.leftOut ?? []) {
        expect({ source, path }).toEqual({ source: 'user', path: folder.user });
      }
    });
  }

  test('__proto__ in a file changes no prototype', async () => {
    folder.write(folder.user, '{"__proto__":{"a":1},"env":{"__proto__":"x","B":"2"},"x":{"__proto__":{"a":1}}}');
    folder.write(folder.shared, '{"x":{"__proto__":{"a":2},"b":1}}');
    const { effective } = await ask();
    expect(Object.getPrototypeOf(effective)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
    expect((effective.x as Record<string, unknown>).a).toBeUndefined();
  });

  test('a folder, a dangling link and a link to a file', async () => {
    mkdirSync(folder.user, { recursive: true });
    mkdirSync(join(folder.project, '.claude'));
    symlinkSync(join(folder.project, 'nowhere'), folder.shared);
    folder.write(join(folder.project, 'elsewhere.json'), { model: 'link' });
    symlinkSync(join(folder.project, 'elsewhere.json'), folder.local);
    const { effective, leftOut } = await ask();
    expect(effective).toEqual({ model: 'link' });
    expect(leftOut?.map(({ source }) => source)).toEqual(['user']);
  });

  test.skipIf(process.platform === 'win32')(
    'a pipe that nobody writes to holds nothing up (skipped on Windows)',
    async () => {
      mkdirSync(folder.home, { recursive: true });
      execFileSync('mkfifo', [folder.user]);
      const { effective, leftOut } = await ask();
      expect(effective).toEqual({});
      expect(leftOut?.[0]?.reason).toBe('It is not a regular file.');
    },
  );

  test('a file over the limit is not read', async () => {
    mkdirSync(folder.home, { recursive: true });
    writeFileSync(folder.user, '');
    truncateSync(folder.user, MAX_SETTINGS_BYTES + 1);
    expect((await ask()).leftOut?.[0]?.reason).toContain('bytes, more than');
  });

  test('a relative cwd, a folder below the project, a folder that is not there', async () => {
    folder.write(folder.shared, { model: 'p' });
    expect((await ask({ cwd: join(folder.project, 'x', '..') })).effective).toEqual({ model: 'p' });
    expect((await ask({ cwd: join(folder.project, 'below') })).effective).toEqual({});
    expect((await ask({ cwd: '/nowhere/at/all' })).effective).toEqual({});
  });

  const refused: { options: unknown; message: RegExp }[] = [
    { options: null, message: /^Option `options` must be an object, got null/ },
    { options: { cwd: 5 }, message: /^Option `cwd` must be a string, got number 5/ },
    { options: { settingSources: 'user' }, message: /^Option `settingSources` must be an array, got string "user"/ },
    {
      options: { settingSources: ['user', undefined] },
      message: /^Option `settingSources\[1\]` must be a string, got undefined/,
    },
    { options: { managedSettings: 'x' }, message: /^Option `managedSettings` must be an object, got string "x"/ },
    {
      options: { serverManagedSettings: [1] },
      message: /^Option `serverManagedSettings` must be an object, got array of 1/,
    },
  ];
  for (const { options, message } of refused) {
    test(`${JSON.stringify(options)} is refused by name`, async () => {
      const error = await resolveSettings(options as ResolveSettingsOptions).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect((error as Error).message).toMatch(message);
    });
  }

  test('a name that is no source is said, and a source that is no name is refused', async () => {
    folder.write(folder.user, { model: 'u' });
    const asked = ['usr', 'user'] as ResolveSettingsOptions['settingSources'] & object;
    const { effective, leftOut } = await ask({ settingSources: asked });
    expect(effective).toEqual({ model: 'u' });
    expect(leftOut).toEqual([{ source: 'usr', reason: expect.stringContaining('settingSources') }]);
  });

  test('paths are absolute, with a relative folder of the configuration and a relative cwd too', async () => {
    vi.stubEnv('CLAUDE_CONFIG_DIR', relative(process.cwd(), folder.home));
    folder.write(folder.user, { model: 'u' });
    folder.write(folder.shared, { agent: 'p', theme: 7 });
    const result = await ask({ cwd: relative(process.cwd(), folder.project) });
    expect(result.provenance.model?.path).toBe(folder.user);
    expect(result.sources.map(({ path }) => path)).toEqual([folder.user, folder.shared]);
    expect(result.leftOut?.map(({ path }) => path)).toEqual([folder.shared]);
  });

  test('whatever a file holds, each part is either used or said to be left out, and nothing is thrown', async () => {
    const odd = fc.oneof(fc.jsonValue(), fc.array(fc.string()), fc.constantFrom(true, 'x', [], {}));
    const known = fc.dictionary(fc.constantFrom(...Object.keys(SETTINGS_FIELDS)), odd);
    const contents = fc.oneof(
      fc.json(),
      fc.string(),
      known.map((each) => JSON.stringify(each)),
    );
    await fc.assert(
      fc.asyncProperty(contents, async (content) => {
        folder.write(folder.user, content);
        const { sources, effective, leftOut = [] } = await ask({ settingSources: ['user'] });
        const own = sources.filter(({ source }) => source === 'user');
        expect(JSON.stringify(own[0]?.settings ?? {})).toBe(JSON.stringify(effective));
        const said = leftOut.map(({ key }) => key?.split(/[.[]/)[0]);
        if (said.includes(undefined)) return;
        const given = content.trim() === '' ? {} : (JSON.parse(content) as object);
        for (const key of Object.keys(given)) {
          if (!/^\w+$/.test(key) || key === '__proto__') continue;
          expect([...Object.keys(effective), ...said]).toContain(key);
        }
      }),
      { numRuns: 400 },
    );
  });
});
