import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookInput } from 'claudewire';
import { expect, test } from 'vitest';
import { ConversationBackground } from '../../src/background/conversation-background.js';
import { FileWakeUpStore } from '../../src/background/file-wake-up-store.js';
import { InMemoryWakeUpStore } from '../../src/background/memory-wake-up-store.js';
import { tempFolder } from '../helpers/temp-folder.js';

const KEY = { tenant: 'ada', id: '00000000-0000-4000-8000-000000000001' };
const NOON = Date.UTC(2026, 0, 1, 12, 0, 0);
const stop = (...crons: object[]) => ({ hook_event_name: 'Stop', session_crons: crons }) as unknown as HookInput;
const once = { id: 'once', schedule: '5 12 * * *', recurring: false, prompt: 'Once' };
const often = { id: 'often', schedule: '*/5 * * * *', recurring: true, prompt: 'Often' };
const KEPT = {
  ...{ wakeUpId: 'kept', prompt: 'Kept', schedule: '0 13 * * *', recurring: false },
  ...{ dueAt: NOON, fireAt: NOON },
};

async function heldAtNoon() {
  const store = new InMemoryWakeUpStore();
  const background = new ConversationBackground(store, KEY);
  await background.load('UTC');
  background.onStop(stop(once, often), NOON);
  await background.save();
  return { store, background };
}

test('what a process has sent in a turn of its own that was cut is not sent again when the process goes', async () => {
  const { store, background } = await heldAtNoon();
  // No Stop follows: the turn is interrupted, or fails.
  const sent = background.ownTurnBegan(NOON + 6 * 60_000);
  expect(sent.map(({ wakeUpId }) => wakeUpId)).toEqual(['once', 'often']);
  background.processEnded('crashed');
  await background.save();
  const left = await store.get(KEY);
  expect(left.map(({ wakeUpId, dueAt }) => [wakeUpId, (dueAt - NOON) / 60_000])).toEqual([['often', 10]]);
});

test('what is not yet due when a task opens a turn stays', async () => {
  const { store, background } = await heldAtNoon();
  expect(background.ownTurnBegan(NOON + 60_000)).toEqual([]);
  background.processEnded('crashed');
  await background.save();
  expect((await store.get(KEY)).map(({ wakeUpId }) => wakeUpId)).toEqual(['once', 'often']);
});

test('what another host has sent meanwhile does not come back', async () => {
  const store = new InMemoryWakeUpStore();
  await store.set(KEY, [KEPT]);
  const background = new ConversationBackground(store, KEY);
  await background.load('UTC');
  // Another host sends it.
  await store.set(KEY, []);
  background.processEnded('evicted');
  await background.takeOver([]);
  await background.save();
  expect(await store.get(KEY)).toEqual([]);
});

test('a file that cannot be read does not hold up the wake-ups of others, and no change leaves two files', async () => {
  const folder = tempFolder();
  const store = new FileWakeUpStore(folder);
  const files = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  await store.set(KEY, [KEPT]);
  await store.set(KEY, [{ ...KEPT, fireAt: NOON + 1 }]);
  expect(files()).toHaveLength(1);
  mkdirSync(join(folder, 'aa'), { recursive: true });
  writeFileSync(join(folder, 'aa', `${'0'.repeat(16)}.${'a'.repeat(64)}.0.json`), 'not JSON');
  expect(await store.due(NOON + 1, 10)).toEqual([KEY]);
  await store.set(KEY, []);
  expect(files()).toHaveLength(1);
});
