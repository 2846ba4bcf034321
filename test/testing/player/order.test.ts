import { describe, expect, test } from 'vitest';
import type { ScenarioHeader, Step } from '../../../src/testing/scenario/scenario-types.js';
import { Launched } from './launched.js';

const user = (content: string): object => ({ type: 'user', message: { content } });
const response = (id: string): object => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id },
});
const request = (subtype: string, id = 'r'): object => ({
  type: 'control_request',
  request_id: id,
  request: { subtype },
});
const expectUser = (content: string): Step => ({ in: { type: 'user', message: { content } } });
const expectRequest = (subtype: string, fields: object = {}): Step => ({
  in: { type: 'control_request', request: { subtype, ...fields } },
});
const expectResponse = (id: string): Step => ({ in: { type: 'control_response', response: { request_id: id } } });

describe('the order in which frames may come', () => {
  const cases: readonly {
    readonly name: string;
    readonly header: Partial<ScenarioHeader>;
    readonly steps: readonly Step[];
    readonly send: readonly object[];
    readonly fails?: string;
    readonly line?: number;
  }[] = [
    {
      name: 'exact: as the steps say',
      header: { order: 'exact' },
      steps: [expectUser('a'), expectResponse('1'), expectUser('b')],
      send: [user('a'), response('1'), user('b')],
    },
    {
      name: 'exact: two kinds swapped',
      header: { order: 'exact' },
      steps: [expectUser('a'), expectResponse('1')],
      send: [response('1'), user('a')],
      fails: 'another one is next (nearest: type: expected string "user"',
      line: 1,
    },
    {
      name: 'exact: a request that is answered by itself is not in the way',
      header: { order: 'exact' },
      steps: [expectUser('a')],
      send: [request('initialize'), user('a')],
    },
    {
      name: 'exact: a request that is never answered is not in the way',
      header: { order: 'exact', answers: { initialize: null } },
      steps: [expectUser('a')],
      send: [request('initialize'), user('a')],
    },
    {
      name: 'interleaved: two kinds swapped',
      header: { order: 'interleaved' },
      steps: [expectUser('a'), expectResponse('1'), expectUser('b')],
      send: [response('1'), user('a'), user('b')],
    },
    {
      name: 'interleaved: one kind in another order',
      header: { order: 'interleaved' },
      steps: [expectUser('a'), expectResponse('1'), expectUser('b')],
      send: [response('1'), user('b'), user('a')],
      fails: 'another one is next among its kind (nearest: message.content: expected string "a"',
      line: 1,
    },
    {
      name: 'any: one kind in another order',
      header: {},
      steps: [expectUser('a'), expectUser('b')],
      send: [user('b'), user('a')],
    },
    { name: 'any: a frame too many', header: {}, steps: [expectUser('a')], send: [user('a'), user('b')] },
    {
      name: 'any, nothing unclaimed: a frame too many',
      header: { unclaimed: 'fail' },
      steps: [expectUser('a')],
      send: [user('a'), user('b'), user('c')],
      fails: "the script ran out: the application also sent 'b', 'c'",
    },
    {
      name: 'any, nothing unclaimed: answers too many',
      header: { unclaimed: 'fail' },
      steps: [expectUser('a')],
      send: [user('a'), response('1'), response('2')],
      fails: 'no step took this frame: {"type":"control_response",',
    },
    {
      name: 'exact: a frame too many',
      header: { order: 'exact' },
      steps: [expectUser('a')],
      send: [user('a'), user('b')],
      fails: "the script ran out: the application also sent 'b'",
    },
    {
      name: 'answers only: a request that a step or an answer is for',
      header: { answersOnly: true, answers: { set_model: {}, interrupt: null } },
      steps: [expectRequest('initialize'), expectUser('a')],
      send: [request('set_model', '1'), request('interrupt', '2'), request('initialize', '3'), user('a')],
    },
    {
      name: 'answers only: a request that nothing is for, before the next step',
      header: { answersOnly: true, answers: { set_model: {} } },
      steps: [expectUser('a')],
      send: [request('interrupt'), user('a')],
      fails: 'no step expects this request: interrupt',
      line: 1,
    },
    {
      name: 'answers only: a request that differs, whatever comes after',
      header: { answersOnly: true },
      steps: [expectRequest('initialize', { title: 'b' }), expectUser('a')],
      send: [request('initialize'), user('a')],
      fails: 'no step expects this request: initialize (nearest: request.title: expected string "b", found nothing)',
      line: 1,
    },
    {
      name: 'answers only: a request too many',
      header: { answersOnly: true },
      steps: [expectUser('a'), expectRequest('interrupt'), expectUser('b')],
      send: [request('interrupt', '1'), request('interrupt', '2'), user('a'), user('b')],
      fails: 'no step expects this request: interrupt',
    },
    {
      name: 'exact, unclaimed allowed: a frame too many',
      header: { order: 'exact', unclaimed: 'allow' },
      steps: [expectUser('a')],
      send: [user('a'), user('b')],
    },
  ];
  for (const { name, header, steps, send, fails, line } of cases) {
    test(`${name}: ${fails === undefined ? 'passes' : 'fails'}`, async () => {
      const verdict = await new Launched(steps, header).play(send);
      if (fails === undefined) expect(verdict).toMatchObject({ passed: true, end: 'finished' });
      else {
        expect(verdict).toMatchObject({ passed: false, end: 'mismatch', exitCode: 3 });
        expect(verdict.failure?.message).toContain(fails);
        if (line !== undefined) expect(verdict.failure?.line).toBe(line);
      }
    });
  }
});

describe('inAny', () => {
  const both: Step = {
    inAny: [
      { in: { type: 'user', message: { content: '$text' } } },
      { in: { type: 'control_request', request: { subtype: 'mcp_status' } }, answer: { n: 1 } },
    ],
  };

  for (const order of ['any', 'interleaved', 'exact'] as const) {
    test(`order ${order}: the frames may come in any order, and variables are bound`, async () => {
      for (const send of [
        [user('a'), request('mcp_status')],
        [request('mcp_status'), user('a')],
      ]) {
        const verdict = await new Launched([both, expectUser('$text')], { order }).play([...send, user('a')]);
        expect(verdict).toMatchObject({ passed: true });
      }
    });
  }

  test('a frame that fits none of them fails at once where order is exact', async () => {
    const verdict = await new Launched([both], { order: 'exact' }).play([response('1')]);
    expect(verdict.failure).toMatchObject({
      message: expect.stringContaining('another one is next'),
      expected: [expect.objectContaining({ type: 'user' }), expect.anything()],
    });
  });

  test('says what is left when one of them does not come', async () => {
    const verdict = await new Launched([both]).play([user('a')]);
    expect(verdict.failure).toMatchObject({
      message: expect.stringContaining('stdin has ended'),
      expected: { type: 'control_request', request: { subtype: 'mcp_status' } },
    });
  });
});
