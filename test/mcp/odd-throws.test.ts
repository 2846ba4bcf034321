import { describe, expect, test } from 'vitest';
import { createSdkMcpServer } from '../../src/mcp/create-sdk-mcp-server.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import { tool } from '../../src/mcp/tool.js';
import { PeerRequests } from '../../src/mcp/tool-call.js';
import { ODD_VALUES } from '../transport/odd-values.js';
import { FakeCli, resultOf } from './fake-cli.js';

for (const { name, value } of ODD_VALUES) {
  describe(`${name}, thrown by a tool’s handler`, () => {
    const fails = tool('fails', 'fails', {}, async () => {
      throw value;
    });
    const server = () => createSdkMcpServer({ name: 's', tools: [fails] });

    test('is an error result, and the developer hears of it', async () => {
      const cli = new FakeCli(createMcpEndpointFactory(server()));
      expect(await resultOf(cli.call('fails'))).toMatchObject({ isError: true });
      expect(cli.thrown).toEqual([{ tool: 'fails', error: value }]);
    });

    test('is answered although the report of it throws', async () => {
      const endpoint = createMcpEndpointFactory(server())({
        sendToPeer: () => {},
        onToolResultInvalid: () => {},
        onToolThrew: () => {
          throw value;
        },
      });
      const { signal } = new AbortController();
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fails' } };
      const response = await endpoint.receive(message, { signal, isCancelled: false });
      expect(response).toMatchObject({ id: 1, result: { isError: true } });
      await endpoint.close();
    });

    test('as the reason of an abort gives up a request of a tool', async () => {
      const call = new AbortController();
      const requests = new PeerRequests(() => {});
      const answer = requests.request({ method: 'ping' }, undefined, undefined, call.signal);
      call.abort(value);
      await expect(answer).rejects.toMatchObject({ name: 'McpError', code: -32000 });
    });
  });
}
