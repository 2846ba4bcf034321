import { isJsonObject, type JsonObject } from '../../util/json.js';

const MAX_LENGTH = 200;

/** Prompts that the CLI itself wrote: a lower-case tag, or the note of an interrupt. */
const NOT_A_PROMPT = /^(?:<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

/** What a prompt without a text is called. */
export type PromptKind = 'Image' | 'Document';

/** Collects the first prompt of a session from its entries, one after another. */
export class FirstPrompt {
  #prompt: string | undefined;
  #command: string | undefined;
  #kind: PromptKind | undefined;

  /** The prompt, one line, at most 200 characters and `…`; without one the first slash command; else `''`. */
  get text(): string {
    return this.#prompt ?? this.#command ?? '';
  }

  /** The first slash command. */
  get command(): string | undefined {
    return this.#command;
  }

  /** What the first prompt with an image or a document is called, for a session without {@link text}. */
  get kind(): PromptKind | undefined {
    return this.#kind;
  }

  /** True when no later entry can change {@link text}. */
  get isFound(): boolean {
    return this.#prompt !== undefined;
  }

  add(entry: unknown): void {
    if (this.isFound || !isJsonObject(entry) || entry.type !== 'user' || entry.isMeta === true) return;
    const blocks = promptBlocks(isJsonObject(entry.message) ? entry.message.content : undefined);
    this.#kind ??= kindOf((type) => blocks.some((block) => block.type === type));
    if (entry.isCompactSummary === true) return;
    for (const { type, text: raw } of blocks) {
      if (type !== 'text' || typeof raw !== 'string') continue;
      const text = raw.replaceAll('\n', ' ').trim();
      const command = inTag('command-name', text);
      if (command !== undefined) {
        this.#command ??= command;
        continue;
      }
      const bash = inTag('bash-input', text);
      if (bash === undefined && (text === '' || NOT_A_PROMPT.test(text))) continue;
      this.#prompt = bash === undefined ? cut(text) : `! ${bash.trim()}`;
      return;
    }
  }
}

/** The content of the first `<tag>…</tag>`. No pattern: it would start anew at each `<tag>` that is never closed. */
function inTag(tag: string, text: string): string | undefined {
  const open = text.indexOf(`<${tag}>`);
  if (open === -1) return undefined;
  const start = open + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, start);
  return end === -1 ? undefined : text.slice(start, end);
}

/** The blocks of a message. None when it has a tool result. */
function promptBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  return blocks.some(({ type }) => type === 'tool_result') ? [] : blocks;
}

function kindOf(hasBlock: (type: string) => boolean): PromptKind | undefined {
  if (hasBlock('image')) return 'Image';
  return hasBlock('document') ? 'Document' : undefined;
}

/** As {@link FirstPrompt.kind}, from the beginning of a line that is too long to be read whole: a large image. */
export function kindOfCutLine(line: string): PromptKind | undefined {
  const has = (type: string) => line.includes(`"type":"${type}"`) || line.includes(`"type": "${type}"`);
  return has('user') && !has('tool_result') && !/"isMeta": ?true/.test(line) ? kindOf(has) : undefined;
}

function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  // The half of a surrogate pair would be shown as a broken character.
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(MAX_LENGTH - 1));
  return `${text.slice(0, isSplit ? MAX_LENGTH - 1 : MAX_LENGTH).trim()}…`;
}

/**
 * True for an entry that brings something new from the person or program in charge, so that an archived session is in
 * use again: a prompt, a shell command, a slash command with a prompt behind it, or a queued prompt.
 */
export function isPromptEntry(entry: JsonObject): boolean {
  if (entry.isSidechain === true) return false;
  if (entry.type === 'attachment') {
    const attachment = entry.attachment;
    return (
      isJsonObject(attachment) &&
      attachment.type === 'queued_command' &&
      attachment.isMeta !== true &&
      attachment.commandMode !== 'task-notification' &&
      isFromOutside(attachment.origin) &&
      holdsPrompt(attachment.prompt)
    );
  }
  if (entry.type !== 'user') return false;
  if (entry.isMeta === true || entry.isCompactSummary === true) return false;
  if (entry.isVisibleInTranscriptOnly === true || !isFromOutside(entry.origin)) return false;
  const { turnOrigin, message } = entry;
  if (turnOrigin === 'task-notification') return false;
  return isJsonObject(message) && holdsPrompt(message.content);
}

/** Older releases wrote no origin. */
function isFromOutside(origin: unknown): boolean {
  return origin === undefined || (isJsonObject(origin) && origin.kind === 'human');
}

function holdsPrompt(content: unknown): boolean {
  if (typeof content === 'string') return isPromptText(content);
  if (!Array.isArray(content)) return false;
  const blocks = content.filter(isJsonObject);
  if (blocks.some(({ type }) => type === 'tool_result')) return false;
  return blocks.some(({ type, text }) => (type === 'text' ? typeof text === 'string' && isPromptText(text) : true));
}

function isPromptText(raw: string): boolean {
  const text = raw.trim();
  if (text.startsWith('<bash-input>') || text.startsWith('<command-message>')) return true;
  return text !== '' && !NOT_A_PROMPT.test(text);
}
