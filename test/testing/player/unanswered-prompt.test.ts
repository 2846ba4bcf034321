import { expect, test } from 'vitest';
import type { Script } from '../../../src/testing/index.js';
import { unansweredPrompt } from '../../../src/testing/player/prompt-text.js';
import { cliSections } from '../../../src/testing/scenario/lanes.js';
import { compileScript } from '../../../src/testing/script/compile-script.js';

const bytesOf = (frame: object): string => Buffer.from(`${JSON.stringify(frame)}\n`).toString('base64');

test.each<{ name: string; script: Script; isUnanswered: boolean }>([
  { name: 'a prompt alone', script: ({ prompt }) => prompt(), isUnanswered: true },
  { name: 'a turn without a result', script: ({ prompt, init }) => [prompt(), init()], isUnanswered: true },
  { name: 'a prompt after a turn', script: ({ turn, prompt }) => [turn('a'), prompt()], isUnanswered: true },
  {
    name: 'a text about results',
    script: ({ prompt, assistantText }) => [prompt(), assistantText('{"type":"result"}')],
    isUnanswered: true,
  },
  { name: 'no prompt', script: ({ init }) => init(), isUnanswered: false },
  { name: 'a turn', script: ({ turn }) => turn('a'), isUnanswered: false },
  { name: 'one result for two', script: ({ prompt, turn }) => [prompt(), turn('a')], isUnanswered: false },
  {
    name: 'a result in pieces',
    script: ({ prompt, result, faults }) => [prompt(), faults.split(result(), 50)],
    isUnanswered: false,
  },
  {
    name: 'a result in bytes',
    script: ({ prompt, result }) => [prompt(), { bytes: bytesOf(result()) }],
    isUnanswered: false,
  },
  {
    name: 'a result in a repeat',
    script: ({ prompt, result }) => [prompt(), { repeat: 1, steps: [{ out: { ...result() } }] }],
    isUnanswered: false,
  },
  {
    name: 'a process that is meant to outlive its input',
    script: ({ prompt }) => [prompt(), { ignore: ['EOF'] }],
    isUnanswered: false,
  },
])('$name: unanswered is $isUnanswered', ({ script, isUnanswered }) => {
  const [section] = cliSections(compileScript(script, { reuse: true, header: {} }).scenario);
  expect(unansweredPrompt(section?.steps ?? [], []) !== undefined).toBe(isUnanswered);
});
