import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeVerdict } from '../../../src/testing/player/verdict.js';
import { createRecorderLauncher } from '../../../src/testing/recorder/launcher.js';
import { CURRENT } from '../support/clis.js';
import { setStage } from '../support/stage.js';
import { bash, call } from '../support/turns.js';
import { buildParts, type Program, replay, runProgram, SDKS, scenarioFrom } from './support.js';

const PROGRAM: Program = {
  model: 'sonnet',
  command: 'touch agreed.txt',
  messages: ['Make a file.', 'Add two and three.'],
};

/** One change each, and where the verdict must point. */
const CHANGES: readonly { name: string; program: Program; names: RegExp }[] = [
  {
    name: 'one changed option',
    program: { ...PROGRAM, model: 'opus' },
    names: /--model: expected string "sonnet", found string "opus"/,
  },
  {
    name: 'one changed answer',
    program: { ...PROGRAM, command: 'touch other.txt' },
    names: /updatedInput\.command: expected string "touch agreed\.txt", found string "touch other\.txt"/,
  },
  {
    name: 'one changed message',
    program: { ...PROGRAM, messages: ['Make a file.', 'Add two and four.'] },
    names: /expected string "Add two and three\.", found string "Add two and four\."/,
  },
];

let parts: Awaited<ReturnType<typeof buildParts>>;
beforeAll(async () => {
  parts = await buildParts();
});

describe.each(SDKS.filter(({ isThere }) => isThere))('the recorder under $name', (sdk) => {
  test('what it records on the real CLI replays, and every change turns it red', { timeout: 180_000 }, async () => {
    const stage = await setStage(CURRENT, {
      turns: [bash('touch made.txt', 'Make a file'), 'Made it.', call('mcp__calc__add', { a: 2, b: 3 }), 'Five.'],
    });
    const out = join(stage.folder, 'recording.jsonl');
    const { path: recorder } = createRecorderLauncher({
      out,
      cli: CURRENT.path,
      dir: join(stage.folder, 'recorder'),
      recorder: parts.recorder,
    });
    const recorded = await runProgram(sdk, { stage, cli: recorder, program: PROGRAM });
    expect(recorded).toMatchObject({ code: 0, stdout: 'Made it.\nFive.\n' });
    const text = readFileSync(out, 'utf8');
    expect(text).not.toContain(stage.folder);
    expect(text).not.toContain('sk-ant-fake');
    for (const part of ['hook_callback', 'can_use_tool', 'tools/call']) expect(text).toContain(part);

    const scenario = join(stage.folder, 'scenario.jsonl');
    const { notConverted } = scenarioFrom(out, scenario);
    expect(notConverted).toEqual([]);

    const same = await replay(sdk, { stage, ...parts, scenario, program: PROGRAM, name: 'same' });
    expect(describeVerdict(same.verdict)).toBe('recording: passed');
    expect(same.run).toMatchObject({ code: 0, stdout: 'Made it.\nFive.\n' });

    for (const { name, program, names } of CHANGES) {
      const changed = await replay(sdk, { stage, ...parts, scenario, program, name });
      expect(changed.verdict.passed, name).toBe(false);
      expect(describeVerdict(changed.verdict), name).toMatch(names);
    }
  });
});
