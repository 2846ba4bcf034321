import { initFrame } from '../../../helpers/cli-frames.js';
import { EOF, RESULT, USER } from '../../../helpers/session-case/steps.js';
import type { ParityRow } from '../harness/parity-case.js';
import { cliGone } from './support.js';

const LATER = { out: { type: 'system', subtype: 'later' } };

const tick = (subtype: string): string => `${JSON.stringify({ type: 'system', subtype })}\n`;

/** What is delivered around an end that the caller asks for. */
export const endingCases: readonly ParityRow[] = [
  {
    ids: ['TS-160'],
    name: 'return(value) gives the value back',
    cli: [USER, { out: initFrame() }, EOF],
    program: async ({ query }) => {
      await query.next();
      return await query.return('v' as never);
    },
    expect: { value: { value: 'v', done: true } },
  },
  {
    ids: ['TS-157'],
    name: 'what comes after an abort is not delivered',
    differs: 'D-29',
    cli: [USER, { out: initFrame() }, EOF, LATER, RESULT],
    program: async (stage) => {
      await stage.drain('system/init');
      stage.abortController.abort();
      await stage.drain();
      await cliGone(stage);
    },
    expect: { messages: ['system/init'], error: { name: 'AbortError', message: 'aborted' } },
  },
  {
    ids: ['TS-159'],
    name: 'close() right after the first message of a burst: what was received is delivered',
    differs: 'D-29',
    cli: [USER, { raw: ['a', 'b', 'c'].map(tick).join('') }, EOF],
    program: async (stage) => {
      const { value } = await stage.query.next();
      stage.query.close();
      stage.messages.push(value as never);
      await stage.drain();
      await cliGone(stage);
    },
    expect: { messages: ['system/a', 'system/b', 'system/c'] },
  },
];
