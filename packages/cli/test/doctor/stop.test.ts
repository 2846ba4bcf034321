import { spawn, spawnSync } from 'node:child_process';
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

/** A folder, and a port of this test to which servers connect. */
async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const write = (servers: object): void =>
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  return { folder, port: String(port), connected, write, env: { PATH: process.env.PATH, HOME: folder } };
}

/** `claudewire doctor --mcp` in a folder with that server, which has started. */
async function doctorWith(kind: string) {
  const { folder, port, connected, write, env } = await place();
  write({ silent: { command: process.execPath, args: ['-e', SILENT, port, kind] } });
  const child = spawn(process.execPath, [join(dist, 'bin/claudewire.js'), 'doctor', '--mcp', '--cli', '/nowhere'], {
    cwd: folder,
    env: { ...env, TMPDIR: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.resume();
  child.stderr.resume();
  const exited = once(child, 'exit').then(([code]) => code as number);
  const [line] = await connected;
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
    const { folder, port, connected, write, env } = await place();
    const script = '"$0" -e "$1" "$2" polite; exit 0';
    write({ wrapped: { command: 'sh', args: ['-c', script, process.execPath, SILENT, port] } });
    const found = mcpFindings({ env, cwd: folder, probe: true, probeMs: 1_000 });
    const [line] = await connected;
    line.on('error', () => {}).resume();
    const gone = once(line, 'close');
    expect(await found).toMatchObject([{ status: 'failed', where: expect.stringContaining('wrapped') }]);
    await gone;
  });

  test.each([
    ['lines', 'y\\n'],
    ['a line', 'y'],
  ])('a server that writes %s without end is not waited for', async (_, piece) => {
    const { folder, write, env } = await place();
    const code = `
      const go = () => { while (process.stdout.write('${piece}'.repeat(30_000))); };
      process.on('SIGTERM', () => {});
      process.stdout.on('drain', go);
      go();`;
    write({ flood: { command: process.execPath, args: ['-e', code] } });
    // Without a bound of its own it would be asked for longer than the test may take.
    const found = await mcpFindings({ env, cwd: folder, probe: true, probeMs: 600_000 });
    expect(found).toMatchObject([{ status: 'failed', found: expect.stringContaining('It writes without end.') }]);
  });

  test('what a server prints in front of its answers is skipped, also in one piece with them', async () => {
    const { folder, write, env } = await place();
    const answers = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (id === undefined) return;
        const result = method === 'initialize'
          ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } }
          : { tools: [] };
        process.stdout.write('one\\ntwo\\n' + JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      });`;
    write({ chatty: { command: process.execPath, args: ['-e', answers] } });
    const found = await mcpFindings({ env, cwd: folder, probe: true, probeMs: 600_000 });
    expect(found).toMatchObject([{ status: 'passed', found: expect.stringContaining('0 tools') }]);
  });
});

describe.skipIf(process.platform === 'win32')('in a folder that was removed', () => {
  test.each(['doctor', 'demo'])('%s says so', async (command) => {
    const { folder, env } = await place();
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', script, process.execPath, join(dist, 'bin/claudewire.js'), command],
      { ...{ cwd: folder, env: { ...env, TMPDIR: folder }, encoding: 'utf8' } },
    );
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^error: The working directory of this process does not exist any more\. Go to /),
    });
  });
});
