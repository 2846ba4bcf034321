import { createColors } from 'picocolors';
import { describe, expect, test } from 'vitest';
import type { DemoEvent } from '../src/demo/demo-events.js';
import { Renderer } from '../src/demo/render.js';

function show(events: readonly DemoEvent[], isLive = false, hasColors = false): string {
  const renderer = new Renderer({ colors: createColors(hasColors), isLive });
  return events.map((event) => renderer.render(event)).join('');
}

const summary: DemoEvent = {
  type: 'summary',
  outcome: 'completed',
  message: 'Hi.',
  turns: 1,
  inputTokens: 10,
  outputTokens: 5,
  costUsd: 0.00123,
  durationMs: 1234,
};

describe('one event, one line with its label', () => {
  const cases: readonly (readonly [event: DemoEvent, text: string])[] = [
    [
      { type: 'start', mode: 'scripted', scenario: 'hello', prompt: 'Hi?' },
      'demo        scripted session "hello": a real process, no network, no key\nprompt      Hi?\n',
    ],
    [
      { type: 'start', mode: 'live', prompt: 'Hi?' },
      'demo        a live session: your own CLI, login and money\nprompt      Hi?\n',
    ],
    [{ type: 'session', model: 'm', tools: 3 }, 'session     m, 3 tools\n'],
    [{ type: 'tool_call', id: 't', name: 'Bash', input: { command: 'ls' } }, 'tool        Bash {"command":"ls"}\n'],
    [{ type: 'tool_result', id: 't', text: 'a\nb\n', isError: false }, 'result      a\n            b\n'],
    [{ type: 'tool_result', id: 't', text: '', isError: true }, 'result      \n'],
    [
      { type: 'tool_result', id: 't', text: '1\n2\n3\n4\n5\n6\n7\n8', isError: false },
      ['result      1', '2', '3', '4', '5', '6', '(2 more lines)\n'].join(`\n${' '.repeat(12)}`),
    ],
    [
      { type: 'permission', tool: 'Bash', input: {}, decision: 'allow', reason: 'reads' },
      'permission  Bash allowed: reads\n',
    ],
    [
      { type: 'permission', tool: 'Bash', input: {}, decision: 'deny', reason: 'writes' },
      'permission  Bash denied: writes\n',
    ],
    [{ type: 'hook', event: 'PreToolUse', tool: 'Bash' }, 'hook        PreToolUse Bash\n'],
    [{ type: 'in_process_tool', name: 'pages', result: '4.5 pages' }, 'in-process  pages answers 4.5 pages\n'],
    [
      { type: 'retry', attempt: 1, maxRetries: 2, delayMs: 500, status: 529 },
      'retry       1 of 2 after status 529, in 500 ms\n',
    ],
    [
      { type: 'retry', attempt: 1, maxRetries: 2, delayMs: 500, status: null },
      'retry       1 of 2 after status none, in 500 ms\n',
    ],
    [{ type: 'interrupt' }, 'interrupt   the application stops the turn\n'],
    [{ type: 'stderr', text: 'oops\n' }, 'stderr      oops\n'],
    [{ type: 'error', name: 'E', message: 'bad' }, 'error       E: bad\n'],
    [{ type: 'error', name: 'E', message: 'bad', hint: 'do that' }, 'error       E: bad\nhint        do that\n'],
    [summary, 'done        completed: 1 turn, 10 + 5 tokens, $0.0012, 1.2 s\n'],
    [
      { ...summary, outcome: 'interrupted', turns: 2 },
      'done        interrupted: 2 turns, 10 + 5 tokens, $0.0012, 1.2 s\n',
    ],
  ];
  for (const [event, text] of cases) {
    test(`${event.type}: ${text.trim().split('\n')[0]}`, () => expect(show([event])).toBe(text));
  }
});

describe('streamed text', () => {
  const text: readonly DemoEvent[] = [
    { type: 'text', text: 'One ' },
    { type: 'text', text: 'two\nthree.' },
    { type: 'text_end' },
  ];

  test('plain output shows a block as one piece when it is whole', () => {
    expect(show(text)).toBe('claude      One two\n            three.\n');
    expect(show(text.slice(0, 2))).toBe('');
  });

  test('a terminal shows every piece as it comes', () => {
    expect(show(text.slice(0, 1), true)).toBe('claude      One ');
    expect(show(text, true)).toBe('claude      One two\n            three.\n');
  });

  for (const isLive of [false, true]) {
    test(`a block that was cut off keeps its line to itself (live: ${isLive})`, () => {
      expect(show([{ type: 'text', text: 'One' }, { type: 'interrupt' }], isLive)).toBe(
        'claude      One\ninterrupt   the application stops the turn\n',
      );
    });
  }
});

test('control characters in what the model or a tool says never reach the terminal', () => {
  const evil = 'a\u001b[2Jb\u0007\u009bc\rd\te';
  for (const isLive of [false, true]) {
    const shown = show(
      [
        { type: 'text', text: evil },
        { type: 'text_end' },
        { type: 'tool_result', id: 't', text: evil, isError: false },
        { type: 'stderr', text: evil },
      ],
      isLive,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must be gone
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(shown).toContain('a␛[2Jb␇<U+009B>c␍d\te');
  }
});

test('colours are on the labels only, so that text can be copied', () => {
  const { cyan } = createColors(true);
  expect(show([{ type: 'tool_call', id: 't', name: 'X', input: {} }], true, true)).toBe(
    `${cyan('tool        ')}X {}\n`,
  );
});
