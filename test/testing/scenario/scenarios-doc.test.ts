import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseScenario } from '../../../src/testing/scenario/parse-scenario.js';
import { PlayerProcess } from '../player/player-process.js';

const text = readFileSync(new URL('../../../docs/reference/scenarios.md', import.meta.url), 'utf8');
const blocks = [...text.matchAll(/^```jsonl\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
const complete = blocks.filter((block) => block.startsWith('{"scenario"'));
const fragments = blocks.filter((block) => !complete.includes(block));

function saved(block: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-doc-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'scenario.jsonl');
  writeFileSync(file, block);
  return file;
}

/** The frames a scenario waits for, as the client that it expects would send them. */
function expectedBy(block: string): readonly object[] {
  return parseScenario(block, 'docs/reference/scenarios.md').steps.flatMap(({ step }) =>
    'in' in step ? [step.in as object] : [],
  );
}

test('docs/reference/scenarios.md has a whole scenario', () => {
  expect(complete.length).toBeGreaterThan(0);
});

test.each(complete)('a whole scenario of the page is played to its end: %.40s', async (block) => {
  const player = new PlayerProcess(saved(block));
  player.send(...expectedBy(block));
  const { code, stderr } = await player.finish();
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(player.cli.verdict()).toMatchObject({ passed: true, end: 'finished', unclaimed: [] });
});

test.each(fragments)('a part of a scenario on the page can be played: %.40s', (block) => {
  const whole = `{"scenario":"part","version":1}\n${block}`;
  expect(() => parseScenario(whole, 'docs/reference/scenarios.md')).not.toThrow();
});

test('the verdict on the page is that of its first scenario without any input', async () => {
  const player = new PlayerProcess(saved(complete[0] ?? ''));
  const { code } = await player.finish();
  expect(code).toBe(3);
  const shown = /^```json\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';
  const verdict = player.cli.verdict();
  // The page shows the file without its folder.
  const where = basename(verdict?.failure?.where ?? '');
  expect({ ...verdict, failure: { ...verdict?.failure, where } }).toEqual(JSON.parse(shown));
});
