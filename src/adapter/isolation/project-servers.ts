import { join } from 'node:path';
import type { McpServerConfig } from '../../index.js';
import { codeOf } from '../../util/error-code.js';
import { workingDirectory } from '../../util/host-places.js';
import { isJsonObject, parseJsonObject } from '../../util/json.js';
import { readRegularFile, UnfitFile } from '../../util/read-regular-file.js';
import { AdapterConfigError } from '../errors/adapter-error.js';

/** More than enough for a file that is written by hand. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the servers of a project's `.mcp.json` that the caller allows by name. The CLI gets them as they were read, so
 * a later change of the file has no effect.
 * @param cwd - The folder of the file. @defaultValue the host's working directory
 * @throws {@link AdapterConfigError} the file cannot be read, is not a regular file of at most 16 MiB, or lacks a
 *   server.
 */
export async function readProjectServers(
  cwd: string | undefined,
  names: readonly string[],
): Promise<Readonly<Record<string, McpServerConfig>>> {
  if (names.length === 0) return {};
  const path = join(cwd ?? workingDirectory('cwd'), '.mcp.json');
  const servers = await serversIn(path);
  const known = Object.keys(servers);
  const entries = names.map((name) => {
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (isJsonObject(server)) return [name, server] as const;
    throw serversRefused(
      `\`projectMcpServers\` names ${JSON.stringify(name)}, and ${JSON.stringify(path)} has no such server`,
      known.length === 0 ? 'It has no servers.' : `It has ${known.join(', ')}.`,
    );
  });
  // The CLI checks the shape, as it does for every server.
  return Object.fromEntries(entries) as unknown as Record<string, McpServerConfig>;
}

async function serversIn(path: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await readRegularFile(path, { maxBytes: MAX_BYTES });
  } catch (cause) {
    const reason = cause instanceof UnfitFile ? cause.message : (codeOf(cause) ?? 'unknown');
    throw serversRefused(
      `\`projectMcpServers\` names servers, and ${JSON.stringify(path)} cannot be read (${reason})`,
      'Set `cwd` to the folder of the file, or leave the option out.',
    );
  }
  const servers = parseJsonObject(text)?.mcpServers;
  return isJsonObject(servers) ? servers : {};
}

function serversRefused(message: string, hint: string): AdapterConfigError {
  return new AdapterConfigError(message, ['projectMcpServers'], { hint });
}
