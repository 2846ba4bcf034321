import { type ChainNode, type KeptMessages, markLocalCommands, type Nodes } from './chain-node.js';

/**
 * The conversation that a transcript ends with: from its first message to the last leaf that belongs to the main
 * conversation, in order. Entries of every linked type are in it; {@link isShown} says which are messages. Changes
 * `parentUuid` of nodes that a compaction kept.
 */
export function chainOf<Ref>(nodes: readonly ChainNode<Ref>[]): ChainNode<Ref>[] {
  const byUuid = nodesByUuid(nodes);
  relinkKept(byUuid);
  const leaf = lastLeaf(byUuid);
  return leaf === undefined ? [] : markLocalCommands(withParallelAnswers(walkUp(leaf, byUuid), byUuid));
}

/** The chain that ends at the last user or assistant entry: how a subagent's transcript is read. */
export function chainToLast<Ref>(nodes: readonly ChainNode<Ref>[]): ChainNode<Ref>[] {
  const byUuid = nodesByUuid(nodes);
  const leaf = [...byUuid.values()].findLast(isTurn);
  return leaf === undefined ? [] : markLocalCommands(walkUp(leaf, byUuid));
}

/** Of an entry that was written twice, the second one counts. */
function nodesByUuid<Ref>(nodes: readonly ChainNode<Ref>[]): Nodes<Ref> {
  const byUuid: Nodes<Ref> = new Map();
  for (const node of nodes) {
    byUuid.delete(node.uuid);
    byUuid.set(node.uuid, node);
  }
  return byUuid;
}

export function isTurn(node: ChainNode<unknown>): boolean {
  return node.type === 'user' || node.type === 'assistant';
}

/** From the root to `leaf` by `parentUuid`. Starts after a cycle or a missing parent. */
function walkUp<Ref>(leaf: ChainNode<Ref>, byUuid: Nodes<Ref>): ChainNode<Ref>[] {
  const chain: ChainNode<Ref>[] = [];
  const seen = new Set<string>();
  let node: ChainNode<Ref> | undefined = leaf;
  while (node !== undefined && !seen.has(node.uuid)) {
    seen.add(node.uuid);
    chain.push(node);
    node = node.parentUuid === null ? undefined : byUuid.get(node.parentUuid);
  }
  return chain.reverse();
}

/** The last message. One of a subagent or teammate counts only when there is no other. */
function lastLeaf<Ref>(byUuid: Nodes<Ref>): ChainNode<Ref> | undefined {
  const all = [...byUuid.values()];
  const main = all.filter((node) => !node.isSidechain && !node.isTeam && node.type !== 'progress');
  return lastTurn(main, byUuid) ?? lastTurn(all, byUuid);
}

/** The user or assistant entry nearest to the last leaf of `nodes`. */
function lastTurn<Ref>(nodes: readonly ChainNode<Ref>[], byUuid: Nodes<Ref>): ChainNode<Ref> | undefined {
  const parents = new Set(nodes.map(({ parentUuid }) => parentUuid));
  const seen = new Set<ChainNode<Ref>>();
  for (const leaf of nodes.toReversed()) {
    let node: ChainNode<Ref> | undefined = parents.has(leaf.uuid) ? undefined : leaf;
    while (node !== undefined && !seen.has(node)) {
      if (isTurn(node)) return node;
      seen.add(node);
      node = node.parentUuid === null ? undefined : byUuid.get(node.parentUuid);
    }
  }
  return undefined;
}

/**
 * Tool calls made in parallel are several entries of one answer, each with its own result, and only one of them is the
 * next entry's ancestor. The others follow the last one that is.
 */
function withParallelAnswers<Ref>(chain: ChainNode<Ref>[], byUuid: Nodes<Ref>): ChainNode<Ref>[] {
  const anchors = new Map<string, ChainNode<Ref>>();
  for (const node of chain) if (node.messageId !== undefined) anchors.set(node.messageId, node);
  if (anchors.size === 0) return chain;

  const inChain = new Set(chain);
  const beside = new Map<ChainNode<Ref>, ChainNode<Ref>[]>();
  const anchorOfCall = new Map<string, ChainNode<Ref>>();
  for (const node of byUuid.values()) {
    const anchor = node.messageId === undefined ? undefined : anchors.get(node.messageId);
    if (anchor === undefined || node.isSidechain) continue;
    for (const id of node.toolUseIds) if (!anchorOfCall.has(id)) anchorOfCall.set(id, anchor);
    if (!inChain.has(node)) addTo(beside, anchor, node);
  }
  const results = new Map<ChainNode<Ref>, ChainNode<Ref>[]>();
  const answered = new Set(chain.flatMap(({ type, toolUseIds }) => (type === 'user' ? toolUseIds : [])));
  for (const node of byUuid.values()) {
    if (node.type !== 'user' || inChain.has(node) || node.isSidechain) continue;
    if (node.toolUseIds.length === 0 || node.parentUuid === null) continue;
    const parentId = byUuid.get(node.parentUuid)?.messageId;
    const open = node.toolUseIds.find((id) => anchorOfCall.has(id) && !answered.has(id));
    const anchor =
      (open === undefined ? undefined : anchorOfCall.get(open)) ??
      (parentId === undefined ? undefined : anchors.get(parentId));
    if (anchor === undefined) continue;
    addTo(results, anchor, node);
    for (const id of node.toolUseIds) answered.add(id);
  }
  for (const list of beside.values()) list.sort(byTime);
  for (const [anchor, list] of results) {
    for (const node of list.sort(byTime)) addTo(beside, anchor, node);
  }
  if (beside.size === 0) return chain;
  return chain.flatMap((node) => [node, ...(beside.get(node) ?? [])]);
}

function byTime(one: ChainNode<unknown>, other: ChainNode<unknown>): number {
  return one.timestamp < other.timestamp ? -1 : one.timestamp > other.timestamp ? 1 : 0;
}

function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** True for messages: not meta, not a teammate's, `system` only on demand. */
export function isShown(node: ChainNode<unknown>, includeSystemMessages = false): boolean {
  if (node.isMeta || node.isSidechain || node.isTeam) return false;
  return isTurn(node) || (includeSystemMessages && node.type === 'system');
}

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
