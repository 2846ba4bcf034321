import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the recordings of the real CLI are. */
export const RECORDINGS = fileURLToPath(new URL('../../../../test/fixtures/recordings/', import.meta.url));

export const recordingNames = (): readonly string[] =>
  readdirSync(RECORDINGS)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();

export const recording = (name: string): { readonly file: string } => ({ file: `${RECORDINGS}${name}.jsonl` });

/** A recording of these lines: `[t, dir, data]`. */
export function recordingOf(lines: readonly (readonly [number, string, unknown])[]): string {
  const first = { t: 0, dir: 'meta', data: { scenario: 'made', about: 'made by a test', cli_version: '1.2.3' } };
  return [first, ...lines.map(([t, dir, data]) => ({ t, dir, data }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

export const ask = (id: string, request: object): object => ({ type: 'control_request', request_id: id, request });

export const reply = (id: string, response: object = {}): object => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});

/** An `assistant` frame that calls a tool. */
export const call = (id: string, name: string, input: object = {}, parent: string | null = null): object => ({
  type: 'assistant',
  message: {
    id: `msg_${id}`,
    model: 'm',
    role: 'assistant',
    content: [{ type: 'tool_use', id, name, input }],
    usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
  },
  parent_tool_use_id: parent,
  session_id: 's',
  uuid: `u_${id}`,
});

export const toolResult = (id: string, content: string, isError = false): object => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
  parent_tool_use_id: null,
  session_id: 's',
  uuid: `r_${id}`,
});

export const result = (fields: object = {}): object => ({
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'Done.', duration_ms: 1, duration_api_ms: 1 },
  ...{ num_turns: 1, stop_reason: 'end_turn', session_id: 's', uuid: 'u_result', total_cost_usd: 0.5 },
  usage: { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
  ...fields,
});
