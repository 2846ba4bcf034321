import { isJsonObject, type JsonObject } from '../../../../../src/util/json.js';
import type { Digest } from '../dependent.js';
import type { ReceivedRequest } from '../receiver.js';
import { spanTree } from './span-tree.js';

interface LlmSpan {
  readonly span_id: string;
  readonly parent_id: string;
  readonly start_ns: number;
  readonly name: string;
  readonly status: string;
  readonly meta: JsonObject;
  readonly metrics: JsonObject;
  readonly session_id?: string;
  readonly tags: readonly string[];
}

/** The spans of LLM Observability, as a tree. */
export function datadogSpans(received: readonly ReceivedRequest[]): Digest {
  const spans = received
    .filter(({ path }) => path.endsWith('/api/v2/llmobs'))
    // The tracer writes this form.
    .flatMap(({ body }) => JSON.parse(body.toString()) as { readonly spans: readonly LlmSpan[] }[])
    .flatMap((event) => event.spans);
  return {
    span: spanTree(
      spans.map(({ span_id, parent_id, start_ns, name, status, meta, metrics, session_id, tags }) => ({
        id: span_id,
        parent: parent_id === 'undefined' ? undefined : parent_id,
        start: start_ns,
        shown: { name, status, meta: withoutFrames(withoutId(meta)), metrics, session_id, tags },
      })),
    ),
  };
}

/** The span of the agent is named by a random number, which the tree shows already. */
function withoutId({ agent_attribution, ...meta }: JsonObject): JsonObject {
  if (!isJsonObject(agent_attribution)) return meta;
  const { pagent_span_id: _, ...attribution } = agent_attribution;
  return { ...meta, agent_attribution: attribution };
}

/** The first line of a stack is the error; the frames below are each package's own. */
function withoutFrames(meta: JsonObject): JsonObject {
  const stack = meta['error.stack'];
  return typeof stack === 'string' ? { ...meta, 'error.stack': stack.split('\n', 1)[0] } : meta;
}
