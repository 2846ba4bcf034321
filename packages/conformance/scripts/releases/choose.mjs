/** No two neighbours among those that are run are further apart in the list of published releases. */
export const LARGEST_GAP = 9;

/**
 * A release in nine at least, and those that are wanted.
 *
 * @param {readonly string[]} published oldest first
 * @param {readonly string[]} wanted
 */
export function chooseReleases(published, wanted) {
  const fixed = [...new Set([0, published.length - 1, ...wanted.map((version) => published.indexOf(version))])]
    .filter((index) => index >= 0)
    .sort((a, b) => a - b);
  const chosen = fixed.flatMap((from, at) => {
    const to = fixed[at + 1];
    if (to === undefined) return [from];
    const parts = Math.ceil((to - from) / LARGEST_GAP);
    return Array.from({ length: parts }, (_, part) => from + Math.round(((to - from) * part) / parts));
  });
  return chosen.map((index) => published[index]);
}

/** Whether a probe has come to its end: a busy machine leaves `no result`, which says nothing about the release. */
export function isSure(words) {
  return words !== undefined && !Object.values(words).some((word) => String(word).includes('no result'));
}

/**
 * The releases to run next: between each two neighbours whose words differ, for the probes that do.
 *
 * @returns {[version: string, probes: string[]][]} the one with most probes first
 */
export function nextMiddles(published, runs, probes) {
  const middles = new Map();
  const wants = [];
  for (const probe of probes) {
    const known = published.flatMap((version, index) => (isSure(runs[version]?.words[probe]) ? [index] : []));
    for (const [at, from] of known.entries()) {
      const to = known[at + 1];
      if (to === undefined || to - from < 2) continue;
      const words = (index) => JSON.stringify(runs[published[index]].words[probe]);
      if (words(from) !== words(to)) wants.push({ probe, from, to });
    }
  }
  // The narrow first: others take over a middle that lies well inside of them.
  for (const { probe, from, to } of wants.sort((a, b) => a.to - a.from - (b.to - b.from))) {
    const margin = (to - from) / 4;
    const shared = [...middles.keys()].find(
      (index) => index > from && index < to && index - from >= margin && to - index >= margin,
    );
    const index = shared ?? Math.floor((from + to) / 2);
    middles.set(index, [...(middles.get(index) ?? []), probe]);
  }
  return [...middles].sort(([, a], [, b]) => b.length - a.length).map(([index, names]) => [published[index], names]);
}
