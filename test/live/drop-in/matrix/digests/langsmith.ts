import { isJsonObject, type JsonObject } from '../../../../../src/util/json.js';
import type { Digest } from '../dependent.js';
import type { ReceivedRequest } from '../receiver.js';
import { spanTree } from './span-tree.js';

/**
 * The runs that were sent, as a tree. A run is posted when it begins and patched when it ends, in parts named by its id
 * and a field; how many go in one request is the clock's business.
 */
export async function langsmithRuns(received: readonly ReceivedRequest[]): Promise<Digest> {
  const runs = new Map<string, JsonObject>();
  for (const { path, body, contentType } of received) {
    if (!path.startsWith('/runs/multipart')) continue;
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
    for (const [name, part] of form) {
      const [, id = '', field] = name.split('.');
      const value: unknown = JSON.parse(typeof part === 'string' ? part : await part.text());
      const fields = field === undefined && isJsonObject(value) ? value : { [field ?? '']: value };
      runs.set(id, { ...runs.get(id), ...fields });
    }
  }
  const spans = [...runs].map(([id, run]) => ({
    id,
    parent: typeof run.parent_run_id === 'string' ? run.parent_run_id : undefined,
    start: String(run.dotted_order),
    shown: shownOf(run),
  }));
  return { run: spanTree(spans) };
}

function shownOf({ name, run_type, inputs, outputs, error, extra, tags, events, end_time }: JsonObject): JsonObject {
  const { runtime: _, ...facts } = isJsonObject(extra) ? extra : {};
  return { name, run_type, inputs, outputs, error, extra: facts, tags, events, isOver: end_time !== undefined };
}
