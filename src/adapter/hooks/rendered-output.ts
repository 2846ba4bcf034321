import { isJsonObject } from '../../util/json.js';

/** A tool's response as text for an event, which cuts it: its stdout, else its text, else its JSON. */
export function renderedOutput(response: unknown): string {
  return stdoutOf(response) ?? textOf(response) ?? jsonOf(response);
}

function stdoutOf(response: unknown): string | undefined {
  const stdout = isJsonObject(response) ? response.stdout : undefined;
  return typeof stdout === 'string' && stdout !== '' ? stdout : undefined;
}

/** Of a plain text, of text blocks, or of an object that has either as its `content`. */
function textOf(response: unknown): string | undefined {
  if (typeof response === 'string') return response;
  if (isJsonObject(response)) {
    const { content } = response;
    return typeof content === 'string' || Array.isArray(content) ? textOf(content) : undefined;
  }
  if (!Array.isArray(response)) return undefined;
  const texts = response
    .filter(isJsonObject)
    .filter(({ type, text }) => type === 'text' && typeof text === 'string')
    .map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join('\n');
}

function jsonOf(response: unknown): string {
  try {
    return JSON.stringify(response) ?? '';
  } catch {
    return '';
  }
}
