import '../../helpers/property-seed.js';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { FileSessionStore, foldSessionSummary, type SessionKey } from '../../../src/index.js';
import { decodeName, encodeName, isHashedName } from '../../../src/transcripts/store/file/file-layout.js';

const folder = mkdtempSync(join(tmpdir(), 'claudewire-file-store-'));
let stores = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const freshRoot = () => join(folder, `store-${stores++}`);

/** Names that have escaped from, or met in, other people's folders. */
const oddName = fc.oneof(
  fc.constantFrom('.', '..', '../x', '/', '/etc/passwd', '\0', 'a\0b', 'CON', 'con', 'nul', 'Com1'),
  fc.constantFrom('a.jsonl', 'a', 'A', '=a', '%61', 'a+b', 'a/b', 'a\\b', 'C:\\x', 'é', 'e\u0301', '@', '%u0041'),
  fc.constantFrom('\ud800', '\udc00', '\ufffd', ' ', '.hidden', 'trailing.', 'trailing ', '-', '~', '*', '?'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  fc.constantFrom('x', 'X', 'é').chain((unit) => fc.nat(6000).map((n) => unit.repeat(n + 1))),
);

test('an encoded name is one short file name, the same on every file system', () => {
  fc.assert(
    fc.property(oddName, (name) => {
      const encoded = encodeName(name);
      expect(encoded).toMatch(/^[a-z0-9_\-=+%@]+$/);
      expect(encoded.length).toBeLessThanOrEqual(180);
      expect(encoded).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)$/);
      if (!isHashedName(encoded)) expect(decodeName(encoded)).toBe(name);
    }),
    { numRuns: 2000 },
  );
});

test('different names never share a file', () => {
  fc.assert(
    fc.property(oddName, oddName, (one, other) => {
      expect(encodeName(one) === encodeName(other)).toBe(one === other);
    }),
    { numRuns: 2000 },
  );
});

test('a name that was not encoded here is not decoded', () => {
  for (const file of ['A', 'é', 'a.b', '%6', '%61', '=A', 'a b', `${'x'.repeat(40)}@${'0'.repeat(64)}`]) {
    expect(decodeName(file)).toBeUndefined();
  }
});

test('keys with odd parts stay in the directory, apart, and are listed as they were given', async () => {
  const oddKey: fc.Arbitrary<SessionKey> = fc.record(
    { projectKey: oddName, sessionId: oddName, subpath: oddName },
    { requiredKeys: ['projectKey', 'sessionId'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(oddKey, { maxLength: 6, selector: (key) => JSON.stringify(partsOf(key)) }),
      async (keys) => {
        const outer = freshRoot();
        const store = new FileSessionStore(join(outer, 'store'));
        for (const [index, key] of keys.entries()) {
          await store.append(key, [{ type: 'x', uuid: `${index}` }]);
        }
        expect(keys.length === 0 ? [] : readdirSync(outer)).toEqual(keys.length === 0 ? [] : ['store']);
        for (const [index, key] of keys.entries()) {
          expect(await store.load(key)).toEqual([{ type: 'x', uuid: `${index}` }]);
          const { projectKey, sessionId, subpath } = key;
          const listed =
            subpath === undefined
              ? (await store.listSessions(projectKey)).map((row) => row.sessionId)
              : await store.listSubkeys({ projectKey, sessionId });
          const expected = keys.filter(
            (other) =>
              other.projectKey === projectKey &&
              (subpath === undefined
                ? other.subpath === undefined
                : other.subpath !== undefined && other.sessionId === sessionId),
          );
          expect([...listed].sort()).toEqual(expected.map((other) => other.subpath ?? other.sessionId).sort());
        }
        for (const key of keys) await store.delete(key);
        for (const key of keys) expect(await store.load(key)).toBeNull();
        rmSync(outer, { recursive: true, force: true });
      },
    ),
    { numRuns: 60 },
  );
});

function partsOf({ projectKey, sessionId, subpath }: SessionKey): unknown[] {
  return [projectKey, sessionId, subpath ?? null];
}

test('concurrent appends keep every entry, each writer’s in its order, and the summary knows all', async () => {
  const key = { projectKey: 'p', sessionId: 's' };
  const batches = fc.array(fc.array(fc.string({ maxLength: 40 }), { maxLength: 5 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(batches, { minLength: 1, maxLength: 5 }), async (writers) => {
      const root = freshRoot();
      await Promise.all(
        writers.map(async (own, writer) => {
          // An object for each writer, so that nothing but the file system puts them in order.
          const store = new FileSessionStore(root);
          for (const [index, texts] of own.entries()) {
            const entries = texts.map((text, at) => ({ type: 'x', uuid: `${writer}.${index}.${at}`, text }));
            await store.append(key, entries);
          }
        }),
      );
      const store = new FileSessionStore(root);
      const loaded = (await store.load(key)) ?? [];
      writers.forEach((own, writer) => {
        const found = loaded.filter(({ uuid }) => uuid?.startsWith(`${writer}.`) === true);
        expect(found.map(({ text }) => text)).toEqual(own.flat());
      });
      expect(loaded.length).toBe(writers.flat(2).length);
      const [summary] = await store.listSessionSummaries('p');
      if (loaded.length > 0) {
        expect(summary?.data).toEqual(foldSessionSummary(undefined, key, loaded).data);
      }
      rmSync(root, { recursive: true, force: true });
    }),
    { numRuns: 40 },
  );
});
