import { type ChainNode, markLocalCommands, type Nodes } from './chain-node.js';
import type { DeliveryNotes } from './delivery-notes.js';
import { relinkKept } from './kept-messages.js';
import { markDelivered } from './queued-prompts.js';

/**
 * The conversation that a transcript ends with: from its first message to the last one that belongs to the main
 * conversation, then the prompts that were queued behind it. Entries of every linked type are in it; {@link isShown}
 * says which are messages. Changes `parentUuid` of nodes that a compaction kept.
 */
export function chainOf<Ref>(nodes: readonly ChainNode<Ref>[], notes?: DeliveryNotes): ChainNode<Ref>[] {
  const byUuid = nodesByUuid(nodes);
  relinkKept(byUuid);
  const end = lastEnd(byUuid);
  if (end === undefined) return [];
  const chain = markLocalCommands(withParallelAnswers(walkUp(end.turn, byUuid), byUuid));
  const behind = end.behind.filter(({ queued }) => queued !== undefined);
  const isWanted = (node: ChainNode<Ref>): boolean =>
    !node.isSidechain && !node.isTeam && node.queued?.isHidden === false;
  markDelivered(chain, { behind, isWanted, verdicts: notes?.verdictsOn([...chain, ...behind]) });
  return [...chain, ...behind];
}

/** The chain that ends at the last user or assistant entry: how a subagent's transcript is read. */
export function chainToLast<Ref>(nodes: readonly ChainNode<Ref>[]): ChainNode<Ref>[] {
  const byUuid = nodesByUuid(nodes);
  const leaf = [...byUuid.values()].findLast(isTurn);
  if (leaf === undefined) return [];
  const chain = markLocalCommands(walkUp(leaf, byUuid));
  markDelivered(chain);
  return chain;
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

/** Where a conversation ends: its last user or assistant entry, and the entries behind it, in order. */
interface ChainEnd<Ref> {
  readonly turn: ChainNode<Ref>;
  readonly behind: readonly ChainNode<Ref>[];
}

/** The end of the main conversation. Messages of a subagent or teammate count only when there are no others. */
function lastEnd<Ref>(byUuid: Nodes<Ref>): ChainEnd<Ref> | undefined {
  const all = [...byUuid.values()];
  const main = all.filter((node) => !node.isSidechain && !node.isTeam && node.type !== 'progress');
  return endOf(main, byUuid) ?? endOf(all, byUuid);
}

/** The user or assistant entry nearest to the last leaf of `nodes`. */
function endOf<Ref>(nodes: readonly ChainNode<Ref>[], byUuid: Nodes<Ref>): ChainEnd<Ref> | undefined {
  const parents = new Set(nodes.map(({ parentUuid }) => parentUuid));
  const seen = new Set<ChainNode<Ref>>();
  for (const leaf of nodes.toReversed()) {
    const behind: ChainNode<Ref>[] = [];
    let node: ChainNode<Ref> | undefined = parents.has(leaf.uuid) ? undefined : leaf;
    while (node !== undefined && !seen.has(node)) {
      if (isTurn(node)) return { turn: node, behind: behind.reverse() };
      seen.add(node);
      behind.push(node);
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

/** True for messages: not hidden, not a teammate's, `system` only on demand. */
export function isShown(node: ChainNode<unknown>, includeSystemMessages = false): boolean {
  if (node.isDelivered === true) return true;
  if (node.isHidden || node.isSidechain || node.isTeam) return false;
  return isTurn(node) || (includeSystemMessages && node.type === 'system');
}
