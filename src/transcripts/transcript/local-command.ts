import { isJsonObject } from '../../util/json.js';
import type { ChainNode } from './chain-node.js';
import type { TranscriptEntry } from './entry.js';

/** What a user entry holds of a slash command that ran in the CLI itself: the note before it, its name, what it printed. */
export type LocalCommandPart = 'caveat' | 'name' | 'output';

const BEGINNINGS: readonly (readonly [string, LocalCommandPart])[] = [
  ['<local-command-caveat>', 'caveat'],
  ['<command-name>', 'name'],
  ['<local-command-stdout>', 'output'],
  ['<local-command-stderr>', 'output'],
];

export function localCommandPart(entry: TranscriptEntry): LocalCommandPart | undefined {
  const message = entry.type === 'user' ? entry.message : undefined;
  const content = isJsonObject(message) ? message.content : undefined;
  const texts: readonly unknown[] = Array.isArray(content)
    ? content.map((block: unknown) => (isJsonObject(block) ? block.text : undefined))
    : [content];
  return BEGINNINGS.find(([beginning]) =>
    texts.some((text) => typeof text === 'string' && text.startsWith(beginning)),
  )?.[1];
}

/** Marks the names and outputs of local commands in a chain: what follows the note, up to another message. */
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
      (last === 'caveat' && node.localCommand === 'name') ||
      (last === 'command' && node.localCommand === 'output');
    if (isPart) node.isLocalCommand = true;
    last = isPart ? 'command' : undefined;
  }
  return chain;
}
