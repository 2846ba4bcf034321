/** Pieces of transcripts, and transcripts made by chance. */

export const SESSION = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

export const uuid = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const time = (n) => `2026-01-01T00:${String(n % 60).padStart(2, '0')}:00.000Z`;
const parentOf = (parent) => (parent === null ? null : uuid(parent));

function linked(type, n, parent, fields) {
  return {
    type,
    uuid: uuid(n),
    parentUuid: parentOf(parent),
    sessionId: SESSION,
    timestamp: time(n),
    isSidechain: false,
    ...fields,
  };
}

export const user = (n, parent, content, fields = {}) =>
  linked('user', n, parent, { message: { role: 'user', content }, cwd: '/w', ...fields });

export const assistant = (n, parent, text, fields = {}) =>
  linked('assistant', n, parent, {
    message: { id: `msg_${n}`, role: 'assistant', content: [{ type: 'text', text }] },
    cwd: '/w',
    ...fields,
  });

export const call = (n, parent, message, id, fields = {}) =>
  linked('assistant', n, parent, {
    message: { id: message, role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read' }] },
    ...fields,
  });

export const result = (n, parent, id, fields = {}) =>
  user(n, parent, [{ type: 'tool_result', tool_use_id: id, content: 'x' }], fields);

export const system = (n, parent, subtype = 'informational') => linked('system', n, parent, { subtype, content: 'c' });

export const attachment = (n, parent, fields = {}) =>
  linked('attachment', n, parent, { attachment: { type: 'date' }, ...fields });

export const progress = (n, parent) => linked('progress', n, parent, {});

export const boundary = (n, parent, logical, metadata = {}) => ({
  ...system(n, parent, 'compact_boundary'),
  logicalParentUuid: parentOf(logical),
  compactMetadata: { trigger: 'manual', ...metadata },
});

export const summary = (n, parent) => user(n, parent, 'summary', { isCompactSummary: true });

/** mulberry32: the same numbers for the same seed, everywhere. */
export function randomNumbers(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit) => Math.floor(next() * limit);
  return { next, below, pick: (list) => list[below(list.length)] };
}

/** Any links: branches, gaps, cycles, repetitions, entries of subagents and teammates. */
export function anyTranscript({ next, below }) {
  const count = 1 + below(12);
  const isNumbered = next() < 0.5;
  const idOf = (n) => `t${isNumbered ? below(3) : n}`;
  return Array.from({ length: count }, (_, index) => {
    const n = index + 1;
    const parent = next() < 0.75 ? (n > 1 ? n - 1 : null) : next() < 0.3 ? null : 1 + below(count);
    const kind = next();
    const entry =
      kind < 0.4
        ? next() < 0.5
          ? user(n, parent, 'hi')
          : result(n, parent, idOf(1 + below(n)))
        : kind < 0.75
          ? call(n, parent, `m${below(4)}`, idOf(n))
          : kind < 0.85
            ? system(n, parent)
            : kind < 0.95
              ? attachment(n, parent)
              : progress(n, parent);
    if (next() < 0.07) entry.isSidechain = true;
    if (next() < 0.05) entry.teamName = 't';
    if (next() < 0.06) entry.isMeta = true;
    if (next() < 0.03) entry.uuid = uuid(1 + below(n));
    return entry;
  });
}

/** Rounds of a conversation with compactions that keep some messages. */
export function compactedTranscript({ next, below, pick }) {
  const entries = [];
  let chain = [];
  let tip = null;
  const add = (make, parent, ...rest) => {
    const n = entries.length + 1;
    entries.push(make(n, parent, ...rest));
    return n;
  };
  for (let round = 1 + below(4); round > 0; round--) {
    for (let turn = 1 + below(5); turn > 0; turn--) {
      tip = add(next() < 0.5 ? user : assistant, tip, 'text');
      chain.push(tip);
    }
    if (next() < 0.15) {
      tip = pick(chain);
      chain = chain.slice(0, chain.indexOf(tip) + 1);
    }
    if (next() < 0.3) continue;
    const kept = chain.slice(-1 - below(3));
    const edge = add(boundary, next() < 0.9 ? null : tip, tip);
    let last = next() < 0.2 ? add(attachment, edge) : edge;
    const isSelf = next() < 0.2;
    if (!isSelf) last = add(summary, last);
    const anchorUuid = uuid(isSelf ? edge : last);
    const metadata = entries[edge - 1].compactMetadata;
    const [head, tail] = [kept[0], kept.at(-1)].map(uuid);
    if (next() < 0.5) metadata.preservedSegment = { headUuid: head, anchorUuid, tailUuid: tail };
    else metadata.preservedMessages = { anchorUuid, uuids: kept.map(uuid) };
    chain = [last, ...kept];
    tip = next() < 0.5 ? kept.at(-1) : last;
    if (tip === last) chain.push(last);
  }
  return entries;
}
