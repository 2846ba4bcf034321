/** A host that writes to a conversation as fast as it can until each store has refused it: `node writer.mjs folder id`. */
import { FileWakeUpStore } from '../../src/background/file-wake-up-store.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';

const [folder = '', id = ''] = process.argv.slice(2);
const key = { tenant: 'ada', id };
const store = new FileConversationStore(`${folder}/conversations`);
const log = new FileEventLog(`${folder}/events`, { segmentEvents: 40 });
const wakeUps = new FileWakeUpStore(`${folder}/wake-ups`);
const token = await store.acquire(key, 1);
if (token === undefined) throw new Error('no lease');

/** @returns how many were taken. */
async function untilRefused(write: (index: number) => Promise<unknown>): Promise<number> {
  for (let index = 0; ; index += 1) {
    try {
      await write(index);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'conflict') return index;
      throw error;
    }
  }
}

const taken: number[] = [];
await Promise.all([
  untilRefused(async (index) => {
    const [logged] = await log.append(key, [{ type: 'user_message', text: `late ${index}` }], token);
    if (logged !== undefined) taken.push(logged.id);
    if (index % 5 === 0) process.stdout.write('.\n');
  }),
  untilRefused((index) => store.update(key, { title: `late ${index}` }, token)),
  untilRefused((index) => {
    const times = { dueAt: index, fireAt: index % 7 };
    return wakeUps.set(
      key,
      [{ wakeUpId: 'late', prompt: 'p', schedule: '* * * * *', recurring: true, ...times }],
      token,
    );
  }),
]);
process.stdout.write(`${JSON.stringify(taken)}\n`);
