import { readFileSync } from 'node:fs';
import { OLDEST_RELEASE } from '../../../src/query/releases/honoured.js';
import { isFromRelease } from '../../../src/util/cli-versions.js';

interface Runs {
  readonly published: { readonly versions: readonly string[] };
  readonly runs: Readonly<Record<string, { readonly words: Readonly<Record<string, Record<string, string>>> }>>;
}

const RUNS: Runs = JSON.parse(
  readFileSync(new URL('../../../packages/conformance/wire/releases.json', import.meta.url), 'utf8'),
);

/** What each release from the oldest on said of a probe, in order. */
export function wordsOf(probe: string): [release: string, word: string][] {
  return RUNS.published.versions.flatMap((release) => {
    const groups = Object.values(RUNS.runs[release]?.words ?? {});
    const word = groups.map((group) => group[probe]).find((each) => each !== undefined);
    return word === undefined || !isFromRelease(release, OLDEST_RELEASE) ? [] : [[release, word]];
  });
}

/**
 * The first release that says `good`, when all before it that were run say something else and all after it the same, and the
 * one before it in the list of published releases was run.
 */
export function changesAt(probe: string, good: string): string | undefined {
  const words = wordsOf(probe);
  const at = words.findIndex(([, word]) => word === good);
  const isClean = words.slice(at).every(([, word]) => word === good);
  const [first, before] = [words[at]?.[0], words[at - 1]?.[0]];
  if (first === undefined || before === undefined || !isClean) return undefined;
  const { versions } = RUNS.published;
  return versions.indexOf(first) - versions.indexOf(before) === 1 ? first : undefined;
}
