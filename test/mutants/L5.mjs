// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source

/** In-process MCP servers. */
export default [
  {
    name: 'rpc-id-as-text',
    file: 'src/mcp/json-rpc.ts',
    find: "return { result, jsonrpc: '2.0', id };",
    replace: "return { result, jsonrpc: '2.0', id: String(id) };",
    breaks: 'A JSON-RPC answer carries its number as a string.',
  },
  {
    name: 'id-zero-is-a-notification',
    file: 'src/control/mcp-bridge.ts',
    find: 'message.id !== undefined && message.id !== null',
    replace: 'Boolean(message.id)',
    breaks: 'A JSON-RPC request with the id 0 is acknowledged and not answered.',
  },
  {
    name: 'notification-unanswered',
    file: 'src/control/mcp-bridge.ts',
    find: 'return success(ACKNOWLEDGED);',
    replace: 'return SILENT;',
    breaks: 'The control request around a notification gets no answer.',
  },
  {
    name: 'tool-failure-as-rpc-error',
    file: 'src/mcp/run-tool.ts',
    find: '    return resultResponse(id, errorResult(errorText(error)));',
    replace: '    return errorResponseFrom(id, error);',
    breaks: 'A tool that throws is a JSON-RPC error the model does not see.',
  },
  {
    name: 'unknown-server-unanswered',
    file: 'src/control/mcp-bridge.ts',
    find: 'return failure(`SDK MCP server not found: ${name}`);',
    replace: 'return SILENT;',
    breaks: 'A message for a server that is not there gets no answer.',
  },
  {
    name: 'protocol-version-always-newest',
    file: 'src/mcp/tool-table-endpoint.ts',
    find: 'protocolVersion: known ?? PROTOCOL_VERSIONS[0],',
    replace: 'protocolVersion: PROTOCOL_VERSIONS[0],',
    breaks: 'The protocol version that the client asked for is not echoed.',
  },
  {
    name: 'unknown-method-succeeds',
    file: 'src/mcp/tool-table-endpoint.ts',
    find: "return errorResponse(id, RpcCode.methodNotFound, 'Method not found');",
    replace: 'return resultResponse(id, {});',
    breaks: 'A method that is not known is answered with an empty result.',
  },
  {
    name: 'arguments-unchecked',
    file: 'src/mcp/run-tool.ts',
    find: 'if (parsed.issues !== undefined) throw invalidArguments(name, parsed.issues);',
    replace: '',
    breaks: 'A tool runs with arguments that its schema refuses.',
  },
  {
    name: 'cancelled-call-runs-on',
    file: 'src/mcp/tool-table-endpoint.ts',
    find: 'this.#running.get(requestId)?.cancel(reason);',
    replace: 'void reason;',
    breaks: 'notifications/cancelled does not reach the tool.',
  },
  {
    name: 'error-flag-of-a-tool-lost',
    file: 'src/mcp/run-tool.ts',
    find: '? resultResponse(id, checked.result)',
    replace: '? resultResponse(id, { content: checked.result.content })',
    breaks: 'Of a result only its content is sent: isError and structuredContent are lost.',
  },
  {
    name: 'unknown-protocol-echoed',
    file: 'src/mcp/tool-table-endpoint.ts',
    find: 'protocolVersion: known ?? PROTOCOL_VERSIONS[0],',
    replace: 'protocolVersion: known ?? requested,',
    breaks: 'The server agrees to a version of MCP that it does not know.',
  },
  {
    name: 'json-rpc-id-in-use-runs',
    file: 'src/mcp/tool-table-endpoint.ts',
    find: '    if (this.#running.has(id)) return duplicateResponse(id);\n',
    replace: '',
    breaks: 'A second call with the id of one that runs starts the tool again.',
  },
];
