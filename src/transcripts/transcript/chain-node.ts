import { isJsonObject, type JsonObject } from '../../util/json.js';
import { isLinkedEntry, type TranscriptEntry } from './entry.js';
import { isHiddenMeta } from './origin.js';
import { effectOnQueue, type QueueFacts, queuedPromptOf } from './queued-prompts.js';

/** Messages that a compaction kept, oldest first. They follow `anchorUuid`. */
export interface KeptMessages {
  readonly anchorUuid: string;
  readonly range: { readonly headUuid: string; readonly tailUuid: string } | { readonly uuids: readonly string[] };
}

/**
 * The facts of one entry that a chain needs, so that the rest need not stay in memory. `ref` is the entry itself or its
 * place in a file.
 */
export interface ChainNode<Ref> extends QueueFacts {
  parentUuid: string | null;
  readonly type: string;
  readonly isSidechain: boolean;
  /** Written for a teammate. */
  readonly isTeam: boolean;
  /** Written for the model only. */
  readonly isHidden: boolean;
  /** Not typed by the user: hidden, or of another sender. */
  readonly isMeta: boolean;
  /** `message.id` of an assistant entry: one answer of the model is written as several entries. */
  readonly messageId: string | undefined;
  /** The calls in an assistant entry, or those whose results a user entry brings. */
  readonly toolUseIds: readonly string[];
  readonly timestamp: string;
  readonly kept: KeptMessages | undefined;
  readonly localCommand?: LocalCommandPart | undefined;
  /** Set by `markLocalCommands`: the name or output of a slash command that ran inside the CLI. */
  isLocalCommand?: boolean;
  readonly ref: Ref;
}

/** Nodes by their uuid. */
export type Nodes<Ref> = Map<string, ChainNode<Ref>>;

/** The node of `entry`, or `undefined` when it cannot be part of a conversation. */
export function chainNodeOf<Ref>(entry: TranscriptEntry, ref: Ref): ChainNode<Ref> | undefined {
  if (!isLinkedEntry(entry)) return undefined;
  const message = isJsonObject(entry.message) ? entry.message : undefined;
  const parentUuid = entry.parentUuid;
  const messageId = entry.type === 'assistant' ? message?.id : undefined;
  return {
    uuid: entry.uuid,
    parentUuid: typeof parentUuid === 'string' ? parentUuid : null,
    type: entry.type,
    isSidechain: entry.isSidechain === true,
    isTeam: entry.teamName !== undefined,
    isHidden: isHiddenMeta(entry.isMeta, entry.origin),
    isMeta: Boolean(entry.isMeta),
    messageId: typeof messageId === 'string' ? messageId : undefined,
    toolUseIds: toolUseIdsOf(entry.type, message),
    timestamp: typeof entry.timestamp === 'string' ? entry.timestamp : '',
    kept: keptBy(entry),
    localCommand: localCommandPart(entry),
    queued: queuedPromptOf(entry),
    onQueue: effectOnQueue(entry),
    ref,
  };
}

const NONE: readonly string[] = [];

function toolUseIdsOf(type: string, message: JsonObject | undefined): readonly string[] {
  const content = message?.content;
  if (!Array.isArray(content) || (type !== 'user' && type !== 'assistant')) return NONE;
  const ids: string[] = [];
  for (const block of content as unknown[]) {
    if (!isJsonObject(block)) continue;
    const isCall = type === 'assistant' && block.type === 'tool_use';
    const isResult = type === 'user' && block.type === 'tool_result';
    const id = isCall ? block.id : isResult ? block.tool_use_id : undefined;
    if (typeof id === 'string') ids.push(id);
  }
  return ids.length === 0 ? NONE : ids;
}

function keptBy(entry: TranscriptEntry): KeptMessages | undefined {
  const metadata = entry.compactMetadata;
  if (entry.subtype !== 'compact_boundary' || !isJsonObject(metadata)) return undefined;
  const { preservedMessages: list, preservedSegment: segment } = metadata;
  if (isJsonObject(list) && typeof list.anchorUuid === 'string' && isListOfTexts(list.uuids)) {
    return { anchorUuid: list.anchorUuid, range: { uuids: list.uuids } };
  }
  if (!isJsonObject(segment)) return undefined;
  const { anchorUuid, headUuid, tailUuid } = segment;
  if (typeof anchorUuid !== 'string') return undefined;
  if (typeof headUuid !== 'string' || typeof tailUuid !== 'string') return undefined;
  return { anchorUuid, range: { headUuid, tailUuid } };
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** The parts of a slash command that ran inside the CLI: the note before it, its name, its output. */
type LocalCommandPart = 'caveat' | 'name' | 'output';

const BEGINNINGS: readonly (readonly [string, LocalCommandPart])[] = [
  ['<local-command-caveat>', 'caveat'],
  ['<command-name>', 'name'],
  ['<local-command-stdout>', 'output'],
  ['<local-command-stderr>', 'output'],
];

function localCommandPart(entry: TranscriptEntry): LocalCommandPart | undefined {
  const message = entry.type === 'user' ? entry.message : undefined;
  const content = isJsonObject(message) ? message.content : undefined;
  const texts: readonly unknown[] = Array.isArray(content)
    ? content.map((block: unknown) => (isJsonObject(block) ? block.text : undefined))
    : [content];
  return BEGINNINGS.find(([beginning]) =>
    texts.some((text) => typeof text === 'string' && text.startsWith(beginning)),
  )?.[1];
}

/** Marks the names and outputs of local commands in a chain: they follow the note, up to another message. */
export function markLocalCommands<Node extends ChainNode<unknown>>(chain: Node[]): Node[] {
  let last: 'caveat' | 'command' | undefined;
  for (const node of chain) {
    if (node.type === 'assistant') last = undefined;
    if (node.type !== 'user') continue;
    if (node.isMeta) {
      if (node.localCommand === 'caveat') last = 'caveat';
      continue;
    }
    const isPart =
      (last === 'caveat' && node.localCommand === 'name') || (last === 'command' && node.localCommand === 'output');
    if (isPart) node.isLocalCommand = true;
    last = isPart ? 'command' : undefined;
  }
  return chain;
}
