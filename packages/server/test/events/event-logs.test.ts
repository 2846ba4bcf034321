import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EventLog } from '../../src/events/event-log.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { eventLogContract } from '../../src/testing.js';
import { tempFolder } from '../helpers/temp-folder.js';

const KEY = { tenant: 'ada', id: '00000000-0000-4000-8000-000000000001' };
const said = (text: string) => ({ type: 'user_message', text }) as const;

async function textsOf(log: EventLog, after = 0, limit = 1_000): Promise<readonly string[]> {
  const { events } = await log.read(KEY, after, limit);
  return events.map(({ id, event }) => `${id} ${event.type === 'user_message' ? event.text : event.type}`);
}

describe('InMemoryEventLog', () => {
  const make = () => {
    const log = new InMemoryEventLog();
    return { log, again: () => log };
  };
  for (const { name, run } of eventLogContract(make)) test(name, run);
});

describe('FileEventLog', () => {
  const make = () => {
    const folder = tempFolder();
    return { log: new FileEventLog(folder), again: () => new FileEventLog(folder) };
  };
  for (const { name, run } of eventLogContract(make)) test(name, run);
});

test('the memory log drops the oldest events', async () => {
  const log = new InMemoryEventLog({ maxEvents: 3 });
  await log.append(KEY, ['a', 'b', 'c', 'd', 'e'].map(said));
  expect(await textsOf(log)).toEqual(['3 c', '4 d', '5 e']);
  const small = new InMemoryEventLog({ maxBytes: 10 });
  await small.append(KEY, ['a', 'b'].map(said));
  expect(await textsOf(small)).toEqual(['2 b']);
});

describe('FileEventLog', () => {
  test('begins new files and drops the oldest', async () => {
    const folder = tempFolder();
    const log = new FileEventLog(folder, { segmentEvents: 2, segments: 3 });
    for (const text of 'abcdefghi') await log.append(KEY, [said(text)]);
    expect(await textsOf(log)).toEqual(['5 e', '6 f', '7 g', '8 h', '9 i']);
    expect(await textsOf(log, 5, 3)).toEqual(['6 f', '7 g', '8 h']);
    expect(await log.read(KEY, 0, 1)).toMatchObject({ firstId: 5, lastId: 9 });
    expect(readdirSync(folder, { recursive: true, encoding: 'utf8' })).toHaveLength(5);
  });

  test('what a host writes that looked at the lease before another one took over is read by nobody', async () => {
    const folder = tempFolder();
    const [here, there] = [new FileEventLog(folder), new FileEventLog(folder)];
    await here.append(KEY, [said('a')], 1);
    expect(await textsOf(there)).toEqual(['1 a']);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const file = openSync(join(folder, names.find((name) => name.endsWith('.jsonl')) ?? ''), 'a');
    await there.append(KEY, [], 2);
    writeSync(file, `${JSON.stringify({ id: 2, at: 1, event: said('late') })}\n`);
    closeSync(file);
    await there.append(KEY, [said('b')], 2);
    for (const log of [here, there, new FileEventLog(folder)]) expect(await textsOf(log)).toEqual(['1 a', '2 b']);
    await expect(here.append(KEY, [said('late')], 1)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('says that events are gone whose file was dropped after it was listed', async () => {
    const folder = tempFolder();
    const log = new FileEventLog(folder, { segmentEvents: 2 });
    for (const text of 'abcdefg') await log.append(KEY, [said(text)]);
    const isOf = (id: number) => (name: string) => name.endsWith(`${id}.jsonl`);
    const drop = (id: number) => {
      const path = join(folder, readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(isOf(id)) ?? '');
      // Listed, and not there when it is read.
      rmSync(path);
      symlinkSync('nowhere', path);
    };
    drop(1);
    expect(await log.read(KEY, 0, 2)).toMatchObject({ events: [{ id: 3 }, { id: 4 }], firstId: 3, lastId: 7 });
    drop(5);
    expect(await log.read(KEY, 2, 9)).toMatchObject({ events: [{ id: 3 }, { id: 4 }], lastId: 7 });
    expect(await log.read(KEY, 4, 9)).toMatchObject({ events: [{ id: 7 }], firstId: 7, lastId: 7 });
  });

  test('goes on after another process, and cuts off a line that a crash left', async () => {
    const folder = tempFolder();
    const first = new FileEventLog(folder);
    await first.append(KEY, [said('a'), said('b')]);
    await new FileEventLog(folder).append(KEY, [said('c')]);
    expect(await first.append(KEY, [said('d')])).toMatchObject([{ id: 4 }]);

    const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl'))!;
    // A whole event whose newline is missing was not acknowledged either.
    for (const torn of ['{"id":5,"ev', '{"id":5,"at":1,"event":{"type":"user_message","text":"x"}}']) {
      appendFileSync(join(folder, name), torn);
      expect(await textsOf(first)).not.toContain('5 x');
      const next = await first.append(KEY, [said(`after ${torn.length}`)]);
      expect(readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')).toHaveLength(next[0]!.id);
    }
    expect((await textsOf(new FileEventLog(folder))).map((text) => text.slice(0, 7))).toEqual([
      ...['1 a', '2 b', '3 c', '4 d', '5 after', '6 after'],
    ]);
  });

  test('a line that cannot be read is a gap, and one that repeats an id has its own', async () => {
    const folder = tempFolder();
    const log = new FileEventLog(folder);
    await log.append(KEY, [said('a')]);
    const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl'))!;
    const twice = '{"id":1,"at":1,"event":{"type":"user_message","text":"b"}}';
    appendFileSync(join(folder, name), `not JSON\nnull\n{"id":3}\n${twice}\n`);
    const [next] = await log.append(KEY, [said('c')]);
    const { events, lastId } = await log.read(KEY, 0, 10);
    expect(events.map(({ id, event }) => `${id} ${event.type}`)).toEqual([
      ...['1 user_message', '2 events_dropped', '3 events_dropped', '4 events_dropped'],
      ...['5 user_message', '6 user_message'],
    ]);
    expect([lastId, next?.id]).toEqual([6, 6]);
  });

  // V-3
  test('reads only what was appended, and of a page only that page', async () => {
    const folder = tempFolder();
    const log = new FileEventLog(folder);
    await log.append(
      KEY,
      Array.from({ length: 300 }, (_, index) => said(`${index + 1}`)),
    );
    expect(await log.read(KEY, 0, 0)).toMatchObject({ firstId: 1, lastId: 300 });
    const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl'))!;
    const path = join(folder, name);
    const bytes = readFileSync(path);
    // Without the newlines that it would count, and with an end that stays readable.
    const kept = bytes.lastIndexOf('\n', bytes.length - 20_000) + 1;
    writeFileSync(path, Buffer.concat([Buffer.alloc(kept, 'x'), bytes.subarray(kept)]));
    expect((await textsOf(log, 295)).map((text) => text.split(' ')[1])).toEqual(['296', '297', '298', '299', '300']);
    expect(await log.read(KEY, 0, 0)).toMatchObject({ lastId: 300 });
  });

  test('a file that was cut off, or is another one, is read anew', async () => {
    const folder = tempFolder();
    const log = new FileEventLog(folder);
    await log.append(KEY, ['a', 'b', 'c'].map(said));
    await log.read(KEY, 0, 9);
    const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl'))!;
    writeFileSync(join(folder, name), '{"id":1,"at":1,"event":{"type":"user_message","text":"new"}}\n');
    expect(await textsOf(log)).toEqual(['1 new']);
  });
});
