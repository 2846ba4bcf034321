import { chainTo } from './chain.js';
import { chainNodeOf } from './chain-node.js';
import type { LinkedEntry } from './entry.js';

/**
 * `entries` without the compactions that the conversation of the last one was rewound behind, and without what followed
 * them. Like the official SDK's forks; a compaction that a later one of the conversation makes void stays.
 */
export function withoutAbandonedCompactions(entries: readonly LinkedEntry[]): readonly LinkedEntry[] {
  const last = entries.at(-1);
  if (last === undefined || !entries.some(isBoundary)) return entries;
  const chain = new Set(
    chainTo(
      last.uuid,
      entries.flatMap((entry) => chainNodeOf(entry, undefined) ?? []),
    ).map(({ uuid }) => uuid),
  );
  const dropped = new Set<string>();
  let hasBegun = false;
  for (const entry of entries) {
    const { uuid, parentUuid } = entry;
    if (chain.has(uuid)) hasBegun = true;
    else if ((isBoundary(entry) && hasBegun) || dropped.has(parentUuid as string)) dropped.add(uuid);
  }
  return dropped.size === 0 ? entries : entries.filter(({ uuid }) => !dropped.has(uuid));
}

function isBoundary({ type, subtype }: LinkedEntry): boolean {
  return type === 'system' && subtype === 'compact_boundary';
}
