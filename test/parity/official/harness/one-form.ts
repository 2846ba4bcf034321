import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../../../src/constants.js';
import type { JsonObject } from '../../../../src/util/json.js';

/**
 * The fields of an `initialize` with a system prompt of one part as that part: the official SDK writes a list of it,
 * ours a text, and the CLI makes the same request of both, unless the part holds the boundary of parts (D-203).
 */
export function inOneForm(request: JsonObject): JsonObject {
  const { systemPrompt } = request;
  if (!Array.isArray(systemPrompt) || systemPrompt.length !== 1) return request;
  const [text]: readonly unknown[] = systemPrompt;
  return String(text).includes(SYSTEM_PROMPT_DYNAMIC_BOUNDARY) ? request : { ...request, systemPrompt: text };
}
