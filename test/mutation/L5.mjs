import { remove, replace, setBody, setProperty } from './changes.mjs';

/** In-process MCP servers. */
export default [
  {
    name: 'rpc-id-as-text',
    symbol: 'resultResponse',
    change: setProperty('id', 'String(id)'),
    breaks: 'A JSON-RPC answer carries its number as a string.',
  },
  {
    name: 'id-zero-is-a-notification',
    symbol: 'expectsResponse',
    change: replace('message.id !== undefined', 'Boolean(message.id)'),
    breaks: 'A JSON-RPC request with the id 0 is acknowledged and not answered.',
  },
  {
    name: 'notification-unanswered',
    symbol: 'McpBridge.handle',
    change: replace('success(ACKNOWLEDGED)', 'SILENT'),
    breaks: 'The control request around a notification gets no answer.',
  },
  {
    name: 'tool-failure-as-rpc-error',
    symbol: 'ToolTableEndpoint.#run',
    change: replace('resultResponse(id, errorResult(errorText(error)))', 'errorResponseFrom(id, error)'),
    breaks: 'A tool that throws is a JSON-RPC error the model does not see.',
  },
  {
    name: 'unknown-server-unanswered',
    symbol: 'notFound',
    change: setBody('return SILENT;'),
    breaks: 'A message for a server that is not there gets no answer.',
  },
  {
    name: 'protocol-version-always-newest',
    symbol: 'ToolTableEndpoint.#initialize',
    change: setProperty('protocolVersion', 'PROTOCOL_VERSIONS[0]'),
    breaks: 'The protocol version that the client asked for is not echoed.',
  },
  {
    name: 'unknown-method-succeeds',
    symbol: 'ToolTableEndpoint.#answer',
    change: replace('errorResponse(id, RpcCode.methodNotFound, $text)', 'resultResponse(id, {})'),
    breaks: 'A method that is not known is answered with an empty result.',
  },
  {
    name: 'arguments-unchecked',
    symbol: 'ToolTableEndpoint.#run',
    change: remove('if (parsed.issues !== undefined) throw $error;'),
    breaks: 'A tool runs with arguments that its schema refuses.',
  },
  {
    name: 'cancelled-call-runs-on',
    symbol: 'ToolTableEndpoint.#cancel',
    change: remove('this.#running.get(requestId)?.cancel(reason)'),
    breaks: 'notifications/cancelled does not reach the tool.',
  },
  {
    name: 'error-flag-of-a-tool-lost',
    symbol: 'ToolTableEndpoint.#run',
    change: replace('checked.result', '{ content: checked.result.content }'),
    breaks: 'Of a result only its content is sent: isError and structuredContent are lost.',
  },
  {
    name: 'unknown-protocol-echoed',
    symbol: 'ToolTableEndpoint.#initialize',
    change: setProperty('protocolVersion', 'known ?? requested'),
    breaks: 'The server agrees to a version of MCP that it does not know.',
  },
  {
    name: 'json-rpc-id-in-use-runs',
    symbol: 'ToolTableEndpoint.#answer',
    change: remove('return duplicateResponse(id);'),
    breaks: 'A second call with the id of one that runs starts the tool again.',
  },
];
