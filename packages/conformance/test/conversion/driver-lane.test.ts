import { readRecording } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { convertForSuite } from '../../src/conversion/suite-conversion.js';

/** Converts a recording of one process, made without an SDK: `['in', frame]`, `['out', frame]`, `['meta', event]`. */
function convert(lines: readonly (readonly [string, unknown])[], argv: readonly string[]) {
  const first = { scenario: 's', cli_version: '2.1.330 (Claude Code)' };
  const spawn = { event: 'spawn', argv: ['claude', ...argv], env_values: {} };
  const all = [['meta', first], ['meta', spawn], ...lines].map(([dir, data]) => JSON.stringify({ t: 1, dir, data }));
  return convertForSuite(readRecording(all.join('\n')));
}

const INIT = { type: 'control_request', request_id: 'r1', request: { subtype: 'initialize' } };
const ANSWER = {
  type: 'control_response',
  response: { subtype: 'success', request_id: 'r1', response: { models: ['m'] } },
};
const UUID = '0b7c3f0e-1111-4222-8333-123456789abc';

describe('frames that were written by hand', () => {
  const user = { type: 'user', message: { role: 'user', content: 'Hi.' }, uuid: UUID };

  test('become driver commands', () => {
    const { steps, header, hasDriverLane } = convert(
      [
        ['in', INIT],
        ['out', ANSWER],
        ['in', user],
        ['out', { type: 'result', subtype: 'success', is_error: false, result: 'Hello.' }],
        ['in', { type: 'control_request', request_id: 'r2', request: { subtype: 'interrupt' } }],
        ['out', { type: 'control_response', response: { subtype: 'error', request_id: 'r2', error: 'no' } }],
        ['meta', { event: 'stdin_closed' }],
        ['meta', { event: 'exit', code: 0, signal: null }],
      ],
      ['--input-format', 'stream-json', '--model', 'm', '--odd', 'x'],
    );
    expect(hasDriverLane).toBe(true);
    expect(header.features).toEqual(['query-stream', 'query:methods', 'call:interrupt']);
    expect(steps.slice(0, 7)).toEqual([
      { drive: { command: 'start', mode: 'query', stream: true, options: { model: 'm', extraArgs: { odd: 'x' } } } },
      { drive: { command: 'send', content: 'Hi.', fields: { uuid: UUID } } },
      {
        observe: {
          what: 'message',
          message: { type: 'result', subtype: 'success', is_error: false, result: 'Hello.' },
        },
      },
      { drive: { command: 'call', method: 'interrupt', args: [] }, as: 'call-1-1-interrupt' },
      { reply: 'call-1-1-interrupt', failure: {} },
      { drive: { command: 'end_input' } },
      { observe: { what: 'end' } },
    ]);
  });

  test('that no SDK writes are listed, and leave the scenario without commands', () => {
    const { hasDriverLane, notConverted } = convert([['in', 'garbage']], ['--input-format', 'stream-json']);
    expect(hasDriverLane).toBe(false);
    expect(notConverted.map(({ what }) => what)).toEqual(['in', 'driver']);
  });
});
