import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FileWakeUpStore } from '../../src/background/file-wake-up-store.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { tempFolder } from '../helpers/temp-folder.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const program = `${root}.build/stopped-writer-${process.pid}.mjs`;
/** Each stops the process at another place. */
const ROUNDS = Number(process.env.STOPPED_ROUNDS ?? 4);
const mine = { wakeUpId: 'mine', prompt: 'p', schedule: '* * * * *', recurring: true, dueAt: 3, fireAt: 3 };

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('../helpers/writer-main.ts', import.meta.url))],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external' },
  });
});
afterAll(() => rm(program, { force: true }));

/** A process that writes, and what it says. */
function startWriter(folder: string, id: string) {
  const writer = spawn(process.execPath, [program, folder, id], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void writer.kill('SIGKILL'));
  const ended = once(writer, 'exit');
  let dots = 0;
  let last = '';
  let wake = (): void => {};
  createInterface(writer.stdout).on('line', (line) => {
    last = line;
    if (line === '.') dots += 1;
    wake();
  });
  const said = async (count: number): Promise<void> => {
    while (dots < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  const result = async (): Promise<{ code: unknown; taken: readonly number[] }> => {
    const [code] = await ended;
    return { code, taken: JSON.parse(last) as readonly number[] };
  };
  return { said, result, kill: (signal: NodeJS.Signals) => writer.kill(signal) };
}

test.skipIf(process.platform === 'win32')(
  'a process that is stopped in the middle of its writes, and goes on after a takeover, adds nothing',
  async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const folder = tempFolder();
      const key = { tenant: 'ada', id: randomUUID() };
      const store = new FileConversationStore(`${folder}/conversations`);
      const log = new FileEventLog(`${folder}/events`, { segmentEvents: 40 });
      const wakeUps = new FileWakeUpStore(`${folder}/wake-ups`);
      const stored = async () => ({
        events: (await log.read(key, 0, 10_000)).events.map(({ id, event }) => [id, JSON.stringify(event)]),
        fresh: (await new FileEventLog(`${folder}/events`).read(key, 0, 10_000)).events.length,
        record: await store.get(key),
        wakeUps: [await wakeUps.get(key), await wakeUps.due(2, 10), await wakeUps.due(3, 10)],
      });
      await store.create({ ...key, createdAt: 1, updatedAt: 1 });
      const writer = startWriter(folder, key.id);
      await writer.said((round % 30) + 1);
      writer.kill('SIGSTOP');
      const token = await store.acquire(key, 60_000);
      expect(token).toBe(2);
      await log.append(key, [], token);
      const { events: before } = await stored();
      await wakeUps.set(key, [mine], token);
      await store.update(key, { title: 'mine' }, token);
      await log.append(key, [{ type: 'user_message', text: 'mine' }], token);
      const after = await stored();
      expect(after.events.slice(0, -1)).toEqual(before);
      expect(after).toMatchObject({
        fresh: after.events.length,
        record: { title: 'mine' },
        wakeUps: [[mine], [], [key]],
      });
      writer.kill('SIGCONT');
      const { code, taken } = await writer.result();
      expect(code).toBe(0);
      expect(await stored()).toEqual(after);
      const ids = before.map(([id]) => id);
      expect(taken.filter((id) => !ids.includes(id))).toEqual([]);
      expect(ids).toEqual(ids.map((_, index) => index + 1));
    }
  },
);
