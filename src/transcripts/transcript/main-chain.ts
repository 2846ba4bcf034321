import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import type { SessionMessage } from '../session-types.js';
import { chainOf, chainToLast, isShown, isTurn } from './chain.js';
import { type ChainNode, chainNodeOf } from './chain-node.js';
import { DeliveryNotes } from './delivery-notes.js';
import type { TranscriptEntry } from './entry.js';
import { shownOrigin } from './origin.js';
import { type QueuedPrompt, queuedPromptOf } from './queued-prompts.js';

/** Who started a subagent. */
export interface SubagentParents {
  readonly parentToolUseId: string | null;
  readonly parentAgentId: string | null;
}

/** For messages of the main conversation. */
const NO_PARENTS: SubagentParents = { parentToolUseId: null, parentAgentId: null };

/** @param metadata - The fields of a subagent's sidecar file, or of the entry that replaces it in a store. */
export function parentsIn(metadata: JsonObject | undefined): SubagentParents {
  if (metadata === undefined) return NO_PARENTS;
  return {
    parentToolUseId: stringField(metadata, 'toolUseId') ?? null,
    parentAgentId: stringField(metadata, 'parentAgentId') ?? null,
  };
}

/** Which messages of a transcript are returned. */
export interface MessageChoice {
  readonly includeSystemMessages?: boolean | undefined;
  /** For the transcript of a subagent: it has one conversation, without system messages. */
  readonly parents?: SubagentParents;
}

/** The facts of a transcript that its messages are found by, collected from its entries one after another. */
export class TranscriptFacts<Ref> {
  readonly #nodes: ChainNode<Ref>[] = [];
  readonly #notes = new DeliveryNotes();

  add(entry: TranscriptEntry, ref: Ref): void {
    this.#notes.add(entry);
    const node = chainNodeOf(entry, ref);
    if (node !== undefined) this.#nodes.push(node);
  }

  /** The nodes of the messages, in order. */
  messageNodes({ includeSystemMessages, parents }: MessageChoice): ChainNode<Ref>[] {
    return parents === undefined
      ? chainOf(this.#nodes, this.#notes).filter((node) => isShown(node, includeSystemMessages))
      : chainToLast(this.#nodes).filter((node) => isTurn(node) || node.isDelivered === true);
  }
}

/** The messages in `entries`, a whole transcript in order. */
export function messagesIn(entries: readonly TranscriptEntry[], choice: MessageChoice = {}): SessionMessage[] {
  const facts = new TranscriptFacts<TranscriptEntry>();
  for (const entry of entries) facts.add(entry, entry);
  return facts
    .messageNodes(choice)
    .map(({ ref, isLocalCommand }) => toSessionMessage(ref, choice.parents, isLocalCommand));
}

/** One entry as a message. Missing fields are `undefined`. */
export function toSessionMessage(
  entry: TranscriptEntry,
  parents: SubagentParents = NO_PARENTS,
  isLocalCommand = false,
): SessionMessage {
  const queued = queuedPromptOf(entry);
  if (queued !== undefined) return queuedMessage(entry, queued, parents);
  const isSummary = entry.isCompactSummary === true;
  const meta = toolResultMeta(entry);
  return {
    // Only these three types pass `isShown`, and they have a uuid.
    type: entry.type as SessionMessage['type'],
    uuid: entry.uuid as string,
    session_id: entry.sessionId as string,
    message: entry.message,
    parent_tool_use_id: parents.parentToolUseId,
    parent_agent_id: parents.parentAgentId,
    ...(meta === undefined ? {} : { tool_result_meta: meta }),
    ...(isSummary ? { isCompactSummary: true } : {}),
    ...(isSummary || entry.isMeta === true || entry.isVisibleInTranscriptOnly === true ? { is_meta: true } : {}),
    ...(isLocalCommand ? { isCompletedLocalCommand: true } : {}),
    ...(entry.timestamp === undefined ? {} : { timestamp: entry.timestamp }),
    ...shownOrigin(entry.origin),
  };
}

/** A prompt that was sent in mid-turn, as the user message that it is. */
function queuedMessage(entry: TranscriptEntry, queued: QueuedPrompt, parents: SubagentParents): SessionMessage {
  return {
    type: 'user',
    uuid: queued.uuid,
    session_id: entry.sessionId as string,
    message: { role: 'user', content: queued.prompt },
    parent_tool_use_id: parents.parentToolUseId,
    parent_agent_id: parents.parentAgentId,
    ...(queued.isMeta ? { is_meta: true } : {}),
    isQueuedCommand: true,
    ...(entry.timestamp === undefined ? {} : { timestamp: entry.timestamp }),
    ...shownOrigin(queued.origin),
  };
}

/** The CLI's reasons for not running a call. Other reasons are dropped. */
const KINDS: readonly unknown[] = ['permission-rule', 'user-rejected', 'interrupted', 'cancelled'];

/** The `tool_result_meta` of a call that was not run. For one result only, since entries do not say which one. */
function toolResultMeta(
  entry: TranscriptEntry,
): readonly { readonly id: string; readonly non_execution_kind: unknown }[] | undefined {
  const kind = entry.toolDenialKind;
  if (!KINDS.includes(kind)) return undefined;
  const content = isJsonObject(entry.message) ? entry.message.content : undefined;
  const results = (Array.isArray(content) ? content : [])
    .filter(isJsonObject)
    .filter((block) => block.type === 'tool_result');
  const id = results.length === 1 ? results[0]?.tool_use_id : undefined;
  return typeof id === 'string' ? [{ id, non_execution_kind: kind }] : undefined;
}
