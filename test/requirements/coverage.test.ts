import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { inboundCases } from '../control/inbound.cases.js';
import { pythonCallbackCases } from '../control/python-callbacks.cases.js';
import { requestCases } from '../control/requests.cases.js';
import { mcpCases } from '../mcp/session-mcp.cases.js';
import { setMcpServersCases } from '../mcp/set-mcp-servers.cases.js';
import { endingCases } from '../query/ending.cases.js';
import { promptCases } from '../query/prompt.cases.js';
import { pythonClientCases } from '../query/python-client.cases.js';
import { readerCases } from '../query/reader.cases.js';
import { citedIds, idsIn } from './cited-ids.js';
import { DEFERRED, PYTHON_ROWS, SAME_AS, TYPESCRIPT_ROWS } from './registry.js';

const ALL = [...range('TS', 1, TYPESCRIPT_ROWS), 'TS-169a', ...range('PY', 1, PYTHON_ROWS)];
const cited = citedIds();
const deferred = DEFERRED.flatMap(({ ids }) => ids.flatMap(expand));

describe('every row of the two checklists', () => {
  test('is cited by a test or deferred with a reason', () => {
    const same = Object.entries(SAME_AS).flatMap(([id, other]) => (cited.has(other) ? [id] : []));
    const known = new Set([...cited, ...deferred, ...same]);
    expect(ALL.filter((id) => !known.has(id))).toEqual([]);
  });

  test('is not deferred once a test cites it', () => {
    expect(deferred.filter((id) => cited.has(id))).toEqual([]);
  });

  test('is deferred once, with a reason, and exists', () => {
    expect(deferred.length).toBe(new Set(deferred).size);
    expect(deferred.filter((id) => !ALL.includes(id))).toEqual([]);
    expect(DEFERRED.filter(({ reason }) => reason.trim() === '')).toEqual([]);
  });

  test('has a number that the checklists have', () => {
    expect([...cited].filter((id) => !ALL.includes(id))).toEqual([]);
  });
});

test('citations are read from code: not from comments, not from what a row differs by', () => {
  const source = `
    // TS-001
    /* TS-002
       TS-003 */
    { ids: ['TS-004'], differs: 'TS-005' }
    test('it works (PY-006, TS-169a)', () => {});
  `;
  expect(idsIn(source)).toEqual(['TS-004', 'PY-006', 'TS-169a']);
});

test('what a session row differs by is a documented difference, or the row that decides instead', () => {
  const page = fileURLToPath(new URL('../../docs/evidence/differences.md', import.meta.url));
  const documented = new Set(readFileSync(page, 'utf8').match(/\bD-\d+\b/g));
  const rows = [
    ...promptCases,
    ...requestCases,
    ...inboundCases,
    ...mcpCases,
    ...setMcpServersCases,
    ...endingCases,
    ...readerCases,
    ...pythonClientCases,
    ...pythonCallbackCases,
  ];
  const unknown = rows.filter(
    ({ differs }) => differs !== undefined && !documented.has(differs) && !ALL.includes(differs),
  );
  expect(unknown.map(({ ids, differs }) => `${ids}: ${differs}`)).toEqual([]);
});

/** `PY-150..152` as its three ids. */
function expand(entry: string): readonly string[] {
  const parts = /^(TS|PY)-(\d+)\.\.(\d+)$/.exec(entry);
  return parts === null ? [entry] : range(parts[1] ?? '', Number(parts[2]), Number(parts[3]));
}

function range(prefix: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}-${String(from + index).padStart(3, '0')}`);
}
