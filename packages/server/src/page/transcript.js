import { recordOf, recordsOf, textOf } from './dom.js';

/** What a user wrote, or `undefined` for any other message. @param {Record<string, unknown>} message */
export function promptOf(message) {
  if (message.type !== 'user') return undefined;
  const { content } = recordOf(message.message);
  if (typeof content === 'string') return content;
  const blocks = recordsOf(content);
  if (blocks.length === 0 || blocks.some(({ type }) => type !== 'text')) return undefined;
  return blocks.map(({ text }) => textOf(text)).join('\n');
}

/**
 * The messages of a transcript that events have not shown. Messages are known by their ids, those of users by text and
 * place: their events have no id.
 *
 * @param {readonly Record<string, unknown>[]} messages The oldest first.
 * @param {(uuid: string) => boolean} isSeen
 * @param {string[]} prompts What users wrote, by the events. Those that are found are taken out.
 * @returns {Record<string, unknown>[]}
 */
export function unseenOf(messages, isSeen, prompts) {
  const seen = (/** @type {Record<string, unknown>} */ message) => isSeen(textOf(message.uuid));
  const last = messages.findLastIndex(seen);
  const first = last < 0 ? messages.length : messages.findIndex(seen);
  /** @type {Record<string, unknown>[]} */
  const unseen = [];
  // What is behind the last one that was seen is on its way as events.
  for (let index = (last < 0 ? messages.length : last) - 1; index >= 0; index -= 1) {
    const message = recordOf(messages[index]);
    const prompt = promptOf(message);
    // In front of the first one that was seen, those are known that follow each other up to it.
    const mayBeKnown = index > first || unseen.length === 0;
    const place = prompt !== undefined && mayBeKnown ? prompts.lastIndexOf(prompt) : -1;
    if (place >= 0) prompts.length = place;
    else if (prompt !== undefined || !seen(message)) unseen.push(message);
  }
  return unseen.reverse();
}
