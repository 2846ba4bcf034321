import { inspect } from 'node:util';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import type { CliSection } from '../scenario/scenario-types.js';

/** The text of a string or of a list of blocks; blocks without a text as `<type>`. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const textOf = (block: unknown): string =>
    isJsonObject(block) ? (stringField(block, 'text') ?? `<${String(block.type)}>`) : `<${typeof block}>`;
  return Array.isArray(content) ? content.map(textOf).join('\n') : '';
}

/** The text of one user message. */
export function promptText(frame: JsonObject): string {
  return isJsonObject(frame.message) ? contentText(frame.message.content) : '';
}

const SHORT = { maxStringLength: 200, breakLength: Number.POSITIVE_INFINITY };

/** What is said of frames that came after the last step; `undefined` where no user message is among them. */
export function ranOut(frames: readonly unknown[]): string | undefined {
  const texts = frames.filter(isUserMessage).map(shownPrompt);
  return texts.length === 0 ? undefined : `the script ran out: the application also sent ${texts.join(', ')}`;
}

/** Steps after a prompt, as JSON, that answer it, may do so in raw bytes, or are meant to stay on. */
const ANSWERED = /"type\\?":\s*\\?"result\\?"|"bytes":|"ignore":/;

/** What is said of steps that send no result after their last prompt; `undefined` of others. */
export function unansweredPrompt(steps: CliSection['steps'], received: readonly JsonObject[]): string | undefined {
  const last = steps.findLastIndex(({ step }) => 'in' in step && step.in.type === 'user');
  if (last === -1 || ANSWERED.test(JSON.stringify(steps.slice(last)))) return undefined;
  const prompt = received.filter(isUserMessage).map(shownPrompt).at(-1) ?? '';
  return `the script ended without a result for the prompt ${prompt}; add result(), or faults.stall() to stay silent`;
}

const shownPrompt = (frame: JsonObject): string => inspect(promptText(frame), SHORT);
const isUserMessage = (frame: unknown): frame is JsonObject => isJsonObject(frame) && frame.type === 'user';
