import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainOf } from '../../../src/transcripts/transcript/chain.js';
import { type ChainNode, chainNodeOf, type Nodes } from '../../../src/transcripts/transcript/chain-node.js';
import { relinkKept } from '../../../src/transcripts/transcript/kept-messages.js';
import { startCpuClock } from '../../helpers/cpu-time.js';

type Node = ChainNode<undefined>;
type Kept =
  | { readonly anchorUuid: string; readonly headUuid: string; readonly tailUuid: string }
  | { readonly anchorUuid: string; readonly uuids: readonly string[] };

function node(uuid: string, parentUuid: string | null, kept?: Kept): Node {
  const field = kept === undefined || 'uuids' in kept ? 'preservedMessages' : 'preservedSegment';
  const entry =
    kept === undefined
      ? { type: 'user', uuid, parentUuid }
      : { type: 'system', subtype: 'compact_boundary', uuid, parentUuid, compactMetadata: { [field]: kept } };
  const made = chainNodeOf(entry, undefined);
  if (made === undefined) throw new Error('not a node');
  return made;
}

const mapOf = (nodes: readonly Node[]): Nodes<undefined> => new Map(nodes.map((each) => [each.uuid, each]));

/** The same in few words: looks at every node for every compaction. */
function relinkSlowly(byUuid: Nodes<undefined>): void {
  for (const { kept } of [...byUuid.values()]) {
    if (kept === undefined) continue;
    const list = 'uuids' in kept.range ? listed(kept.range.uuids) : stretch(kept.range);
    const tail = list.at(-1);
    if (tail === undefined) continue;
    for (const each of byUuid.values()) {
      if (each.parentUuid === kept.anchorUuid && !list.includes(each)) each.parentUuid = tail.uuid;
    }
    list.forEach((each, index) => {
      each.parentUuid = list[index - 1]?.uuid ?? kept.anchorUuid;
    });
  }

  function listed(uuids: readonly string[]): Node[] {
    const found = uuids.flatMap((uuid) => byUuid.get(uuid) ?? []);
    return found.length === uuids.length ? found : [];
  }

  function stretch({ headUuid, tailUuid }: { headUuid: string; tailUuid: string }): Node[] {
    const up: Node[] = [];
    let at = byUuid.get(tailUuid);
    while (at !== undefined && !up.includes(at)) {
      up.unshift(at);
      if (at.uuid === headUuid) return up;
      at = at.parentUuid === null ? undefined : byUuid.get(at.parentUuid);
    }
    return [];
  }
}

test('any compactions are put together as a slow and simple way does it', () => {
  const uuid = fc.integer({ min: 0, max: 11 }).map((n) => `u${n}`);
  const kept: fc.Arbitrary<Kept> = fc.oneof(
    fc.record({ anchorUuid: uuid, headUuid: uuid, tailUuid: uuid }),
    fc.record({ anchorUuid: uuid, uuids: fc.array(uuid, { maxLength: 4 }) }),
  );
  const parts = fc.record({ parent: fc.option(uuid), kept: fc.option(kept, { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(parts, { minLength: 2, maxLength: 10 }), (list) => {
      const make = () => mapOf(list.map((each, index) => node(`u${index}`, each.parent, each.kept)));
      const [fast, slow] = [make(), make()];
      relinkKept(fast);
      relinkSlowly(slow);
      const parents = (nodes: Nodes<undefined>) => [...nodes.values()].map((each) => each.parentUuid);
      expect(parents(fast)).toEqual(parents(slow));
    }),
    { numRuns: 3000 },
  );
});

test('thousands of compactions that name one long stretch do not hold the program', () => {
  const [messages, compactions] = [20_000, 4000];
  const nodes: Node[] = [];
  for (let n = 0; n < messages; n++) nodes.push(node(`u${n}`, n === 0 ? null : `u${n - 1}`));
  for (let n = 0; n < compactions; n++) {
    const range = { anchorUuid: `a${n}`, headUuid: 'u0', tailUuid: `u${messages - 1}` };
    nodes.push(node(`b${n}`, null, range));
  }
  const spentMs = startCpuClock();
  expect(chainOf(nodes)).toHaveLength(messages);
  // It takes some tenths of a second. It was most of a minute.
  expect(spentMs()).toBeLessThan(8000);
});
