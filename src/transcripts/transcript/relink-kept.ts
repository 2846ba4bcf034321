import type { ChainNode, KeptMessages, Nodes } from './chain-node.js';

/**
 * How often a message may be kept, on average. A compaction keeps few of the messages since the one before it; a file
 * that was made to name the same long stretch thousands of times must not hold the program.
 */
const MAX_TIMES_KEPT = 32;

/**
 * Puts what each compaction kept behind its anchor, and what followed the anchor behind that. Changes `parentUuid`.
 * The work is linear in the number of nodes: compactions beyond {@link MAX_TIMES_KEPT} are left as they are.
 */
export function relinkKept<Ref>(byUuid: Nodes<Ref>): void {
  const boundaries = [...byUuid.values()].filter(({ kept }) => kept !== undefined);
  if (boundaries.length === 0) return;
  const children = new Map<string | null, Set<ChainNode<Ref>>>();
  const childrenOf = (uuid: string | null): Set<ChainNode<Ref>> => {
    const found = children.get(uuid) ?? new Set();
    children.set(uuid, found);
    return found;
  };
  const move = (node: ChainNode<Ref>, parentUuid: string): void => {
    childrenOf(node.parentUuid).delete(node);
    node.parentUuid = parentUuid;
    childrenOf(parentUuid).add(node);
  };
  for (const node of byUuid.values()) childrenOf(node.parentUuid).add(node);
  const steps = new Steps(MAX_TIMES_KEPT * byUuid.size);
  for (const { kept } of boundaries) {
    const nodes = kept === undefined ? undefined : keptNodes(kept, byUuid, steps);
    if (kept === undefined || nodes === undefined) continue;
    const followers = childrenOf(kept.anchorUuid);
    if (!steps.take(followers.size)) return;
    for (const node of [...followers]) if (!nodes.inside.has(node)) move(node, nodes.tail.uuid);
    nodes.order.forEach((node, index) => {
      move(node, nodes.order[index - 1]?.uuid ?? kept.anchorUuid);
    });
  }
}

/** Work that may still be done. */
class Steps {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  take(count: number): boolean {
    this.#left -= count;
    return this.#left >= 0;
  }
}

interface KeptNodes<Ref> {
  readonly inside: ReadonlySet<ChainNode<Ref>>;
  readonly tail: ChainNode<Ref>;
  /** Those to be linked, oldest first. Of a stretch of the chain the first: the others are linked already. */
  readonly order: readonly ChainNode<Ref>[];
}

/** `undefined` when the transcript does not hold all of them. */
function keptNodes<Ref>(
  { range }: KeptMessages,
  byUuid: Nodes<Ref>,
  steps: Steps,
): KeptNodes<Ref> | undefined {
  if ('uuids' in range) {
    const order = range.uuids.flatMap((uuid) => byUuid.get(uuid) ?? []);
    const tail = order.at(-1);
    if (tail === undefined || order.length < range.uuids.length) return undefined;
    return { inside: new Set(order), tail, order };
  }
  const tail = byUuid.get(range.tailUuid);
  const inside = new Set<ChainNode<Ref>>();
  let node = tail;
  while (tail !== undefined && node !== undefined && !inside.has(node) && steps.take(1)) {
    inside.add(node);
    if (node.uuid === range.headUuid) return { inside, tail, order: [node] };
    node = node.parentUuid === null ? undefined : byUuid.get(node.parentUuid);
  }
  return undefined;
}
