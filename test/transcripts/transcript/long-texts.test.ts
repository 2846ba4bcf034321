import { describe, expect, test } from 'vitest';
import { FirstPrompt } from '../../../src/transcripts/transcript/first-prompt.js';
import { EdgeText } from '../../../src/transcripts/transcript/head-tail.js';
import { startCpuClock } from '../../helpers/cpu-time.js';

function promptOf(content: string): string {
  const prompt = new FirstPrompt();
  prompt.add({ type: 'user', message: { role: 'user', content } });
  return prompt.text;
}

describe('FirstPrompt', () => {
  test.each([
    ['<command-name>/a</command-name> and </command-name>', '/a'],
    ['<command-name>/a', ''],
    ['</command-name><command-name>/a</command-name>', '/a'],
    ['<command-name><command-name>/a</command-name>', '<command-name>/a'],
    ['x <bash-input> ls\n-l </bash-input>', '! ls -l'],
    ['<bash-input>', ''],
    ['</bash-input> <bash-input>', '</bash-input> <bash-input>'],
  ])('of %j is %j', (content, expected) => {
    expect(promptOf(content)).toBe(expected);
  });

  test.each(['command-name', 'bash-input'])('passes over thousands of open <%s>', (tag) => {
    const spentMs = startCpuClock();
    expect(promptOf(`<${tag}>`.repeat(40_000))).toBe('');
    // It takes a millisecond. It was seconds.
    expect(spentMs()).toBeLessThan(1000);
  });
});

describe('EdgeText', () => {
  const cut = `"cwd":1,"gitBranch":1`.repeat(60_000);
  test('looks for the ends of a long line once', () => {
    const edge = new EdgeText(Buffer.from(`{"cwd":"/w"}\n${cut}`));
    const spentMs = startCpuClock();
    expect(edge.last('gitBranch')).toBeUndefined();
    expect(new EdgeText(Buffer.from(cut)).first('cwd')).toBeUndefined();
    expect(spentMs()).toBeLessThan(1000);
    expect(edge.first('cwd')).toBe('/w');
  });

  test('goes from line to line and back', () => {
    const edge = new EdgeText(
      Buffer.from('{"tag":"a","cwd":1}\n\n{"tag":1}\n{"cwd":"/b","gitBranch":"m"}\nut","tag":"c'),
    );
    expect([edge.last('tag'), edge.lastOf('tag'), edge.last('gitBranch')]).toEqual(['a', 'a', 'm']);
    expect([edge.first('cwd'), edge.firstLineHas('cwd')]).toEqual(['/b', false]);
    expect([...edge.entriesWith('"tag":')]).toEqual([{ tag: 'a', cwd: 1 }, { tag: 1 }]);
  });
});
