import { describe, expect, test, vi } from 'vitest';
import type { CanUseTool } from '../../src/control/permission-types.js';
import { AbortError, SessionClosedError } from '../../src/errors.js';
import { createDeferred, type Deferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';
import { writesOddFrames } from '../helpers/written-frames.js';
import { settle, startSession, state, USER } from './session.js';

/** A `canUseTool` whose questions are answered by the test, by request id. */
function manual(): {
  canUseTool: CanUseTool;
  open: Map<string, Deferred<{ behavior: 'allow' }>>;
  signals: Map<string, AbortSignal>;
  calls: string[];
} {
  const open = new Map<string, Deferred<{ behavior: 'allow' }>>();
  const signals = new Map<string, AbortSignal>();
  const calls: string[] = [];
  return {
    open,
    signals,
    calls,
    canUseTool: (_name, _input, { requestId, signal }) => {
      calls.push(requestId);
      signals.set(requestId, signal);
      const answer = createDeferred<{ behavior: 'allow' }>();
      open.set(requestId, answer);
      return answer.promise;
    },
  };
}

const ALLOW = { behavior: 'allow' } as const;
const ALLOWED = { subtype: 'success', request_id: 'r1', response: { behavior: 'allow' } };

describe('concurrency and duplicates', () => {
  test('answers leave in the order of completion (TS-120, PY-131)', async () => {
    const { canUseTool, open } = manual();
    const { peer } = startSession({ callbacks: { canUseTool } });
    peer.ask('r1', 'can_use_tool');
    peer.ask('r2', 'can_use_tool');
    open.get('r2')!.resolve(ALLOW);
    await settle();
    open.get('r1')!.resolve(ALLOW);
    await settle();
    const ids = peer.of('control_response').map((frame) => (frame.response as JsonObject).request_id);
    expect(ids).toEqual(['r2', 'r1']);
  });

  test('an id in flight is not called twice; after its answer it is (TS-121)', async () => {
    const { canUseTool, open, calls } = manual();
    const { peer, codes } = startSession({ callbacks: { canUseTool } });
    peer.ask('r1', 'can_use_tool');
    peer.ask('r1', 'can_use_tool');
    expect(calls).toEqual(['r1']);
    expect(codes()).toEqual(['request_duplicate']);
    open.get('r1')!.resolve(ALLOW);
    await settle();
    expect(peer.answersTo('r1')).toHaveLength(1);
    peer.ask('r1', 'can_use_tool');
    expect(calls).toEqual(['r1', 'r1']);
  });

  test('a request that comes before the answer to initialize is answered (TS-126)', async () => {
    const { peer } = startSession({ callbacks: { canUseTool: async () => ALLOW } });
    peer.ask('r1', 'can_use_tool');
    await settle();
    expect(peer.answersTo('r1')).toEqual([ALLOWED]);
  });

  test('a callback of a program without types may answer at once', () => {
    const { peer } = startSession({ callbacks: { canUseTool: (() => ALLOW) as never } });
    peer.ask('r1', 'can_use_tool');
    expect(peer.answersTo('r1')).toEqual([ALLOWED]);
  });

  test('messages are passed on while a callback is pending (TS-132)', async () => {
    const { peer, messages } = startSession({ callbacks: manual() });
    peer.ask('r1', 'can_use_tool');
    peer.emit(USER);
    await settle();
    expect(messages).toEqual([USER]);
  });
});

describe('cancellation', () => {
  test('the signal aborts with an AbortError, nothing is owed, and the answer is still written (TS-122)', async () => {
    const { canUseTool, open, signals } = manual();
    const { peer, controller } = startSession({ callbacks: { canUseTool } });
    peer.ask('r1', 'can_use_tool');
    peer.cancel('r1');
    expect(signals.get('r1')!.reason).toBeInstanceOf(AbortError);
    expect(controller.inbound.openCount).toBe(0);
    open.get('r1')!.resolve(ALLOW);
    await settle();
    expect(peer.answersTo('r1')).toEqual([ALLOWED]);
    expect(controller.inbound.openCount).toBe(0);
  });

  test('without answerAfterCancel the late result is dropped and reported (PY-132)', async () => {
    const { canUseTool, open } = manual();
    const { peer, codes } = startSession({ callbacks: { canUseTool }, policy: { answerAfterCancel: false } });
    peer.ask('r1', 'can_use_tool');
    peer.cancel('r1');
    open.get('r1')!.resolve(ALLOW);
    await settle();
    expect(peer.answersTo('r1')).toEqual([]);
    expect(codes()).toEqual(['answer_dropped']);
  });

  test('a cancelled question no longer holds stdin, though its callback never settles', async () => {
    const { peer, controller } = startSession({ callbacks: manual(), policy: { closeRule: 'stream' } });
    peer.ask('r1', 'can_use_tool');
    controller.stdin.inputEnded();
    expect(peer.isInputEnded).toBe(false);
    peer.cancel('r1');
    await settle();
    expect(peer.isInputEnded).toBe(true);
  });

  for (const [name, frame] of [
    ['unknown (TS-123, PY-133)', { type: 'control_cancel_request', request_id: 'r9' }],
    ['missing (TS-123, PY-133)', { type: 'control_cancel_request' }],
  ] as const) {
    test(`a cancellation with an id that is ${name} is reported and changes nothing`, async () => {
      const { canUseTool, open, signals } = manual();
      const { peer, codes } = startSession({ callbacks: { canUseTool } });
      peer.ask('r1', 'can_use_tool');
      peer.emit(frame);
      expect(codes()).toEqual(['cancel_unknown']);
      expect(signals.get('r1')!.aborted).toBe(false);
      open.get('r1')!.resolve(ALLOW);
      await settle();
      expect(peer.answersTo('r1')).toHaveLength(1);
    });
  }

  test('an answered request cannot be cancelled any more (PY-134)', async () => {
    const { peer, codes } = startSession({ callbacks: { canUseTool: async () => ALLOW } });
    peer.ask('r1', 'can_use_tool');
    await settle();
    peer.cancel('r1');
    expect(codes()).toEqual(['cancel_unknown']);
  });
});

describe('ids of the peer in diagnostics', () => {
  const long = 'x'.repeat(100_000);
  const short = 'x'.repeat(100);
  const sent: { name: string; frame: JsonObject; details: JsonObject }[] = [
    {
      name: 'a cancellation with an object as its id',
      frame: { type: 'control_cancel_request', request_id: { secret: long } },
      details: {},
    },
    {
      name: 'a cancellation with a number as its id',
      frame: { type: 'control_cancel_request', request_id: 7 },
      details: { requestId: 7 },
    },
    {
      name: 'a cancellation with a long id',
      frame: { type: 'control_cancel_request', request_id: long },
      details: { requestId: short },
    },
    {
      name: 'a request of a long unknown subtype',
      frame: { type: 'control_request', request_id: long, request: { subtype: long } },
      details: { requestId: short, subtype: short },
    },
    {
      name: 'a malformed request',
      frame: { type: 'control_request', request_id: long, request: 5 },
      details: { requestId: short },
    },
    {
      name: 'an answer to a long unknown id',
      frame: { type: 'control_response', response: { subtype: 'success', request_id: long } },
      details: { requestId: short },
    },
  ];
  for (const { name, frame, details } of sent) {
    test(`${name}: strings are cut to 100 characters, only numbers pass beside them`, () => {
      const { peer, diagnostics } = startSession();
      peer.emit(frame);
      expect(diagnostics).toHaveLength(1);
      expect(diagnostics[0]!.details).toEqual(details);
      expect(diagnostics[0]!.message.length).toBeLessThan(300);
    });
  }

  test('a request that comes twice, and an answer that comes too late', async () => {
    const { canUseTool, open } = manual();
    const { peer, controller, diagnostics } = startSession({ callbacks: { canUseTool } });
    peer.ask(long, 'can_use_tool');
    peer.ask(long, 'can_use_tool');
    controller.shutdown(new SessionClosedError('closed'));
    open.get(long)!.resolve(ALLOW);
    await settle();
    expect(diagnostics.map(({ code, details }) => [code, details])).toEqual([
      ['request_duplicate', { requestId: short }],
      ['answer_dropped', { requestId: short }],
    ]);
    for (const { message } of diagnostics) expect(message.length).toBeLessThan(300);
  });
});

describe('requests nobody can answer', () => {
  const unsupported = [
    { name: 'an unknown subtype', request: { subtype: 'set_color' }, says: 'set_color' },
    { name: 'initialize', request: { subtype: 'initialize' }, says: 'initialize' },
    { name: 'no subtype', request: {}, says: 'undefined' },
    { name: 'a subtype that is no string', request: { subtype: 5 }, says: 'number' },
  ];
  for (const { name, request, says } of unsupported) {
    test(`${name} is an error answer with a code (TS-129, PY-129)`, () => {
      const { peer, codes } = startSession();
      peer.emit({ type: 'control_request', request_id: 'r1', request });
      expect(peer.answersTo('r1')).toEqual([
        {
          subtype: 'error',
          request_id: 'r1',
          error: `Unsupported control request subtype: ${says}`,
          error_code: 'unsupported_request',
        },
      ]);
      expect(codes()).toEqual(['request_unsupported']);
    });
  }

  for (const subtype of ['oauth_token_refresh', 'host_auth_token_refresh']) {
    test(`${subtype} is known, and its callback is not provided`, () => {
      const { peer } = startSession();
      peer.ask('r1', subtype);
      expect(peer.answersTo('r1')).toEqual([
        { subtype: 'error', request_id: 'r1', error: expect.stringContaining('not provided') },
      ]);
    });
  }

  for (const request of [undefined, null, 'x', 5, []]) {
    test(`a request of ${JSON.stringify(request)} is an error answer (TS-130, PY-130)`, () => {
      const { peer, codes } = startSession();
      peer.emit({ type: 'control_request', request_id: 'r1', request });
      expect(peer.answersTo('r1')).toEqual([
        { subtype: 'error', request_id: 'r1', error: expect.stringContaining('Malformed') },
      ]);
      expect(codes()).toEqual(['control_frame_malformed']);
    });
  }

  test('a request without an id is reported; nobody could match an answer', () => {
    const { peer, codes } = startSession();
    peer.emit({ type: 'control_request', request: { subtype: 'can_use_tool' } });
    expect(peer.of('control_response')).toEqual([]);
    expect(codes()).toEqual(['control_frame_malformed']);
  });

  test('a request whose id is a number is refused under that number', () => {
    // The id is the peer's fault, and is given back as it came.
    writesOddFrames();
    const { peer } = startSession();
    peer.emit({ type: 'control_request', request_id: 7, request: { subtype: 'can_use_tool' } });
    expect(peer.of('control_response')).toMatchObject([{ response: { subtype: 'error', request_id: 7 } }]);
  });
});

describe('the end of the session', () => {
  test('a question that it aborted may be withdrawn afterwards, which is no news', async () => {
    const { canUseTool, signals } = manual();
    const { peer, controller, codes } = startSession({ callbacks: { canUseTool } });
    peer.ask('r1', 'can_use_tool');
    controller.shutdown(new SessionClosedError('closed'));
    peer.cancel('r1');
    expect(signals.get('r1')!.aborted).toBe(true);
    expect(codes()).toEqual([]);
  });

  test('every signal aborts, and results that come later are dropped and reported (TS-134)', async () => {
    const { canUseTool, open, signals } = manual();
    const { peer, controller, codes } = startSession({ callbacks: { canUseTool } });
    peer.ask('r1', 'can_use_tool');
    peer.ask('r2', 'can_use_tool');
    const reason = new SessionClosedError('closed');
    controller.shutdown(reason);
    expect(signals.get('r1')!.reason).toBeInstanceOf(AbortError);
    expect((signals.get('r2')!.reason as Error).cause).toBe(reason);
    open.get('r1')!.resolve(ALLOW);
    open.get('r2')!.reject(new Error('aborted'));
    await settle();
    expect(peer.of('control_response')).toEqual([]);
    expect(codes().filter((code) => code === 'answer_dropped')).toHaveLength(2);
  });

  test('a request that comes after the shutdown is not handed to user code', () => {
    const canUseTool = vi.fn();
    const { peer, controller, codes } = startSession({ callbacks: { canUseTool } });
    controller.shutdown(new SessionClosedError('closed'));
    peer.ask('r1', 'can_use_tool');
    expect(canUseTool).not.toHaveBeenCalled();
    expect(codes()).toEqual(['answer_dropped']);
  });

  test('an answer after stdin was closed is dropped and reported', async () => {
    const { peer, controller, codes } = startSession({ callbacks: { canUseTool: async () => ALLOW } });
    controller.endInput();
    peer.ask('r1', 'can_use_tool');
    await settle();
    expect(codes()).toEqual(['answer_dropped']);
  });

  test('a callback that ends the session while it runs gets no answer written', async () => {
    const session = startSession({
      callbacks: {
        canUseTool: async () => {
          session.controller.shutdown(new SessionClosedError('closed'));
          return ALLOW;
        },
      },
    });
    session.peer.ask('r1', 'can_use_tool');
    await settle();
    expect(session.peer.answersTo('r1')).toEqual([]);
  });
});

describe('elicitation', () => {
  const ask = {
    mcp_server_name: 's',
    message: 'm',
    mode: 'form',
    requested_schema: { type: 'object' },
    elicitation_id: 'e',
    display_name: 'd',
    property_order: ['a'],
  };
  const cases = [
    { name: 'no callback declines (TS-127)', callback: undefined, response: { action: 'decline' } },
    {
      name: 'the value is sent verbatim (TS-127)',
      callback: async () => ({ action: 'accept' as const, content: { a: 1 } }),
      response: { action: 'accept', content: { a: 1 } },
    },
    { name: 'null sends no answer', callback: async () => null, response: 'none' },
  ];
  for (const { name, callback, response } of cases) {
    test(name, async () => {
      const { peer } = startSession({ callbacks: callback === undefined ? {} : { onElicitation: callback } });
      peer.ask('r1', 'elicitation', ask);
      await settle();
      expect(peer.answersTo('r1')).toEqual(
        response === 'none' ? [] : [{ subtype: 'success', request_id: 'r1', response }],
      );
    });
  }

  test('without a callback the answer is the chosen one (U-1)', () => {
    const { peer } = startSession({ callbacks: { unhandledElicitation: 'cancel' } });
    peer.ask('r1', 'elicitation', ask);
    expect(peer.answersTo('r1')).toEqual([{ subtype: 'success', request_id: 'r1', response: { action: 'cancel' } }]);
  });

  test('the chosen answer is not used where there is a callback (U-1)', async () => {
    const { peer } = startSession({
      callbacks: { unhandledElicitation: 'cancel', onElicitation: async () => ({ action: 'decline' as const }) },
    });
    peer.ask('r1', 'elicitation', ask);
    await settle();
    expect(peer.answersTo('r1')).toMatchObject([{ response: { action: 'decline' } }]);
  });

  test('the callback gets nine camelCase keys, the signal and the request id (TS-127)', () => {
    const onElicitation = vi.fn(async () => null);
    const { peer } = startSession({ callbacks: { onElicitation } });
    peer.ask('r1', 'elicitation', ask);
    expect(onElicitation).toHaveBeenCalledWith(
      {
        serverName: 's',
        message: 'm',
        mode: 'form',
        url: undefined,
        elicitationId: 'e',
        requestedSchema: { type: 'object' },
        title: undefined,
        displayName: 'd',
        description: undefined,
      },
      { signal: expect.any(AbortSignal), requestId: 'r1' },
    );
  });

  for (const [name, result] of [
    ['a string', () => 'accept'],
    ['nothing', () => undefined],
    ['a throw', () => Promise.reject(new Error('broken'))],
  ] as const) {
    test(`${name} is an error answer, which counts as a cancel`, async () => {
      const { peer } = startSession({ callbacks: { onElicitation: result as never } });
      peer.ask('r1', 'elicitation', ask);
      await settle();
      expect(peer.answersTo('r1')).toMatchObject([{ subtype: 'error' }]);
    });
  }
});

describe('dialogs', () => {
  const ask = { dialog_kind: 'k', payload: { a: 1 }, tool_use_id: 't' };

  test('without a callback there is no answer, and nothing is owed (TS-128)', () => {
    const { peer, controller } = startSession();
    peer.ask('r1', 'request_user_dialog', ask);
    expect(peer.answersTo('r1')).toEqual([]);
    expect(controller.inbound.openCount).toBe(0);
  });

  test('with a callback the value is sent verbatim (TS-128)', async () => {
    const onUserDialog = vi.fn(async () => ({ behavior: 'completed' as const, result: [1] }));
    const { peer } = startSession({ callbacks: { onUserDialog } });
    peer.ask('r1', 'request_user_dialog', ask);
    await settle();
    expect(onUserDialog).toHaveBeenCalledWith(
      { dialogKind: 'k', payload: { a: 1 }, toolUseID: 't' },
      { signal: expect.any(AbortSignal), requestId: 'r1' },
    );
    expect(peer.answersTo('r1')).toMatchObject([{ response: { behavior: 'completed', result: [1] } }]);
  });

  test('null sends no answer (TS-128)', async () => {
    const { peer } = startSession({ callbacks: { onUserDialog: async () => null } });
    peer.ask('r1', 'request_user_dialog', ask);
    await settle();
    expect(peer.answersTo('r1')).toEqual([]);
  });

  test('undefined is a success without a body', () => {
    const { peer } = startSession({ callbacks: { onUserDialog: (() => undefined) as never } });
    peer.ask('r1', 'request_user_dialog', ask);
    expect(peer.answersTo('r1')).toEqual([{ subtype: 'success', request_id: 'r1' }]);
  });

  test('a throw is an error answer', async () => {
    const { peer } = startSession({ callbacks: { onUserDialog: () => Promise.reject(new Error('broken')) } });
    peer.ask('r1', 'request_user_dialog', ask);
    await settle();
    expect(peer.answersTo('r1')).toEqual([{ subtype: 'error', request_id: 'r1', error: 'broken' }]);
  });
});

describe('routing', () => {
  const frames: { name: string; frame: JsonObject; shown: boolean }[] = [
    { name: 'an unknown type (TS-168)', frame: { type: 'new' }, shown: true },
    { name: 'an unknown subtype (TS-168)', frame: { type: 'system', subtype: 'n' }, shown: true },
    { name: 'a frame without a type', frame: { a: 1 }, shown: true },
    { name: 'a frame of type end', frame: { type: 'end' }, shown: true },
    { name: 'keep_alive (TS-169)', frame: { type: 'keep_alive' }, shown: false },
    { name: 'keep_alive with a mark (TS-169)', frame: { type: 'keep_alive', startup_mark: 'm' }, shown: false },
    { name: 'a mirror frame (TS-169)', frame: { type: 'transcript_mirror' }, shown: false },
    { name: 'a request (TS-169, PY-128)', frame: { type: 'control_request' }, shown: false },
    { name: 'an answer (TS-169, PY-128)', frame: { type: 'control_response' }, shown: false },
    { name: 'a cancel (TS-169)', frame: { type: 'control_cancel_request' }, shown: false },
    { name: 'a control frame of a new type (TS-168)', frame: { type: 'control_new' }, shown: true },
    { name: 'a host-only state (TS-169a)', frame: state('idle'), shown: false },
    {
      name: 'a state for everybody (TS-169a)',
      frame: { type: 'system', subtype: 'session_state_changed', state: 'idle' },
      shown: true,
    },
  ];
  for (const { name, frame, shown } of frames) {
    test(`${name} is ${shown ? 'shown as it came' : 'hidden, but counts as a sign of life'}`, () => {
      const { peer, messages, hidden } = startSession();
      peer.emit(frame);
      if (shown) expect(messages[0]).toBe(frame);
      else expect(messages).toEqual([]);
      expect(hidden).toEqual(shown ? [] : [frame.type]);
    });
  }
});
