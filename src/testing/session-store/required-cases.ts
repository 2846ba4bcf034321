import type { SessionStoreEntry } from '../../index.js';
import { type ContractCase, expectSame, expectThat, required, sortedText } from './contract-case.js';
import {
  below,
  entries,
  idsOf,
  MAIN,
  ODD_ENTRIES,
  OTHER_PROJECT,
  OTHER_SESSION,
  PROJECT,
  UNUSUAL_JSON,
  uuidsOf,
} from './sample.js';

/** What every store promises. */
export const REQUIRED_CASES: readonly ContractCase[] = [
  required('load returns the entries of an append in their order', async (store) => {
    const batch = [
      { type: 'x', uuid: 'b', n: 1 },
      { type: 'x', uuid: 'a', n: 2 },
    ];
    await store.append(MAIN, batch);
    expectSame('load()', await store.load(MAIN), batch);
  }),

  required('load of a key that was never written is null', async (store) => {
    expectSame('load() of an empty store', await store.load(MAIN), null);
    await store.append(MAIN, entries('main'));
    expectSame('load() of another session', await store.load({ ...MAIN, sessionId: OTHER_SESSION }), null);
    expectSame('load() of an unknown subpath', await store.load(below('subagents/agent-1')), null);
  }),

  required('several appends are kept in the order of the calls', async (store) => {
    const batches = [entries('z'), entries('a', 2), entries('m'), entries('b', 3)];
    for (const batch of batches) await store.append(MAIN, batch);
    expectSame('load()', await store.load(MAIN), batches.flat());
  }),

  required('an append of nothing changes nothing and makes no session', async (store) => {
    await store.append(MAIN, entries('main'));
    await store.append(MAIN, []);
    expectSame('load()', await store.load(MAIN), entries('main'));
    await store.append({ ...MAIN, sessionId: OTHER_SESSION }, []);
    const listed = await store.listSessions?.(PROJECT);
    if (listed === undefined) return;
    expectSame('listSessions()', idsOf(listed), [MAIN.sessionId]);
  }),

  required('a subpath is a transcript of its own', async (store) => {
    const subpaths = [
      'subagents/agent-1',
      'subagents/agent-10',
      'subagents/workflows/run/agent-1',
      'subagents-agent-1',
    ];
    await store.append(MAIN, entries('main', 2));
    for (const subpath of subpaths) await store.append(below(subpath), entries(subpath));
    expectSame('load() of the main transcript', await store.load(MAIN), entries('main', 2));
    for (const subpath of subpaths) {
      expectSame(`load() of ${subpath}`, await store.load(below(subpath)), entries(subpath));
    }
  }),

  required('a subpath can be written before the main transcript', async (store) => {
    await store.append(below('subagents/agent-1'), entries('sub'));
    expectSame('load() of the main transcript', await store.load(MAIN), null);
    await store.append(MAIN, entries('main'));
    expectSame('load() of the subpath', await store.load(below('subagents/agent-1')), entries('sub'));
    expectSame('load() of the main transcript', await store.load(MAIN), entries('main'));
  }),

  required('projects are separate, also when one name begins like another', async (store) => {
    const projects = [PROJECT, OTHER_PROJECT, `${PROJECT}-2`, PROJECT.slice(0, -1)];
    for (const projectKey of projects) await store.append({ ...MAIN, projectKey }, entries(projectKey));
    for (const projectKey of projects) {
      const loaded = await store.load({ ...MAIN, projectKey });
      expectSame(`load() of ${projectKey}`, loaded, entries(projectKey));
      const listed = await store.listSessions?.(projectKey);
      if (listed !== undefined) expectSame('listSessions().length', listed.length, 1);
    }
  }),

  required('sessions of a project are separate', async (store) => {
    await store.append(MAIN, entries('one'));
    await store.append({ ...MAIN, sessionId: OTHER_SESSION }, entries('two'));
    await store.append(MAIN, entries('three'));
    expectSame('the uuids of load()', await uuidsOf(store, MAIN), ['one-0', 'three-0']);
  }),

  required('entries come back deep-equal, whatever JSON they hold', async (store) => {
    await store.append(MAIN, [...ODD_ENTRIES]);
    const loaded = (await store.load(MAIN)) ?? [];
    ODD_ENTRIES.forEach((entry, index) => {
      expectSame(`entry ${index} of load()`, loaded[index], entry);
    });
    expectSame('load().length', loaded.length, ODD_ENTRIES.length);
  }),

  required('a batch of 500 entries and more than 1 MiB comes back whole', async (store) => {
    const batch = entries('big', 500).map((entry) => ({ ...entry, padding: 'x'.repeat(2200) }));
    await store.append(MAIN, batch);
    expectThat(
      JSON.stringify(await store.load(MAIN)).length >= JSON.stringify(batch).length,
      'load() must give all 500 entries as long as they were',
    );
    const uuids = batch.map(({ uuid }) => uuid);
    expectSame('the uuids of load()', await uuidsOf(store, MAIN), uuids);
  }),

  required('a transcript of 2500 entries in several appends comes back whole', async (store) => {
    const batches = Array.from({ length: 5 }, (_, index) => entries(`part${index}`, 500));
    for (const batch of batches) await store.append(MAIN, batch);
    const uuids = batches.flat().map(({ uuid }) => uuid);
    expectSame('the uuids of load()', await uuidsOf(store, MAIN), uuids);
  }),

  required('an entry of more than 2 MiB comes back whole', async (store) => {
    const large = { type: 'user', uuid: 'large', text: 'x'.repeat(2 * 1024 * 1024) };
    await store.append(MAIN, [large, ...entries('next')]);
    const [loaded] = (await store.load(MAIN)) ?? [];
    expectThat(loaded?.text === large.text, 'load() must give the text as long as it was');
    expectSame('the uuids of load()', await uuidsOf(store, MAIN), ['large', 'next-0']);
  }),

  required('a key named __proto__ and half a surrogate pair are kept', async (store) => {
    const odd = JSON.parse(UNUSUAL_JSON) as SessionStoreEntry;
    await store.append(MAIN, [odd]);
    const [loaded] = (await store.load(MAIN)) ?? [];
    expectSame('the text of load()', sortedText(loaded), sortedText(odd));
  }),

  required('subpaths that differ in case alone are two transcripts', async (store) => {
    const subpaths = ['subagents/agent-ab', 'subagents/agent-AB'];
    for (const subpath of subpaths) await store.append(below(subpath), entries(subpath));
    for (const subpath of subpaths) {
      expectSame(`load() of ${subpath}`, await store.load(below(subpath)), entries(subpath));
    }
  }),

  required('what was appended is a copy: later changes by the caller are not stored', async (store) => {
    const batch: SessionStoreEntry[] = [{ type: 'x', uuid: 'a', message: { content: 'as it was' } }];
    await store.append(MAIN, batch);
    Object.assign(batch[0]?.message as object, { content: 'changed' });
    batch.push({ type: 'x', uuid: 'b' });
    expectSame('load()', await store.load(MAIN), [{ type: 'x', uuid: 'a', message: { content: 'as it was' } }]);
  }),

  required('what is loaded is a copy: changes to it are not stored', async (store) => {
    await store.append(MAIN, entries('main'));
    const loaded = (await store.load(MAIN)) ?? [];
    Object.assign(loaded[0]?.message as object, { content: 'changed' });
    loaded.push({ type: 'x', uuid: 'b' });
    expectSame('load()', await store.load(MAIN), entries('main'));
  }),

  required('appends that run at once lose nothing and keep the order of each', async (store) => {
    const batches = Array.from({ length: 8 }, (_, index) => entries(`writer${index}`, 5));
    await Promise.all(batches.map((batch) => store.append(MAIN, batch)));
    const found = await uuidsOf(store, MAIN);
    const all = batches.flat().map(({ uuid }) => uuid);
    expectSame('the uuids of load(), sorted,', [...found].sort(), [...all].sort());
    for (const batch of batches) {
      const uuids: unknown[] = batch.map(({ uuid }) => uuid);
      const ofThis = found.filter((uuid) => uuids.includes(uuid));
      expectSame('the uuids of one append', ofThis, uuids);
    }
  }),
];
