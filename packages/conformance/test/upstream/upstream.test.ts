import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { releasesOnPypi } from '../../src/drift/published-releases.js';
import { surfaceChanges } from '../../src/drift/surface-changes.js';
import type { Declared } from '../../src/surface/declared.js';
import { readDeclarations } from '../../src/surface/read-declarations.js';
import { checkUpstream } from '../../src/upstream/check-upstream.js';
import { newestOnPypi, readPins, withPins } from '../../src/upstream/pins.js';

const NEWEST = { cli: '2.1.330', ts: '0.3.330', py: '0.2.187' };
const PIP = 'claude-agent-sdk (0.2.187)\nAvailable versions: 0.2.187, 0.2.186, 0.2.185\n  INSTALLED: 0.2.1\n';
/** Made up. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  'ts@0.3.280': `export declare type Options = {\r\r    cwd?: string;\n\n    old: 1;\r};
    declare type SDKControlRequest = { subtype: 'a' };
    export declare interface Query { stop(): Promise<void>; }`,
  'ts@0.3.330': `export declare type Options = {\r\r    cwd?: string;\n\n    delivery?: 'argv' | 'initialize';\r};
    declare type SDKControlRequest = { subtype: 'a' } | { subtype: 'b' };
    export declare interface Query { stop(): Promise<{ done: boolean }>; }
    export declare type ClaimOptions = { cwd: string; };`,
};

const surfaceOf = (release: string): readonly Declared[] =>
  readDeclarations([{ name: 'sdk.d.ts', text: DECLARATIONS[release] ?? '' }]);
const check = (pins: readonly string[]) =>
  checkUpstream(
    withPins(NEWEST, pins),
    NEWEST,
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
  const { list, isRed } = await checkUpstream(NEWEST, NEWEST, never, never);
  expect(isRed).toBe(false);
  expect(list).toContain('Nothing to follow.');
});

test('an older pin of the TypeScript SDK is red and lists what came since, with where it belongs', async () => {
  const { list, isRed } = await check(['ts@0.3.280']);
  expect(isRed).toBe(true);
  expect(list).toContain('TypeScript SDK (npm: @anthropic-ai/claude-agent-sdk): 0.3.280 to 0.3.330');
  expect(list).toContain("- [ ] delivery: option is new: 'argv' | 'initialize', optional");
  expect(list).toContain('- [ ] old: option is gone');
  expect(list).toContain('- [ ] Query.stop(): method: () => Promise<void> is now () => Promise<{…}>');
  expect(list).toContain("- [ ] SDKControlRequest | {subtype: 'b'}: member is new");
  expect(list).toContain('CONTRIBUTING.md, "To add an option"');
  // Its fields come with the type.
  expect(list).toContain('- [ ] ClaimOptions: type is new');
  expect(list).not.toContain('ClaimOptions.cwd');
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
  expect(newestOnPypi(PIP)).toBe('0.2.187');
  expect(() => newestOnPypi('ERROR: No matching distribution')).toThrow('no version of claude-agent-sdk');
});

test('pip names all releases, the newest first', () => {
  expect(releasesOnPypi(PIP)).toEqual(['0.2.187', '0.2.186', '0.2.185']);
  expect(releasesOnPypi('ERROR: No matching distribution')).toEqual([]);
});
