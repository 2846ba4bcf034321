import { errorText } from '../util/error-text.js';
import type { JsonObject } from '../util/json.js';
import { checkCallToolResult, errorResult } from './call-tool-result.js';
import { codeOf, errorResponse, errorResponseFrom, McpError, RpcCode, resultResponse } from './json-rpc.js';
import type { PreparedTool } from './server-definition.js';
import type { StandardIssue } from './standard-schema.js';
import type { ToolCall, ToolCallExtra } from './tool-call.js';

/** A handler as it is called: `tool()` tied the types of its arguments to the schema that parsed them. */
type Handler = (...args: readonly unknown[]) => unknown;

/** One `tools/call`. */
export interface ToolRun {
  /** Of the JSON-RPC request. */
  readonly id: unknown;
  readonly name: string;
  readonly args: JsonObject;
  readonly call: ToolCall;
  /** The handler's last argument. */
  readonly makeExtra: () => ToolCallExtra;
  /** The handler itself threw, as opposed to a check before or after it. */
  readonly onThrew: (error: unknown) => void;
}

/**
 * Checks the arguments, calls the handler, checks the result. Never rejects: a tool's failure is a
 * result that the model reads (TS-137, TS-138), a result of a wrong shape is a JSON-RPC error (TS-139).
 */
export async function runTool(
  tool: PreparedTool | undefined,
  { id, name, args, call, makeExtra, onThrew }: ToolRun,
): Promise<JsonObject> {
  try {
    if (tool === undefined) throw invalidParams(`Tool ${name} not found`);
    if (tool.schema === undefined) throw invalidParams(`Tool ${name} disabled`);
    const { validate } = tool.schema;
    const handlerArgs: unknown[] = [];
    if (validate !== undefined) {
      const outcome = validate(args);
      const parsed = 'then' in outcome ? await outcome : outcome;
      if (parsed.issues !== undefined) throw invalidArguments(name, parsed.issues);
      handlerArgs.push(parsed.value);
    }
    // Cancelled while its schemas were loaded or its arguments checked: the tool must not start.
    if (call.isOver) return resultResponse(id, {});
    handlerArgs.push(makeExtra());
    const checked = checkCallToolResult(await callHandler(tool, handlerArgs, onThrew));
    if ('result' in checked) return resultResponse(id, checked.result);
    const { code, message } = invalidParams(`Invalid tools/call result: ${showIssues(checked.issues)}`);
    return errorResponse(id, code, message);
  } catch (error) {
    // The one error that MCP wants as an error and not as a result: the client shows the URL and calls again.
    if (codeOf(error) === RpcCode.urlElicitationRequired) return errorResponseFrom(id, error);
    return resultResponse(id, errorResult(errorText(error)));
  }
}

async function callHandler(
  { definition }: PreparedTool,
  args: readonly unknown[],
  onThrew: ToolRun['onThrew'],
): Promise<unknown> {
  try {
    return await (definition.handler as Handler)(...args);
  } catch (error) {
    onThrew(error);
    throw error;
  }
}

function invalidParams(message: string): McpError {
  return new McpError(RpcCode.invalidParams, message);
}

function invalidArguments(name: string, issues: readonly StandardIssue[]): McpError {
  return invalidParams(`Input validation error: Invalid arguments for tool ${name}: ${showIssues(issues)}`);
}

function showIssues(issues: readonly StandardIssue[]): string {
  try {
    return JSON.stringify(issues, null, 2);
  } catch {
    // An issue may hold the offending value itself, a BigInt or a cycle.
    return issues.map((issue) => issue.message).join('\n');
  }
}
