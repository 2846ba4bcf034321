import { describe, expect, test } from 'vitest';
import { SessionStoreError } from '../../../src/errors.js';
import { namingCall } from '../../../src/query/stored-session/load-session.js';

const CALL = { method: 'load', sessionId: 's', subpath: 'a/b' };
const { signal } = new AbortController();

describe('a call whose failure ends the session', () => {
  test('keeps the words of a rejection, which becomes the cause; the call is named', async () => {
    const cause = new Error('down');
    await expect(namingCall(CALL, Promise.reject(cause), signal)).rejects.toMatchObject({
      message: 'SessionStore.load() failed for session s subpath a/b: down',
      errorClass: 'session_store_failed',
      cause,
      ...CALL,
    });
  });

  test('says nothing again of what is said already', async () => {
    const error = new SessionStoreError(CALL, 'returned something that is no answer');
    await expect(namingCall(CALL, Promise.reject(error), signal)).rejects.toBe(error);
  });

  test('gives the reason of an abort as it is', async () => {
    const reason = new Error('enough');
    const call = namingCall(CALL, Promise.reject(reason), AbortSignal.abort(reason));
    await expect(call).rejects.toBe(reason);
  });
});
