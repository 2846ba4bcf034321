import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { RecordingLine } from '../../../src/testing/conversion/recording.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import type { Replayed } from './replayed-recordings.js';
import type { Stage } from './stage.js';

/** The machine that a recording was made on, made again: its folders, files, servers and names. */
export interface Place {
  /** Puts the run's folders, ports and ids where the recording names its own. */
  toReal(text: string): string;
  toRecorded(text: string): string;
  /** From now on the recording's id means this one. */
  rename(recorded: unknown, real: unknown): void;
  /** The words in front of the CLI's command. */
  readonly wrapper: readonly string[];
  /** Ends the servers; the folders are the stage's. */
  close(): void;
}

/** Mounts each pair of paths, in a mount namespace of its own, and becomes the command behind `--`. */
const MOUNTED = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 1; shift 2; done; shift; exec "$@"';

/** Makes the place of a recording in the stage's folder. */
export async function makePlace(stage: Stage, recording: Replayed, lines: readonly RecordingLine[]): Promise<Place> {
  const names: [recorded: string, real: string][] = [
    ['/work-dir', stage.cwd],
    ['/home-dir', join(stage.folder, 'home')],
    ['/config-dir', join(stage.folder, 'config')],
    ['/tmp-dir', join(stage.folder, 'tmp')],
    // Part of the name of a folder that the CLI keeps for the working directory.
    ['-work-dir', stage.cwd.replace(/[^A-Za-z0-9]/g, '-')],
    // The others lie in it.
    ['/run-dir', stage.folder],
  ];
  const servers: Server[] = [];
  for (const [port, answer] of Object.entries(recording.servers ?? {})) {
    // A URL does not name the port of its scheme, so that one cannot be another.
    const server = await startServer(Number(port) < 1024 ? Number(port) : 0, answer);
    servers.push(server);
    // A TCP server's address is an object; only a pipe's is a string.
    names.push([port, String((server.address() as AddressInfo).port)]);
  }
  const toReal = (text: string): string =>
    names.reduce((result, [recorded, real]) => result.replaceAll(recorded, real), text);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(toReal(path)), { recursive: true });
    writeFileSync(toReal(path), text);
  };
  for (const [path, text] of Object.entries(recording.files ?? {})) write(path, text);
  const settings = recording.settings ?? shownSettings(lines);
  const settingsFile = lines.flatMap(argvOf).find((word) => /^\/run-dir\/.*\.json$/.test(word));
  if (settingsFile !== undefined) write(settingsFile, toReal(JSON.stringify(settings)));
  const mounts = mountsOf(recording, join(stage.folder, 'mounts'));
  return {
    toReal,
    toRecorded: (text) => names.reduce((result, [recorded, real]) => result.replaceAll(real, recorded), text),
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
    rename: (recorded, real) => {
      if (recorded !== real) names.push([String(recorded), String(real)]);
    },
    wrapper: mounts.length === 0 ? [] : ['unshare', '-m', 'sh', '-c', MOUNTED, 'sh', ...mounts, '--'],
  };
}

export const argvOf = ({ data }: RecordingLine): readonly string[] =>
  // A recorder writes them as a list of texts.
  isJsonObject(data) && data.event === 'spawn' ? (data.argv as string[]) : [];

/** What the CLI says `--settings` gave it. */
function shownSettings(lines: readonly RecordingLine[]): unknown {
  const { sources } = settingsAnswer(lines) ?? {};
  const found = Array.isArray(sources)
    ? sources.filter(isJsonObject).find(({ source }) => source === 'flagSettings')
    : undefined;
  return found?.settings ?? {};
}

/** The first answer to `get_settings`. */
export function settingsAnswer(lines: readonly RecordingLine[]): JsonObject | undefined {
  return lines
    .filter(({ dir }) => dir === 'out')
    .map(({ data }) => inside(data, 'response', 'response'))
    .find((answer) => answer !== undefined && 'effective' in answer);
}

/** The object at a path. */
export function inside(value: unknown, ...path: readonly string[]): JsonObject | undefined {
  let current = value;
  for (const key of path) current = isJsonObject(current) ? current[key] : undefined;
  return isJsonObject(current) ? current : undefined;
}

/** Pairs of paths: what to mount, and where. Nothing of the machine itself is written. */
function mountsOf({ etc, hosts }: Replayed, folder: string): readonly string[] {
  mkdirSync(folder);
  if (hosts !== undefined) {
    const file = join(folder, 'hosts');
    writeFileSync(file, `127.0.0.1 localhost ${hosts.join(' ')}\n`);
    return [file, '/etc/hosts'];
  }
  if (etc === undefined) return [];
  const copy = join(folder, 'etc');
  mkdirSync(copy);
  // What only root of the machine may read stays behind.
  spawnSync('cp', ['-a', '/etc/.', copy], { stdio: 'ignore' });
  for (const [path, text] of Object.entries(etc)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
  return [copy, '/etc'];
}

async function startServer(
  port: number,
  { status, says }: { readonly status: number; readonly says: string },
): Promise<Server> {
  const server = createServer(({ url }, response) => {
    response.writeHead(status).end(status === 200 ? says : says + url);
  });
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
