import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SdkSurface } from '../../src/drift/sdk-surface.js';
import { declaredNames } from '../../src/drift/sdk-surface.js';
import { checkUpstream } from '../../src/upstream/check-upstream.js';
import { newestOnPypi, readPins, withPins } from '../../src/upstream/pins.js';
import { surfaceChanges } from '../../src/upstream/surface-changes.js';

/** What npm, PyPI and the releases said on 2026-11-23, cut down to some types. */
const answers: {
  readonly newest: { readonly cli: string; readonly ts: string; readonly py: string };
  readonly pip: string;
  readonly surfaces: Readonly<Record<string, SdkSurface>>;
} = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8'));

const surfaceOf = (release: string): SdkSurface => {
  const surface = answers.surfaces[release];
  if (surface === undefined) throw new Error(`${release} was not recorded`);
  return surface;
};
const check = (pins: readonly string[]) =>
  checkUpstream(
    withPins(answers.newest, pins),
    answers.newest,
    async (kind, pinned, newest) =>
      kind === 'cli'
        ? [{ area: 'flag', where: '--young', what: 'is new: <name>' }]
        : surfaceChanges(surfaceOf(`${kind}@${pinned}`), surfaceOf(`${kind}@${newest}`)),
    () => ['docs/drop-in.md', 'manifest.json', 'test/live/package-lock.json', 'test/live/package.json'],
  );
const never = (): never => {
  throw new Error('looked into');
};

test('nothing is asked or listed while every pin is the newest release', async () => {
  const { list, isRed } = await checkUpstream(answers.newest, answers.newest, never, never);
  expect(isRed).toBe(false);
  expect(list).toContain('Nothing to follow.');
});

test('an older pin of the TypeScript SDK is red and lists what came since, with where it belongs', async () => {
  const { list, isRed } = await check(['ts@0.3.280']);
  expect(isRed).toBe(true);
  expect(list).toContain('TypeScript SDK (npm: @anthropic-ai/claude-agent-sdk): 0.3.280 to 0.3.330');
  expect(list).toContain('- [ ] mcpServersDelivery: option is new');
  expect(list).toContain('- [ ] prewarm: export is new');
  expect(list).toContain('- [ ] HookCallbackMatcher.onFailure: field is new');
  expect(list).toContain('CONTRIBUTING.md, "To add an option"');
  // Its fields come with the type.
  expect(list).toContain('- [ ] ClaimOptions: type is new');
  expect(list).not.toContain('ClaimOptions.cwd');
});

test('an older pin of the Python SDK lists its 26 new exports and the new field of a hook matcher', async () => {
  const { list } = await check(['py@0.2.143']);
  expect(list.match(/: export is new/g)).toHaveLength(26);
  expect(list).toContain('- [ ] HookMatcher.on_failure: field is new');
  expect(list).toMatch(/1 to follow, \d+ changes\.\n$/);
});

test('a newer CLI lists the flags and names the files that pin it', async () => {
  const { list } = await check(['cli@2.1.280']);
  expect(list).toContain('- [ ] --young: is new: <name>');
  expect(list).toContain('the lock file of: `test/live`\n');
  expect(list).toContain('seen again: `manifest.json`\n');
  expect(list).toContain('in documents: `docs/drop-in.md`\n');
  expect(list).toContain('npm run wire -- --version 2.1.330');
  expect(list).toContain('npm run upstream -- --pin cli@2.1.280');
});

test('the pins are those of the files that the other stages install from', () => {
  const root = new URL('../../../../', import.meta.url);
  const pins = readPins((file) => readFileSync(new URL(file, root), 'utf8'));
  expect(Object.keys(pins)).toEqual(['cli', 'ts', 'py']);
  expect(() => readPins(() => '{}')).toThrow('no version of claude-code-current was found');
});

test('pip names the newest release first', () => {
  expect(newestOnPypi(answers.pip)).toBe('0.2.187');
  expect(() => newestOnPypi('ERROR: No matching distribution')).toThrow('no version of claude-agent-sdk');
});

test('names are read from declarations with either end of line', () => {
  const text = [
    'export declare type Options = {',
    '    /** What it does. */',
    '    cwd?: string;',
    '    nested?: {',
    '        inner: string;',
    '    };',
    '};',
    'export declare interface Result extends Base {',
    '    text: string;',
    '}',
    'declare type Hidden = {',
    '    secret: string;',
    '};',
  ];
  const expected = {
    types: ['Options', 'Result'],
    fields: ['Options.cwd', 'Options.nested', 'Result.text'],
    options: ['cwd', 'nested'],
  };
  expect(declaredNames([text.join('\n')])).toEqual(expected);
  expect(declaredNames([text.join('\r\n')])).toEqual(expected);
});
