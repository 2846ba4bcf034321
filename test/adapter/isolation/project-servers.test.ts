import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProjectServers } from '../../../src/adapter/isolation/project-servers.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'servers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('servers of a project that the caller allows by name (I-5)', () => {
  test('only those come, as they are written', async () => {
    const docs = { command: 'docs', args: ['--x'], env: { A: 'b' } };
    const text = JSON.stringify({ mcpServers: { docs, other: { command: 'other' } } });
    writeFileSync(join(folder, '.mcp.json'), text);
    expect(await readProjectServers(folder, ['docs'])).toEqual({ docs });
    expect(await readProjectServers(folder, [])).toEqual({});
  });

  test.each([
    ['no file', undefined, 'ENOENT'],
    ['no such server', '{"mcpServers":{"other":{}}}', 'It has other.'],
    ['a name of the prototype', '{"mcpServers":{}}', 'It has no servers.'],
    ['broken JSON', '{', 'It has no servers.'],
    ['a server that is no object', '{"mcpServers":{"toString":"x"}}', 'It has toString.'],
  ])('%s is refused, and says what there is', async (_, text, said) => {
    if (text !== undefined) writeFileSync(join(folder, '.mcp.json'), text);
    const error: unknown = await readProjectServers(folder, ['toString']).catch((each) => each);
    expect(error).toMatchObject({ name: 'AdapterConfigError', fields: ['projectMcpServers'] });
    const { message, hint } = error as { message: string; hint: string };
    expect(`${message} ${hint}`).toContain(said);
  });

  test.each([
    [
      'too large',
      (path: string) => {
        writeFileSync(path, '{}');
        truncateSync(path, 2 ** 30);
      },
      'more than 16777216 bytes',
    ],
    ...(process.platform === 'win32'
      ? []
      : ([
          ['a folder', (path: string) => mkdirSync(path), 'no regular file'],
          ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'no regular file'],
          ['a device', (path: string) => symlinkSync('/dev/zero', path), 'no regular file'],
        ] as const)),
  ] as const)('a file that is %s is refused, and not waited for', async (_, make, said) => {
    const path = join(folder, '.mcp.json');
    make(path);
    const error: unknown = await readProjectServers(folder, ['docs']).catch((each) => each);
    expect(error).toMatchObject({ name: 'AdapterConfigError', fields: ['projectMcpServers'] });
    expect(String(error)).toContain(`${JSON.stringify(path)} cannot be read (${said})`);
  });

  test('no file is needed where no server is named', async () => {
    expect(await readProjectServers(folder, [])).toEqual({});
  });
});
