import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Question } from './questions.js';

/**
 * What an SDK will write where somebody wrote a control response by hand: of an MCP server's answers only what its
 * tools decide. `undefined` when an SDK writes nothing: the CLI had taken its question back.
 */
export function expectedAnswer(
  frame: JsonObject,
  question: Question | undefined,
): JsonObject | undefined {
  if (question?.isCancelled === true) return undefined;
  const message = question?.request.message;
  const response = frame.response;
  const payload = isJsonObject(response) ? response.response : undefined;
  const reply = isJsonObject(payload) ? payload.mcp_response : undefined;
  if (!isJsonObject(message) || !isJsonObject(reply) || !isJsonObject(response)) return frame;
  const loosened = loosen(String(message.method), reply);
  if (loosened === undefined) return frame;
  return {
    ...frame,
    response: { ...response, response: { mcp_response: loosened } },
  };
}

function loosen(method: string, reply: JsonObject): JsonObject | undefined {
  const { id, result } = reply;
  if (method === 'initialize') return { id, result: {} };
  if (method.startsWith('notifications/')) return {};
  const tools = isJsonObject(result) ? result.tools : undefined;
  if (method !== 'tools/list' || !Array.isArray(tools)) return undefined;
  return { id, result: { tools: tools.map((tool: JsonObject) => ({ name: tool.name })) } };
}

/** A request without the names of in-process servers: an SDK may give them on the command line instead. */
export function withoutServers(request: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(request).filter(([key]) => !key.startsWith('sdkMcpServer')),
  );
}
