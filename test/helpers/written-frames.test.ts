import { describe, expect, test } from 'vitest';
import { framesIn, takeWrongFrames, WrittenFrames } from './written-frames.js';

const request = (subtype: string, fields: object = {}): object => ({
  type: 'control_request',
  request_id: 'r1',
  request: { subtype, ...fields },
});
const answer = (response: unknown): object => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: 'r1', response },
});
const user = { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null };
const reply = { jsonrpc: '2.0', id: 1, result: {} };

describe('a frame of the SDK', () => {
  test.each([
    { name: 'a user message', frame: user },
    { name: 'a request', frame: request('interrupt') },
    { name: 'an error answer', frame: errorAnswer('r1') },
  ])('$name is right', ({ frame }) => {
    // What another test of this worker wrote last may have come late.
    takeWrongFrames();
    new WrittenFrames().wrote(frame);
    expect(takeWrongFrames()).toEqual([]);
  });

  test.each([
    { name: 'a misspelled request', frame: request('interupt'), says: 'no definition' },
    { name: 'a misspelled type', frame: { ...user, type: 'usr' }, says: 'no definition host.usr' },
    { name: 'no type', frame: { message: user.message }, says: 'no definition' },
    { name: 'a field of another type', frame: { ...user, message: 'Go.' }, says: 'must be object' },
    { name: 'a list', frame: [user], says: 'a frame is an object' },
  ])('$name is wrong', ({ frame, says }) => {
    new WrittenFrames().wrote(frame);
    expect(takeWrongFrames()).toEqual([expect.stringContaining(says)]);
  });

  test.each(['{"type":"user"', '5', '"user"'])('the line %s is wrong', (line) => {
    new WrittenFrames().wroteLine(line);
    expect(takeWrongFrames()).toEqual([`not a JSON object: ${line}`]);
  });
});

describe('an answer', () => {
  const cases: { subtype: string; good: unknown; bad: unknown[] }[] = [
    {
      subtype: 'can_use_tool',
      good: { behavior: 'allow', updatedInput: {} },
      bad: [{ behavior: 'alow' }, { behaviour: 'allow' }, { behavior: 'deny', message: 5 }, undefined],
    },
    { subtype: 'hook_callback', good: { continue: true }, bad: [{ continue: 'yes' }, 'yes', null] },
    { subtype: 'mcp_message', good: { mcp_response: reply }, bad: [reply, {}, undefined] },
    { subtype: 'elicitation', good: { action: 'accept' }, bad: [{ action: 'acept' }, {}] },
  ];

  test.each(cases)('to $subtype is held against what was asked', ({ subtype, good, bad }) => {
    const written = new WrittenFrames();
    written.asked(request(subtype));
    written.wrote(answer(good));
    expect(takeWrongFrames()).toEqual([]);
    for (const each of bad) written.wrote(answer(each));
    expect(takeWrongFrames()).toHaveLength(bad.length);
  });

  test('is not judged when nobody knows what was asked', () => {
    const written = new WrittenFrames();
    written.wrote(answer({ behavior: 'alow' }));
    written.asked(request('next_year'));
    written.wrote(answer({ anything: 1 }));
    written.asked(request('can_use_tool'));
    written.wrote(answer({ behavior: 'alow' }));
    expect(takeWrongFrames()).toEqual([]);
  });

  test('an error is one to every request', () => {
    const written = new WrittenFrames();
    written.asked(request('can_use_tool'));
    written.wrote(errorAnswer('r1'));
    expect(takeWrongFrames()).toEqual([]);
  });
});

test('the requests of a script are found: as frames, as lines, and inside of repeats', () => {
  const [a, b] = [request('can_use_tool'), request('hook_callback')];
  const steps = [{ out: a }, { in: b }, { repeat: 2, steps: [{ raw: `${JSON.stringify(b)}\nno\n` }] }];
  expect([...framesIn(steps)]).toEqual([a, b, {}, {}]);
});

function errorAnswer(requestId: string): object {
  return { type: 'control_response', response: { subtype: 'error', request_id: requestId, error: 'No.' } };
}
