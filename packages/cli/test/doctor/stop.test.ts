import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../../test/helpers/built-package.js';
import { mcpFindings } from '../../src/doctor/mcp-servers.js';

let dist: string;
beforeAll(() => {
  dist = buildPackage('doctor-stop');
});

/** An MCP server that says nothing. A connection to the test is open as long as it lives. */
const SILENT = `
  const line = require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => line.write('there'));
  process.on('SIGINT', () => {}).on('SIGTERM', () => {
    if (process.argv[2] === 'stubborn') line.write('SIGTERM');
    else process.exit();
  });
  setInterval(() => {}, 1e6);
`;

/** `claudewire doctor --mcp` in a folder with that server, which has started. */
async function doctorWith(kind: string) {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const silent = { command: process.execPath, args: ['-e', SILENT, String(port), kind] };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { silent } }));
  const connected = once(server, 'connection');
  const child = spawn(process.execPath, [join(dist, 'bin/claudewire.js'), 'doctor', '--mcp', '--cli', '/nowhere'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.resume();
  child.stderr.resume();
  const exited = once(child, 'exit').then(([code]) => code as number);
  const [line] = (await connected) as [Socket];
  line.on('error', () => {});
  await once(line, 'data');
  return { child, exited, line };
}

describe.skipIf(process.platform === 'win32')('doctor --mcp', () => {
  test('Ctrl-C ends the servers that it has started, and then itself', async () => {
    const { child, exited, line } = await doctorWith('polite');
    const gone = once(line, 'close');
    child.kill('SIGINT');
    await gone;
    expect(await exited).toBe(130);
  });

  test('a second Ctrl-C does not wait, and leaves no server behind', async () => {
    const { child, exited, line } = await doctorWith('stubborn');
    const gone = once(line, 'close');
    child.kill('SIGINT');
    expect(String((await once(line, 'data'))[0])).toBe('SIGTERM');
    child.kill('SIGINT');
    expect(await exited).toBe(130);
    await gone;
  });

  test('a server that a shell started ends with the shell', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const script = '"$0" -e "$1" "$2" polite; exit 0';
    const wrapped = { command: 'sh', args: ['-c', script, process.execPath, SILENT, String(port)] };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { wrapped } }));
    const env = { PATH: process.env.PATH, HOME: folder };
    const connected = once(server, 'connection');
    const found = mcpFindings({ env, cwd: folder, probe: true, probeMs: 1_000 });
    const [line] = (await connected) as [Socket];
    line.on('error', () => {}).resume();
    const gone = once(line, 'close');
    expect(await found).toMatchObject([{ status: 'failed', where: expect.stringContaining('wrapped') }]);
    await gone;
  });
});
