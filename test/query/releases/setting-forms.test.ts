import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { judgeRelease } from '../../../src/query/releases/judge-release.js';
import { knownSettings } from '../../../src/query/releases/known-settings.js';
import { isFromRelease } from '../../../src/util/cli-versions.js';
import type { JsonObject } from '../../../src/util/json.js';

interface Found {
  readonly forms: number;
  readonly releases: Readonly<Record<string, { readonly tried: number; readonly dropped: readonly string[] }>>;
}

/** Forms of settings that went out as they were, and for which a release dropped a rule that denies beside them. */
const FOUND: Found = JSON.parse(
  readFileSync(new URL('../../../packages/conformance/wire/setting-forms.json', import.meta.url), 'utf8'),
);
const NEWEST = '2.1.330';
const older = Object.entries(FOUND.releases).filter(([release]) => !isFromRelease(release, NEWEST));

test('every form of every setting was tried on the newest release and on older ones (O-1)', () => {
  expect(FOUND.releases[NEWEST]?.tried).toBe(FOUND.forms);
  expect(older.length).toBeGreaterThan(4);
});

describe.each(older)('on %s', (release, { dropped }) => {
  test('no form goes out for which it drops the other settings', () => {
    const sent = dropped.filter((form) => {
      const given = JSON.parse(form) as JsonObject;
      return (
        knownSettings(given, release).settings === given && judgeRelease(release, { settings: given }) === undefined
      );
    });
    expect(sent).toEqual([]);
  });
});
