import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunTally } from '../../../src/parser/run-summary.js';
import { RunChannels } from '../../../src/query/channels/run-channels.js';
import type { JsonObject } from '../../../src/util/json.js';
import { observeChannels, type Published } from './observe.js';

const id = fc.constantFrom('a', 'b', 'c', '__proto__', '');
const parent_tool_use_id = fc.constantFrom(null, 'a', 'b', '', '__proto__');
const is = fc.constant;

const block = fc.record({ type: fc.constantFrom('tool_use', 'text'), id, name: id });
const assistant = fc.record({
  type: is('assistant'),
  parent_tool_use_id,
  message: fc.record({ id, content: fc.array(block) }),
});
const toolResult = fc.record({ type: is('tool_result'), tool_use_id: id, is_error: fc.boolean() });
const user = fc.record({ type: is('user'), parent_tool_use_id, message: fc.record({ content: fc.array(toolResult) }) });
const system = fc.record({
  type: is('system'),
  subtype: fc.constantFrom('init', 'task_started', 'task_notification', 'hook_started', 'hook_response', 'api_retry'),
  tool_use_id: id,
  task_type: is('local_agent'),
  is_backgrounded: fc.boolean(),
  hook_id: id,
  status: fc.constantFrom('failed', 'completed'),
  outcome: fc.constantFrom('success', 'error'),
});
const streamed = fc.record({
  type: is('stream_event'),
  parent_tool_use_id,
  event: fc.record({
    type: fc.constantFrom('message_start', 'content_block_delta', 'message_delta', 'message_stop'),
    message: fc.record({ id }),
    usage: fc.record({ output_tokens: fc.integer() }),
  }),
});
const request = fc.record({
  type: is('control_request'),
  request_id: id,
  request: fc.record({
    subtype: fc.constantFrom('can_use_tool', 'hook_callback', 'mcp_message', 'elicitation', 'other'),
    tool_use_id: id,
    tool_name: fc.constantFrom('Bash', 'AskUserQuestion'),
    message: fc.anything(),
    input: fc.anything(),
  }),
});
const response = fc.record({
  type: is('control_response'),
  response: fc.record({ subtype: fc.constantFrom('success', 'error'), request_id: id, response: fc.anything() }),
});
const frame = fc.oneof(
  ...[assistant, user, system, streamed, request, response],
  fc.record({ type: is('result'), subtype: fc.constantFrom('success', 'error_during_execution') }),
  fc.record({ type: is('control_cancel_request'), request_id: id }),
  fc.dictionary(fc.constantFrom('type', 'message', 'event', 'request', 'response'), fc.anything()),
) as fc.Arbitrary<JsonObject>;

/** What is wrong with the order of events: `start`, at most one `error`, `end`. */
function faultsOf(seen: readonly Published[]): string[] {
  const latest = new Map<object, Published>();
  const faults: string[] = [];
  for (const each of seen) {
    const before = latest.get(each.context)?.event;
    const isFit = each.event === 'start' ? before === undefined : before === 'start' || before === 'error';
    if (!isFit || (each.event === 'error' && before === 'error')) faults.push(`${each.kind} ${each.event}: ${before}`);
    latest.set(each.context, each);
  }
  const open = [...latest.values()].filter(({ event }) => event !== 'end');
  return [...faults, ...open.map(({ kind }) => `${kind} is open`)];
}

test('every operation begins and ends once, whatever frames come, in any order and after the end', () => {
  const seen = observeChannels();
  const exchange = fc.array(fc.tuple(fc.boolean(), frame), { maxLength: 60 });
  fc.assert(
    fc.property(exchange, fc.array(frame, { maxLength: 5 }), (frames, late) => {
      seen.length = 0;
      const run = RunChannels.open('query', undefined);
      run?.onOpen();
      run?.onOpened();
      for (const [isFromCli, each] of frames) isFromCli ? run?.onFrameIn(each) : run?.onFrameOut(each);
      run?.onEnd({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
      run?.onOver(new RunTally({}).summary({ error: undefined, isClosed: true, durationMs: 0 }));
      for (const each of late) run?.onFrameIn(each);
      expect(seen.length).toBeGreaterThan(3);
      expect(faultsOf(seen)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
