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
  const chain = markLocalCommands(withParallelAnswers(walkUp(end.turn, byUuid), inFirstPlaces(nodes)));
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

/** From the first entry of its conversation to the entry `uuid`, hidden ones and all. Changes nodes as `chainOf` does. */
export function chainTo<Ref>(uuid: string, nodes: readonly ChainNode<Ref>[]): ChainNode<Ref>[] {
  const byUuid = nodesByUuid(nodes);
  relinkKept(byUuid);
  const leaf = byUuid.get(uuid);
  return leaf === undefined ? [] : walkUp(leaf, byUuid);
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

/** Like `nodesByUuid`, but an entry that was written twice keeps its first place. */
function inFirstPlaces<Ref>(nodes: readonly ChainNode<Ref>[]): Nodes<Ref> {
  return new Map(nodes.map((node) => [node.uuid, node]));
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
  const beside = new Map<string, ChainNode<Ref>[]>();
  for (const node of byUuid.values()) {
    if (node.messageId === undefined || node.isSidechain || inChain.has(node)) continue;
    if (anchors.has(node.messageId)) addTo(beside, node.messageId, node);
  }
  const results = resultsBeside(chain, byUuid);
  const byTimeAndCall = orderOfResults(byUuid);
  const others = new Map<ChainNode<Ref>, readonly ChainNode<Ref>[]>();
  for (const [messageId, anchor] of anchors) {
    const calls = (beside.get(messageId) ?? []).sort(byTime);
    others.set(anchor, [...calls, ...(results.get(messageId) ?? []).sort(byTimeAndCall)]);
  }
  return chain.flatMap((node) => [node, ...(others.get(node) ?? [])]);
}

/**
 * The results outside the chain, by the `messageId` of the answer in the chain that they belong to. That is the answer
 * of their parent, or the one that made the call. Some backends number their calls, so an id counts only when a single
 * answer of the whole file used it.
 */
function resultsBeside<Ref>(chain: readonly ChainNode<Ref>[], byUuid: Nodes<Ref>): Map<string, ChainNode<Ref>[]> {
  const inChain = new Set(chain);
  const callers = callersOf(byUuid);
  const children = new Map<string, ChainNode<Ref>[]>();
  const answers = new Map<string, ChainNode<Ref>[]>();
  for (const node of byUuid.values()) {
    if (node.type !== 'user' || inChain.has(node)) continue;
    if (node.toolUseIds.length === 0 || node.parentUuid === null) continue;
    const parentId = byUuid.get(node.parentUuid)?.messageId;
    // That of a sidechain is not shown, but the call has its result.
    if (parentId !== undefined) addTo(children, parentId, node);
    if (node.isSidechain) continue;
    for (const id of node.toolUseIds) {
      const caller = callers.get(id);
      if (caller?.messageId !== undefined && !caller.isSidechain) addTo(answers, caller.messageId, node);
    }
  }
  const answered = new Set(chain.flatMap(({ type, toolUseIds }) => (type === 'user' ? toolUseIds : [])));
  const taken = new Set<ChainNode<Ref>>();
  const results = new Map<string, ChainNode<Ref>[]>();
  for (const messageId of new Set(chain.flatMap((node) => node.messageId ?? []))) {
    const own = new Set<string>();
    const take = (node: ChainNode<Ref>): void => {
      taken.add(node);
      addTo(results, messageId, node);
      for (const id of node.toolUseIds) own.add(id);
    };
    for (const node of children.get(messageId) ?? []) if (!taken.has(node)) take(node);
    for (const node of answers.get(messageId) ?? []) {
      const isOpen = (id: string): boolean =>
        callers.get(id)?.messageId === messageId && !answered.has(id) && !own.has(id);
      if (!taken.has(node) && node.toolUseIds.some(isOpen)) take(node);
    }
  }
  return results;
}

/** The last entry that made each call. `undefined` for an id that several answers of the model used. */
function callersOf<Ref>(byUuid: Nodes<Ref>): ReadonlyMap<string, ChainNode<Ref> | undefined> {
  const callers = new Map<string, ChainNode<Ref> | undefined>();
  for (const node of byUuid.values()) {
    if (node.messageId === undefined) continue;
    for (const id of node.toolUseIds) {
      const isAlone = !callers.has(id) || callers.get(id)?.messageId === node.messageId;
      callers.set(id, isAlone ? node : undefined);
    }
  }
  return callers;
}

/** Results that were written within a millisecond come in the order of the entries that they follow. */
function orderOfResults<Ref>(byUuid: Nodes<Ref>): (one: ChainNode<Ref>, other: ChainNode<Ref>) => number {
  let places: ReadonlyMap<string | null, number> | undefined;
  const placeOf = ({ parentUuid }: ChainNode<Ref>): number => {
    places ??= new Map([...byUuid.keys()].map((uuid, place) => [uuid, place]));
    return places.get(parentUuid) ?? -1;
  };
  return (one, other) => byTime(one, other) || placeOf(one) - placeOf(other);
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
