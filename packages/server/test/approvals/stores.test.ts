import { randomUUID } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.js';
import { ApprovalTokens } from '../../src/approvals/approval-token.js';
import { digestOf } from '../../src/approvals/digest.js';
import { FileApprovalStore } from '../../src/approvals/file-approval-store.js';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import { approvalStoreContract } from '../../src/testing.js';
import { tempFolder } from '../helpers/temp-folder.js';

const approval: Approval = {
  ...{ tenant: 'ada', id: randomUUID(), approvalId: randomUUID(), toolName: 'Bash', toolUseId: 'toolu_1' },
  ...{ input: { command: 'ls' }, inputDigest: digestOf({ command: 'ls' }), createdAt: 1, expiresAt: 2, state: 'open' },
};

describe('InMemoryApprovalStore', () => {
  const make = () => {
    const store = new InMemoryApprovalStore();
    return { store, again: () => store };
  };
  for (const { name, run } of approvalStoreContract(make)) test(name, run);
});

describe('FileApprovalStore', () => {
  const make = () => {
    const folder = tempFolder();
    return { store: new FileApprovalStore(folder), again: () => new FileApprovalStore(folder) };
  };
  for (const { name, run } of approvalStoreContract(make)) test(name, run);

  test('leaves no drafts, and nobody else may read', async () => {
    const folder = tempFolder();
    const store = new FileApprovalStore(folder);
    await store.create(approval);
    await store.change(approval, approval.approvalId, 'open', { state: 'consumed' });
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
    const modes = entries.map((path) => [statSync(path).isDirectory(), statSync(path).mode & 0o777]);
    expect(modes.filter(([isFolder]) => isFolder === false)).toEqual([
      [false, 0o600],
      [false, 0o600],
    ]);
    expect(modes.filter(([isFolder]) => isFolder === true).every(([, mode]) => mode === 0o700)).toBe(true);
  });

  test.each(['null', '{', '{}', '{"state":"open"}'])('a file that is %j fails, and says which it is', async (text) => {
    const folder = tempFolder();
    const store = new FileApprovalStore(folder);
    await store.create(approval);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const file = join(folder, names.find((name) => name.endsWith('.1.json')) ?? '');
    writeFileSync(file, text);
    const failure = { code: 'store_failed', message: expect.stringContaining(`${file} is no approval`) };
    await expect(store.list(approval)).rejects.toMatchObject(failure);
    await expect(store.get(approval, approval.approvalId)).rejects.toMatchObject(failure);
  });
});

describe('a digest', () => {
  test('is the same for another order of keys, and another for anything else', () => {
    expect(digestOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(digestOf({ b: { d: null, c: [1, 2] }, a: 1 }));
    const others = [
      { a: 1 },
      { a: '1' },
      { a: [1] },
      { a: null },
      {},
      [],
      null,
      'a',
      { a: { b: 1 } },
      { 'a":1,"b': 1 },
    ];
    expect(new Set(others.map(digestOf)).size).toBe(others.length);
    expect(digestOf(JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(digestOf({}));
  });
});

describe('a token', () => {
  const key = (id: string, fill: number) => ({ id, secret: new Uint8Array(32).fill(fill) });
  const tokens = new ApprovalTokens([key('k1', 1)]);
  const token = tokens.sign(approval);

  test('fits the approval it was made for, and no other', () => {
    expect(tokens.fits(token, approval)).toBe(true);
    const others: Partial<Approval>[] = [
      ...[{ tenant: 'bob' }, { id: randomUUID() }, { approvalId: randomUUID() }, { toolName: 'Write' }],
      ...[{ toolUseId: 'toolu_2' }, { inputDigest: digestOf({ command: 'rm' }) }, { expiresAt: 3 }],
    ];
    for (const other of others)
      expect(tokens.fits(token, { ...approval, ...other }), JSON.stringify(other)).toBe(false);
  });

  test('that is altered, forged, cut or of an unknown key does not fit', () => {
    const [id, payload = '', signature] = token.split('.');
    const longer = Buffer.from(`${Buffer.from(payload, 'base64url')} `).toString('base64url');
    const forged = new ApprovalTokens([key('k1', 2)]).sign(approval);
    const wrong = ['', '.', '..', token.slice(0, -1), `${token}A`, `k2.${payload}.${signature}`, forged];
    wrong.push(`${id}.${longer}.${signature}`, `${id}.${payload}.${'A'.repeat(43)}`, token.toUpperCase(), `${token}\n`);
    for (const each of wrong) expect(tokens.fits(each, approval), each).toBe(false);
    expect(tokens.fits('x'.repeat(1e6), approval)).toBe(false);
  });

  test('of the key before fits until that key is taken away', () => {
    const both = new ApprovalTokens([key('k2', 2), key('k1', 1)]);
    expect(both.fits(token, approval)).toBe(true);
    expect(both.sign(approval)).toMatch(/^k2\./);
    expect(new ApprovalTokens([key('k2', 2)]).fits(token, approval)).toBe(false);
  });

  test('says nothing about tenant, tool and input', () => {
    // Words that no UUID and no digest can contain by chance.
    const words = { tenant: 'tenant of ada', toolName: 'tool:Bash', inputDigest: digestOf({ command: 'ls -a' }) };
    const signed = tokens.sign({ ...approval, ...words, input: { command: 'ls -a' } });
    const said = Buffer.from(signed.split('.')[1] ?? '', 'base64url').toString();
    for (const word of [words.tenant, words.toolName, words.inputDigest, 'ls -a', approval.id]) {
      expect(said).not.toContain(word);
    }
  });

  test('needs keys that can be used', () => {
    const short = { id: 'k', secret: new Uint8Array(31) };
    for (const keys of [[], [short], [key('a.b', 1)], [key('', 1)], [key('k', 1), key('k', 2)]]) {
      expect(() => new ApprovalTokens(keys)).toThrow(expect.objectContaining({ code: 'invalid' }));
    }
  });
});
