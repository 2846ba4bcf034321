import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { TranscriptEntry } from './entry.js';
import { isHiddenMeta, queuedOrigin } from './origin.js';

/** A prompt that was sent while a turn ran. The CLI gives it to the model in that turn, and stores an attachment. */
export interface QueuedPrompt {
  /** The `uuid` that it was sent with; without one, that of its entry. */
  readonly uuid: string;
  /** A text, or blocks. */
  readonly prompt: unknown;
  /** Not typed by the user: hidden, or of another sender. */
  readonly isMeta: boolean;
  /** Written for the model only. */
  readonly isHidden: boolean;
  readonly origin: JsonObject | undefined;
}

/** What the reading of queued prompts needs to know of an entry. */
export interface QueueFacts {
  readonly uuid: string;
  readonly queued: { readonly uuid: string; readonly isHidden: boolean } | undefined;
  readonly onQueue: QueueEffect | undefined;
  /** A slash command that ran inside the CLI starts no turn, so it says nothing about the queue. */
  readonly isLocalCommand?: boolean;
  /** Set by {@link markDelivered}: a queued prompt that is a message of the conversation. */
  isDelivered?: boolean;
}

/** The queued prompt that an entry with a `uuid` holds. */
export function queuedPromptOf(entry: TranscriptEntry): QueuedPrompt | undefined {
  const attachment = entry.type === 'attachment' ? entry.attachment : undefined;
  if (!isJsonObject(attachment) || attachment.type !== 'queued_command') return undefined;
  const { prompt, source_uuid: sentWith, isMeta } = attachment;
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) return undefined;
  const origin = queuedOrigin(attachment);
  return {
    uuid: typeof sentWith === 'string' && sentWith !== '' ? sentWith : (entry.uuid as string),
    prompt,
    isMeta: Boolean(isMeta),
    isHidden: isHiddenMeta(isMeta, origin),
    origin,
  };
}

/** What an entry says about the queued prompts before it: the turn went on with them, or ended without them. */
export type QueueEffect = 'delivered' | 'dropped';

export function effectOnQueue(entry: TranscriptEntry): QueueEffect | undefined {
  if (entry.type === 'assistant') return 'delivered';
  if (entry.type !== 'user') return undefined;
  const content = isJsonObject(entry.message) ? entry.message.content : undefined;
  if (isInterrupt(content) || hasResult(content)) return 'delivered';
  return entry.isMeta || entry.isCompactSummary === true ? undefined : 'dropped';
}

const INTERRUPT = /^\[Request interrupted by user(?: for tool use)?\]/;

function isInterrupt(content: unknown): boolean {
  const [only, ...others]: unknown[] = Array.isArray(content) ? content : [content];
  const text = isJsonObject(only) ? only.text : only;
  return others.length === 0 && typeof text === 'string' && INTERRUPT.test(text);
}

function hasResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => isJsonObject(block) && block.type === 'tool_result');
}

/** How {@link markDelivered} reads a chain. */
export interface QueueReading<Node> {
  /** Queued prompts after the end of the chain, which wait for the turn to go on. */
  readonly behind?: readonly Node[];
  /** The others are passed over. */
  readonly isWanted?: (node: Node) => boolean;
  /** What the CLI noted about entries, by `uuid`. The others are judged by what comes after them. */
  readonly verdicts?: ReadonlyMap<string, boolean> | undefined;
}

/** Marks the queued prompts of a chain that are messages: Claude saw them, and they are nowhere else in the chain. */
export function markDelivered<Node extends QueueFacts>(
  chain: readonly Node[],
  { behind = [], isWanted = () => true, verdicts }: QueueReading<Node> = {},
): void {
  const delivered: Node[] = [];
  let waiting: Node[] = [];
  const settle = (isDelivered: boolean): void => {
    delivered.push(...waiting.filter(({ uuid }) => verdicts?.get(uuid) ?? isDelivered));
    waiting = [];
  };
  for (const node of chain) {
    if (node.queued !== undefined && isWanted(node)) waiting.push(node);
    if (node.onQueue !== undefined && node.isLocalCommand !== true) settle(node.onQueue === 'delivered');
  }
  settle(false);
  waiting = behind.filter(isWanted);
  settle(true);
  if (delivered.length === 0) return;
  const known = new Set([...chain, ...behind].map(({ uuid }) => uuid));
  for (const node of delivered) {
    const uuid = node.queued?.uuid ?? node.uuid;
    if (uuid !== node.uuid && known.has(uuid)) continue;
    known.add(uuid);
    node.isDelivered = true;
  }
}
