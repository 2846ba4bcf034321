import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  type AnyZodRawShape,
  createSdkMcpServer,
  type InferShape,
  type SdkMcpToolDefinition,
  tool,
} from '../../src/index.js';

/** Tools as programs for the official SDK write them, and as only ours takes them. Compiled, not run. */

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

const add = tool('add', '', { a: z.number(), b: z.number().optional() }, async ({ a, b }) =>
  text(String(a + (b ?? 0))),
);
// biome-ignore lint/suspicious/noExplicitAny: a list of tools of different schemas is declared so
const list: SdkMcpToolDefinition<any>[] = [add, tool('now', '', {}, async () => text('now'))];
createSdkMcpServer({ name: 's', tools: list });

// A test of a handler passes whatever it has.
void add.handler({ a: 1, b: 2 }, {}).then((result) => result.content[0]);

/** A wrapper keeps the schema's type. */
export function wrap<Shape extends AnyZodRawShape>(
  shape: Shape,
  handler: (args: InferShape<Shape>, extra: unknown) => Promise<CallToolResult>,
): SdkMcpToolDefinition<Shape> {
  return tool('wrapped', '', shape, handler);
}

// Only ours: handlers that answer at once, other schemas, a typed `extra`.
tool('sync', '', { q: z.string() }, ({ q }, extra) => text(q + String(extra.signal.aborted)));
tool('object', '', z.object({ q: z.string() }), ({ q }) => text(q));
tool('json', '', { type: 'object', properties: { q: {} } }, (args) => text(String(args.q)));
tool('none', '', undefined, (extra) => text(String(extra.signal.aborted)));
tool('literal', '', undefined, () => ({ content: [{ type: 'text', text: '' }] }));
tool('literal', '', {}, () => ({ content: [{ type: 'text', text: '' }] }));
tool('literal', '', { q: z.string() }, async () => ({ content: [{ type: 'text', text: '' }] }));
tool('literal', '', { type: 'object' }, () => ({ content: [{ type: 'text', text: '' }] }));
tool('either', '', { q: z.string() }, async ({ q }) => {
  if (q === '') return { content: [{ type: 'text', text: 'empty' }], isError: true };
  return { content: [{ type: 'image', data: q, mimeType: 'image/png' }] };
});
