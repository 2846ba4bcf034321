import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Json } from '../harness/row.js';
import type { JsonRecord } from './program.js';

const RECORDINGS = join(process.cwd(), 'test', 'fixtures', 'recordings');

/** Every frame that a CLI wrote in a recording, each shape of values once, by its `type`. */
export function recordedFrames(): ReadonlyMap<string, readonly JsonRecord[]> {
  const byType = new Map<string, Map<string, JsonRecord>>();
  const files = readdirSync(RECORDINGS).filter((name) => name.endsWith('.jsonl'));
  for (const file of files.sort()) {
    for (const line of readFileSync(join(RECORDINGS, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const { dir, data } = JSON.parse(line) as { dir: string; data: Json };
      if (dir !== 'out' || typeof data !== 'object' || data === null) continue;
      const frame = data as JsonRecord;
      const type = String(frame.type);
      const known = byType.get(type) ?? new Map<string, JsonRecord>();
      byType.set(type, known.set(JSON.stringify(frame), frame));
    }
  }
  return new Map([...byType].map(([type, frames]) => [type, [...frames.values()]]));
}

const text = fc.string({ unit: 'binary', maxLength: 12 });
const id = fc.uuid();
const json = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }).map(plain);
const record = fc.dictionary(fc.string({ maxLength: 6 }), json, { maxKeys: 3 });

/** JSON that both languages read alike: no `-0`, no numbers beyond the safe ones. */
function plain(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? Math.trunc(one) % 1_000_000 || 0 : one)),
  ) as Json;
}

/** An object with these keys, some of which may be absent or, those that may be, `null`. */
function frame(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<JsonRecord> {
  const nullable = Object.fromEntries(
    Object.entries(optional).map(([key, value]) => [key, fc.option(value, { freq: 5 })]),
  );
  const known = { ...required, ...nullable, aFieldOfTheFuture: json };
  // Rarely, a required key is missing: both must refuse it, in the same words.
  const kept = Object.keys(required);
  return fc
    .tuple(
      fc.record(known, { requiredKeys: kept as never[] }),
      fc.option(fc.constantFrom(...kept), { freq: 12, nil: undefined }),
    )
    .map(([made, missing]) => {
      const { [missing ?? '']: _, ...rest } = made as Record<string, unknown>;
      return rest as JsonRecord;
    });
}

const block = fc.oneof(
  frame({ type: fc.constant('text'), text }, {}),
  frame({ type: fc.constant('thinking'), thinking: text, signature: text }, {}),
  frame({ type: fc.constantFrom('tool_use', 'server_tool_use'), id: text, name: text, input: record }, {}),
  frame(
    { type: fc.constant('tool_result'), tool_use_id: text },
    { content: fc.oneof(text, fc.array(record, { maxLength: 2 })), is_error: fc.boolean() },
  ),
  frame({ type: fc.constant('advisor_tool_result'), tool_use_id: text, content: json }, {}),
  frame({ type: fc.constantFrom('image', 'redacted_thinking', 'future_block') }, { source: record }),
);
const blocks = fc.array(block, { maxLength: 4 });
const origin = fc.oneof(fc.record({ kind: text, more: json }), fc.record({ kind: fc.integer() }), text);
const session = { uuid: id, session_id: id };
/** The user messages that a frame answers. */
const answered = { user_message_uuid: id, user_message_uuids: fc.array(id, { maxLength: 3 }) };

const ARBITRARIES: { readonly [type: string]: fc.Arbitrary<JsonRecord> } = {
  user: frame(
    { type: fc.constant('user'), message: frame({ content: fc.oneof(text, blocks) }, { role: fc.constant('user') }) },
    { uuid: id, parent_tool_use_id: text, tool_use_result: json, origin },
  ),
  assistant: frame(
    {
      type: fc.constant('assistant'),
      message: frame({ content: blocks, model: text }, { usage: record, id: text, stop_reason: text }),
    },
    { ...session, parent_tool_use_id: text, error: text, ...answered },
  ),
  system: fc.oneof(
    frame({ type: fc.constant('system'), subtype: fc.constantFrom('init', 'future') }, { ...session, more: json }),
    frame(
      {
        type: fc.constant('system'),
        subtype: fc.constant('task_started'),
        task_id: text,
        description: text,
        ...session,
      },
      { tool_use_id: text, task_type: text },
    ),
    frame(
      {
        type: fc.constant('system'),
        subtype: fc.constant('task_progress'),
        task_id: text,
        description: text,
        usage: record,
        ...session,
      },
      { tool_use_id: text, last_tool_name: text },
    ),
    frame(
      {
        type: fc.constant('system'),
        subtype: fc.constant('task_notification'),
        task_id: text,
        status: text,
        output_file: text,
        summary: text,
        ...session,
      },
      { tool_use_id: text, usage: record },
    ),
    fc.record({
      type: fc.constant('system'),
      subtype: fc.constant('task_updated'),
      task_id: text,
      patch: fc.oneof(fc.record({ status: text, end_time: fc.integer() }), text),
    }),
    fc.record({
      type: fc.constant('system'),
      subtype: fc.constantFrom('hook_started', 'hook_response'),
      hook_event: text,
      hook_name: text,
      session_id: id,
      uuid: id,
    }),
    fc.record({ type: fc.constant('system'), subtype: fc.constant('mirror_error'), key: record, error: text }),
  ) as fc.Arbitrary<JsonRecord>,
  result: frame(
    {
      type: fc.constant('result'),
      subtype: text,
      duration_ms: fc.nat(),
      duration_api_ms: fc.nat(),
      is_error: fc.boolean(),
      num_turns: fc.nat(),
      session_id: id,
    },
    {
      stop_reason: text,
      total_cost_usd: fc.nat(),
      usage: record,
      result: text,
      structured_output: json,
      modelUsage: record,
      permission_denials: fc.array(record, { maxLength: 2 }),
      deferred_tool_use: fc.oneof(fc.constant({}), frame({ id: text, name: text, input: record }, {})),
      errors: fc.array(json, { maxLength: 2 }),
      api_error_status: fc.nat(599),
      uuid: id,
      terminal_reason: text,
      origin,
      ...answered,
    },
  ),
  stream_event: frame(
    { type: fc.constant('stream_event'), ...session, event: record },
    { parent_tool_use_id: text, ...answered },
  ),
  rate_limit_event: frame(
    {
      type: fc.constant('rate_limit_event'),
      ...session,
      rate_limit_info: frame(
        { status: text },
        {
          resetsAt: fc.nat(),
          rateLimitType: text,
          utilization: fc.nat(),
          overageStatus: text,
          overageResetsAt: fc.nat(),
          overageDisabledReason: text,
        },
      ),
    },
    {},
  ),
  conversation_reset: frame({ type: fc.constant('conversation_reset'), new_conversation_id: text, ...session }, {}),
};

/** Frames of one type made by chance, the same for the same seed. */
export function madeFrames(type: string, count = 300): readonly JsonRecord[] {
  const arbitrary = ARBITRARIES[type];
  if (arbitrary === undefined) throw new Error(`no frames of type ${type} are made`);
  const seed = Number(process.env.FUZZ_SEED ?? 20261121);
  return fc.sample(arbitrary, { seed, numRuns: count }).map((one) => plain(one) as JsonRecord);
}
