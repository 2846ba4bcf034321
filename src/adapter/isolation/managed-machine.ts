import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { loosened } from './confirm-settings.js';

/** The effect of the administrator's files on an isolated run. */
export interface ManagedMachine {
  /** Paths of texts that the CLI also loads: memory, skills, commands, agents. */
  readonly texts: readonly string[];
}

const SERVERS = 'managed-mcp.json';
const TEXTS = ['CLAUDE.md', ...['skills', 'commands', 'agents', 'rules'].map((name) => join('.claude', name))];

/**
 * Checks the administrator's files before the CLI starts, because the CLI runs a managed SessionStart hook and starts
 * managed servers before it answers anything.
 *
 * @param folder - The folder of these files.
 * @param childEnv - The child's variables, as we chose them.
 * @throws {@link AdapterConfigError} they would start programs, or open what the run closes.
 */
export async function checkManagedMachine(
  folder: string,
  childEnv: Readonly<Record<string, string | undefined>>,
): Promise<ManagedMachine> {
  const servers = join(folder, SERVERS);
  if (await exists(servers)) {
    throw new AdapterConfigError(
      `This machine has ${JSON.stringify(servers)}: the CLI starts the servers in it outside of any sandbox, and takes no flag that keeps them out`,
      ['isolation'],
      { hint: 'Run on a machine, or in a container, without that file, or leave `isolation` out.' },
    );
  }
  for (const path of await settingsFiles(folder)) {
    const settings = await readJson(path);
    const keys = settings === undefined ? [] : loosened({}, settings, childEnv);
    if (keys.length === 0) continue;
    throw new AdapterConfigError(
      `Managed settings of this machine open what the run closes: ${keys.map((key) => `\`${key}\``).join(', ')} (${path}). The CLI was not started`,
      keys,
      { hint: 'Have them changed, or write the same value (of a variable: in `isolation.env`).' },
    );
  }
  const texts = TEXTS.map((name) => join(folder, name));
  const found = await Promise.all(texts.map(exists));
  return { texts: texts.filter((_, at) => found[at]) };
}

/** Whether the administrator of the machine decides about MCP servers. */
export function hasManagedServers(folder: string): Promise<boolean> {
  return exists(join(folder, SERVERS));
}

async function settingsFiles(folder: string): Promise<readonly string[]> {
  const dropIns = join(folder, 'managed-settings.d');
  const names = await readdir(dropIns).catch(() => []);
  return [
    join(folder, 'managed-settings.json'),
    ...names.filter((name) => name.endsWith('.json')).map((name) => join(dropIns, name)),
  ];
}

/** `undefined` for an unreadable file. `confirmSettings()` judges its effect before the first message. */
async function readJson(path: string): Promise<JsonObject | undefined> {
  try {
    const settings = parseJsonObject(await readFile(path, 'utf8'));
    return isJsonObject(settings) ? settings : undefined;
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
