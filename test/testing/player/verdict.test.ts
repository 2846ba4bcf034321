import { describe, expect, test } from 'vitest';
import type { Step } from '../../helpers/scripted-cli.js';
import { PlayerProcess } from './player-process.js';

const answer = (id: string, response: object): object => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});

describe('a play that fails exits with 3, says why on stderr, and writes it into the verdict', () => {
  const cases: readonly {
    readonly name: string;
    readonly steps: readonly Step[];
    readonly send?: readonly object[];
    readonly raw?: string;
    readonly header?: object;
    readonly endsInput?: boolean;
    readonly end: string;
    readonly line: number;
    readonly message: RegExp;
  }[] = [
    {
      name: 'the end of stdin before an expected frame',
      steps: [{ out: {} }, { in: { type: 'user', message: { content: 'hi' } } }],
      send: [{ type: 'user', message: { content: 'hello' } }],
      endsInput: true,
      end: 'mismatch',
      line: 2,
      message: /stdin has ended.*message\.content: expected string "hi", found string "hello"/,
    },
    {
      name: 'an answer with other content, without waiting for the deadline',
      steps: [{ in: answer('p1', { behavior: 'allow' }) as Record<string, unknown> }],
      send: [answer('p1', { behavior: 'deny' })],
      end: 'mismatch',
      line: 1,
      message: /the answer differs.*response\.response\.behavior/,
    },
    {
      name: 'an expected frame that does not come in time',
      steps: [{ in: { type: 'user' }, timeoutMs: 20 }],
      end: 'deadline',
      line: 1,
      message: /nothing in 20 ms/,
    },
    {
      name: 'a wait that is not ended in time',
      steps: [{ wait: 'EOF', timeoutMs: 20 }],
      end: 'deadline',
      line: 1,
      message: /EOF did not come within 20 ms/,
    },
    {
      name: 'a play longer than its deadline',
      steps: [{ wait: 'forever' }],
      header: { deadlineMs: 30 },
      end: 'deadline',
      line: 1,
      message: /not over after 30 ms/,
    },
    {
      name: 'a bound variable with another value',
      steps: [{ in: { a: '$x' } }, { in: { b: '$x' } }],
      send: [{ a: 1 }, { b: 2 }],
      endsInput: true,
      end: 'mismatch',
      line: 2,
      message: /stdin has ended/,
    },
    {
      name: 'a key that must not be there',
      steps: [{ in: { type: 't', secret: '$absent' } }],
      send: [{ type: 't', secret: 1 }],
      endsInput: true,
      end: 'mismatch',
      line: 1,
      message: /secret: expected no such key, found number 1/,
    },
    {
      name: 'a variable without a value',
      steps: [{ out: { id: '$never' } }],
      end: 'error',
      line: 1,
      message: /\$never has no value/,
    },
    {
      name: 'a line on stdin that is not JSON',
      steps: [{ in: { type: 'user' } }],
      raw: 'nonsense\n',
      end: 'mismatch',
      line: 1,
      message: /not a JSON object: nonsense/,
    },
    {
      name: 'an unfinished last line that is not JSON',
      steps: [{ in: { type: 'user' } }],
      raw: '{"type":"us',
      endsInput: true,
      end: 'mismatch',
      line: 1,
      message: /not a JSON object/,
    },
  ];
  for (const { name, steps, send = [], raw, header, endsInput, end, line, message } of cases) {
    test(name, async () => {
      const player = new PlayerProcess(steps, header === undefined ? {} : { header });
      player.send(...send);
      if (raw !== undefined) player.child.stdin.write(raw);
      const exit = await (endsInput === true ? player.finish() : player.exit);
      expect(exit).toMatchObject({ code: 3, stderr: expect.stringMatching(message) });
      expect(player.cli.verdict()).toMatchObject({
        passed: false,
        end,
        exitCode: 3,
        stepsTotal: steps.length,
        failure: { line, message: expect.stringMatching(message) },
      });
    });
  }
});

test('the report shows the last 20 frames that came', async () => {
  const player = new PlayerProcess([{ in: { type: 'never' } }]);
  player.send(...Array.from({ length: 25 }, (_, n) => ({ n })));
  await player.finish();
  expect(player.cli.verdict()?.failure?.got).toEqual(Array.from({ length: 20 }, (_, n) => ({ n: n + 5 })));
});
