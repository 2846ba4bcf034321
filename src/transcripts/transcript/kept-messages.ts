import type { ChainNode, KeptMessages, Nodes } from './chain-node.js';

/**
 * How often a message may be kept, on average. A compaction keeps few of the messages since the one before it; a file
 * that names the same long stretch thousands of times must not block the program.
 */
const MAX_TIMES_KEPT = 32;

/**
 * Moves the messages that each compaction kept to behind its anchor. Changes `parentUuid`. The work is linear in the
 * number of nodes: compactions beyond {@link MAX_TIMES_KEPT} are left as they are.
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
  let stepsLeft = MAX_TIMES_KEPT * byUuid.size;
  const mayTake = (steps: number): boolean => {
    stepsLeft -= steps;
    return stepsLeft >= 0;
  };
  for (const { kept } of boundaries) {
    const nodes = kept === undefined ? undefined : keptNodes(kept, byUuid, mayTake);
    if (kept === undefined || nodes === undefined) continue;
    const followers = childrenOf(kept.anchorUuid);
    if (!mayTake(followers.size)) return;
    for (const node of [...followers]) if (!nodes.inside.has(node)) move(node, nodes.tail.uuid);
    nodes.order.forEach((node, index) => {
      move(node, nodes.order[index - 1]?.uuid ?? kept.anchorUuid);
    });
  }
}

interface KeptNodes<Ref> {
  readonly inside: ReadonlySet<ChainNode<Ref>>;
  readonly tail: ChainNode<Ref>;
  /** Those to be linked, oldest first. Of a stretch of the chain the first: the others are linked already. */
  readonly order: readonly ChainNode<Ref>[];
}

/** `undefined` when the transcript does not have all of them. */
function keptNodes<Ref>(
  { range }: KeptMessages,
  byUuid: Nodes<Ref>,
  mayTake: (steps: number) => boolean,
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
  while (tail !== undefined && node !== undefined && !inside.has(node) && mayTake(1)) {
    inside.add(node);
    if (node.uuid === range.headUuid) return { inside, tail, order: [node] };
    node = node.parentUuid === null ? undefined : byUuid.get(node.parentUuid);
  }
  return undefined;
}
