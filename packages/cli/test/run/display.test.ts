import type { RunSummary, SDKMessage } from 'claudewire';
import { createFrames } from 'claudewire/testing';
import fc from 'fast-check';
import { createColors } from 'picocolors';
import { describe, expect, test } from 'vitest';
import { Display } from '../../src/run/display.js';

function shown(show: (display: Display) => void, { columns = 80, isLive = true, hasColors = false } = {}): string {
  let text = '';
  show(
    new Display({
      colors: createColors(hasColors),
      write: (piece) => {
        text += piece;
      },
      columns: () => columns,
      isLive,
    }),
  );
  return text;
}

const messages = (...all: readonly unknown[]): ((display: Display) => void) => {
  return (display) => {
    for (const message of all) display.message(message as SDKMessage);
  };
};

describe('what a person sees of a run', () => {
  const frames = createFrames();

  test('text that streamed is not shown again, and comes between empty lines', () => {
    const pieces = frames.partialText(['Hello ', 'there.']);
    const whole = { ...frames.assistantText('Hello there.'), message: { id: idOf(pieces), content: [] } };
    expect(shown(messages(frames.init(), ...pieces, whole, frames.toolUse('Read', { file_path: '/a' })))).toBe(
      `${frames.init().model}, 4 tools\n\nHello there.\n\n● Read  /a\n`,
    );
  });

  test('what waits for the next piece of a text is shown when the text is over', () => {
    const pieces = frames.partialText(['one\r', '\ntwo\r', 'three', '\ud83d', '\ude00\r']);
    expect(shown(messages(...pieces))).toBe('one\ntwo␍three😀␍\n\n');
  });

  test('5 MB of blanks from a tool are a short line', () => {
    const call = frames.toolUse('Bash', { command: 'yes ""' });
    const text = shown(messages(call, frames.toolResult(' '.repeat(5_000_000), { isError: true })));
    expect(text).toMatch(/^● Bash {2}yes ""\n {2}failed Bash, \d\.\d s: *…? *\n$/);
  });

  test('a call of a sub-agent is indented, and its text is not shown', () => {
    const inside = { parent_tool_use_id: 'toolu_agent' };
    const call = { ...frames.toolUse('Bash', { command: 'ls' }), ...inside };
    const text = shown(messages({ ...frames.assistantText('Inside.'), ...inside }, call));
    expect(text).toBe('  │ ● Bash  ls\n');
  });

  test('a tool that runs for long says so, less and less often', () => {
    const call = frames.toolUse('Bash', { command: 'make' });
    const id = JSON.stringify(call).match(/"id":"(toolu[^"]*)"/)?.[1];
    const after = (seconds: number) => ({ type: 'tool_progress', tool_use_id: id, elapsed_time_seconds: seconds });
    const text = shown(messages(call, ...[2, 9, 12, 15, 25, 30, 49, 51].map(after)));
    expect(text).toBe(`● Bash  make\n${[12, 25, 51].map((seconds) => `  Bash runs for ${seconds} s\n`).join('')}`);
  });

  test('the id of the session is whole in the narrowest terminal, since it is there to be copied', () => {
    const id = '5e551000-0000-4000-8000-000000000001';
    const text = shown((display) => display.summary(summaryWith(id), 1), { columns: 20 });
    expect(text).toContain(`\nGo on with: --resume ${id}\n`);
    expect(shown((display) => display.summary(summaryWith('a\nb'), 1))).toContain('--resume a b\n');
  });

  test('the width is asked for every line, since a terminal can be resized', () => {
    let columns = 20;
    let text = '';
    const display = new Display({
      colors: createColors(false),
      write: (piece) => {
        text += piece;
      },
      columns: () => columns,
      isLive: true,
    });
    for (const width of [20, 12]) {
      columns = width;
      display.message(frames.toolUse('Bash', { command: 'x'.repeat(40) }));
    }
    expect(text.trimEnd().split('\n')).toEqual([`● Bash  ${'x'.repeat(11)}…`, '● Bash  xxx…']);
  });

  test('nothing is written while a question is on the screen, and all of it afterwards', () => {
    const text = shown((display) => {
      display.hold();
      display.message(frames.toolUse('Bash', { command: 'ls' }));
      display.line([[undefined, 'later']]);
      display.release('none');
    });
    expect(text).toBe('● Bash  ls\nlater\n');
  });

  test.each([null, 7, [null], [{ type: 'text', text: null }], [{ type: 'tool_use' }], [{ type: 'tool_result' }]])(
    'a message with the content %j does not end the run',
    (content) => {
      for (const type of ['assistant', 'user']) {
        const text = shown(
          messages({ type, parent_tool_use_id: null, message: { id: 'm', content } }, { type, message: null }),
        );
        expect(text).not.toContain('TypeError');
      }
    },
  );
});

describe('no escape sequence but its own', () => {
  const EVIL = '\u001b]52;c;aGk=\u0007\u009b2J\r\u202e\u001b[31m\ud800';
  const piece = fc.oneof(fc.constantFrom(...EVIL, EVIL, 'a', '\n', '\u001b[2J', '\r\n'), fc.string({ unit: 'binary' }));
  const text = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text }),
    fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: fc.dictionary(text, text) }),
    fc.record({ type: fc.constant('tool_result'), tool_use_id: text, content: text, is_error: fc.boolean() }),
    fc.record({ type: text, text }),
  );
  const delta = (value: fc.Arbitrary<string>) =>
    fc.record({
      type: fc.constant('stream_event'),
      parent_tool_use_id: fc.constant(null),
      event: fc.record({
        type: fc.constant('content_block_delta'),
        delta: fc.record({ type: fc.constant('text_delta'), text: value }),
      }),
    });
  const message = fc.oneof(
    delta(text),
    delta(fc.constantFrom(...EVIL)),
    fc.record({
      type: fc.constantFrom('assistant', 'user'),
      parent_tool_use_id: fc.option(text),
      message: fc.record({ id: text, content: fc.oneof(text, fc.array(block)) }),
    }),
    fc.record({ type: fc.constant('system'), subtype: fc.constant('init'), model: text, tools: fc.constant([]) }),
    fc.record({
      type: fc.constant('system'),
      subtype: fc.constant('permission_denied'),
      tool_name: text,
      message: text,
    }),
    fc.record({ type: fc.constant('system'), subtype: fc.constant('api_retry'), error_status: text, attempt: text }),
    fc.record({ type: text }),
  );

  test('whatever messages say, and however a text is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        text,
        fc.integer({ min: 1, max: 100 }),
        (all, words, columns) => {
          const said = shown(
            (display) => {
              messages(...all)(display);
              display.stderr(words);
              display.block(words, 'red');
              display.summary(summaryWith(words), 1);
            },
            { columns, hasColors: true },
          );
          // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
          const rest = said.replace(/\u001b\[\d+m/g, '');
          expect(rest).not.toMatch(/[^\P{Cc}\n\t]|[^\P{Cf}\u200c\u200d]|[\p{Zl}\p{Zp}\p{Cs}]/u);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: the same
          const own = new Set(said.match(/\u001b\[\d+m/g));
          for (const sequence of own) expect(OWN).toContain(sequence);
        },
      ),
    );
  });
});

/** What the colours of the display write. */
const OWN = ['1', '2', '22', '31', '32', '33', '36', '39'].map((code) => `\u001b[${code}m`);

function summaryWith(text: string): RunSummary {
  return {
    outcome: { kind: 'failed', retryable: false, message: text },
    error: new Error(text),
    text,
    structuredOutput: undefined,
    usage: {},
    usageByModel: {},
    costUsd: undefined,
    permissionDenials: [],
    durationMs: 1,
    numTurns: 1,
    sessionId: text,
  };
}

function idOf(events: readonly unknown[]): string {
  return JSON.stringify(events).match(/"message":\{"id":"([^"]*)"/)?.[1] ?? '';
}
