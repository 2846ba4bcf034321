import type { SDKUserMessage } from '../../index.js';
import { createDeferred } from '../../util/deferred.js';

/** The prompt, and an input that stays open after it: the CLI's questions are answered over it. `endInput()` ends it. Sent when `mayGo` resolves. */
export function oneMessage(prompt: string, mayGo: Promise<unknown>): AsyncIterable<SDKUserMessage> {
  const message: SDKUserMessage = {
    type: 'user',
    message: { role: 'user', content: prompt },
    parent_tool_use_id: null,
    session_id: '',
  };
  const ended = createDeferred<IteratorResult<SDKUserMessage, undefined>>();
  let isSent = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (isSent) return ended.promise;
        isSent = true;
        await mayGo;
        return { done: false, value: message };
      },
      return: async () => {
        const end = { done: true, value: undefined } as const;
        ended.resolve(end);
        return end;
      },
    }),
  };
}
