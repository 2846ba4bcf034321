import { isJsonObject, type JsonObject } from '../../util/json.js';

/**
 * What SDKs write in two ways that the CLI takes for the same, as a pattern that accepts both.
 * @param asked - The input that a permission answer is about.
 */
export function eitherForm(pattern: JsonObject, asked: unknown): JsonObject {
  const { request, response } = pattern;
  if (isJsonObject(request) && request.subtype === 'initialize' && 'systemPrompt' in request) {
    return { ...pattern, request: { ...request, systemPrompt: textOrList(request.systemPrompt) } };
  }
  const answer = isJsonObject(response) ? response.response : undefined;
  if (!isJsonObject(response) || !isJsonObject(answer) || answer.behavior !== 'allow' || 'updatedInput' in answer) {
    return pattern;
  }
  if (asked === undefined) return pattern;
  // With the input that was asked about, or without it.
  const either = { $oneOf: [answer, { ...answer, updatedInput: asked }] };
  return { ...pattern, response: { ...response, response: either } };
}

/** A system prompt of one part is a text, or a list of it. */
function textOrList(prompt: unknown): unknown {
  if (Array.isArray(prompt) && prompt.length > 1) return prompt;
  const text: unknown = Array.isArray(prompt) ? (prompt[0] ?? '') : prompt;
  return { $oneOf: [text, [text]] };
}
