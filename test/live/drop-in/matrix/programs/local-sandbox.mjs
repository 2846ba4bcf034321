/** A sandbox provider for AI SDK harnesses that is no sandbox: folders, processes and ports of this machine. */
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { Readable } from 'node:stream';

/** Its `node` is the one at hand. */
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
/** Where a harness puts its bridge, whatever the sandbox. */
const PUBLIC = '/tmp/harness';

/**
 * @param {object} places
 * @param {string} places.root holds whatever the sandboxes write
 * @param {string} places.packages what an installation of the bridge's dependencies would give
 */
export function createLocalSandbox({ root, packages }) {
  const bridges = join(root, 'harness');
  const sessions = new Map();
  const local = (text) => text.replaceAll(PUBLIC, bridges);

  async function createSession({ sessionId = 'template', onFirstCreate, abortSignal } = {}) {
    const folder = join(root, sessionId);
    mkdirSync(folder, { recursive: true });
    const children = new Set();
    const session = {
      description: 'This machine',
      readFile: async ({ path }) => Readable.toWeb(Readable.from([await readFile(local(path))])),
      readBinaryFile: ({ path }) => readFile(local(path)).catch(() => null),
      readTextFile: ({ path }) => readFile(local(path), 'utf8').catch(() => null),
      writeFile: async ({ path, content }) => write(path, Buffer.from(await new Response(content).arrayBuffer())),
      writeBinaryFile: ({ path, content }) => write(path, content),
      writeTextFile: ({ path, content }) => write(path, content),
      spawn: async (options) => start(options),
      run,
    };
    const port = await freePort();
    const network = {
      ...session,
      id: sessionId,
      defaultWorkingDirectory: folder,
      ports: [port],
      getPortUrl: async ({ port: wanted, protocol = 'http' }) => `${protocol}://127.0.0.1:${wanted}`,
      restricted: () => session,
      stop: async () => {
        for (const child of children) child.kill();
      },
    };
    sessions.set(sessionId, network);
    await onFirstCreate?.(session, { abortSignal });
    return network;

    function start({ command, workingDirectory = folder, env = {} }) {
      const child = spawn('sh', ['-c', local(command)], {
        cwd: workingDirectory,
        env: { ...process.env, PATH, ...env },
      });
      children.add(child);
      const ended = new Promise((resolve) => child.once('close', (code) => resolve({ exitCode: code ?? 1 })));
      return {
        pid: child.pid,
        stdout: Readable.toWeb(child.stdout),
        stderr: Readable.toWeb(child.stderr),
        wait: () => ended,
        kill: async () => void child.kill(),
      };
    }

    async function run(options) {
      // What follows is the work of a package manager, which was done before.
      if (/^pnpm .* install/.test(options.command)) {
        symlinkSync(packages, join(bridges, 'claude-code', 'node_modules'));
        return { exitCode: 0, stdout: '', stderr: '' };
      }
      if (options.command.includes('claude --version')) return { exitCode: 0, stdout: '', stderr: '' };
      const child = start(options);
      const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map((out) => new Response(out).text()));
      return { ...(await child.wait()), stdout, stderr };
    }

    async function write(path, content) {
      mkdirSync(dirname(local(path)), { recursive: true });
      await writeFile(local(path), content);
    }
  }

  return {
    specificationVersion: 'harness-sandbox-v1',
    providerId: 'local',
    createSession,
    resumeSession: async ({ sessionId }) => sessions.get(sessionId) ?? createSession({ sessionId }),
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
