import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type * as sdk from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';

interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly handler: sdk.ToolHandler<never>;
}

/** What says in zod what the schemas of Python types in `parity_driver.py` say. */
const SHAPES: Readonly<Record<string, unknown>> = {
  types: { a: z.string(), c: z.number(), d: z.boolean() },
  empty: {},
  typed: { need: z.string().describe('Needed'), may: z.number().optional() },
  opaque: { type: 'object', properties: {} },
  described: { a: z.string().describe('First'), b: z.number() },
};

/** A server that the MCP SDK makes, and that has resources only. */
const HAND_BUILT = 'hand-built';

function handBuilt(name: string, version: string): unknown {
  const instance = new McpServer({ name, version: '1.0.0' }, { capabilities: { logging: {} } });
  instance.registerResource('r', 'a://b', {}, async () => ({ contents: [] }));
  if (version.endsWith('talks')) {
    instance.server.oninitialized = () => {
      const { server } = instance;
      // What becomes of them is seen on the other side.
      void server.notification({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
      void server.ping().catch(() => {});
      void server.request({ method: 'roots/list' }, z.any() as never).catch(() => {});
    };
  }
  return { type: 'sdk', name, instance };
}

/**
 * Makes in-process servers with the SDK.
 *
 * @param asShape - Turns a JSON Schema into what `tool()` of the SDK takes.
 */
export const serverMaker =
  (
    { createSdkMcpServer, tool }: Pick<typeof sdk, 'createSdkMcpServer' | 'tool'>,
    asShape: (schema: JsonObject) => unknown = (schema) => schema,
  ) =>
  (name: string, version: string | undefined, tools: readonly DescribedTool[]): unknown => {
    if (version?.startsWith(HAND_BUILT) === true) return handBuilt(name, version);
    return createSdkMcpServer({
      name,
      ...(version === undefined ? {} : { version }),
      tools: tools.map(({ name: called, description, inputSchema, annotations, handler }) => {
        const { maxResultSizeChars, ...hints } = annotations ?? {};
        return tool(called, description, shapeOf(inputSchema, asShape) as never, handler as never, {
          ...(annotations === undefined ? {} : { annotations: hints }),
          ...(maxResultSizeChars === undefined
            ? {}
            : { _meta: { 'anthropic/maxResultSizeChars': maxResultSizeChars } }),
        });
      }),
    });
  };

function shapeOf(schema: JsonObject | undefined, asShape: (schema: JsonObject) => unknown): unknown {
  if (typeof schema?.$python === 'string') return SHAPES[schema.$python];
  return asShape(schema ?? { type: 'object', properties: {} });
}
