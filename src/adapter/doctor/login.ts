import { join } from 'node:path';
import { configLocation } from '../../util/config-folder.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import { readRegularFile } from '../../util/read-regular-file.js';

const MAX_BYTES = 64 * 1024 * 1024;
/** The scope that lets a login call the models. */
const INFERENCE = 'user:inference';

/** What in the files of a user the CLI takes for a login: what `claude auth status` of 2.1.330 says. */
export async function storedLogin(
  childEnv: Readonly<Record<string, string | undefined>>,
  keys: readonly string[],
): Promise<string | undefined> {
  const { folder, globalFile } = configLocation(childEnv, process.cwd());
  const [credentials, global, settings] = await Promise.all(
    [join(folder, '.credentials.json'), globalFile, join(folder, 'settings.json')].map(readObject),
  );
  const login = objectAt(credentials, 'claudeAiOauth');
  const scopes = Array.isArray(login.scopes) ? login.scopes : [];
  if (login.accessToken && scopes.includes(INFERENCE)) return 'This user is logged in';
  if (isText(global?.primaryApiKey)) return 'This user is logged in with an API key';
  if (isText(settings?.apiKeyHelper)) return 'The settings of this user have an `apiKeyHelper`';
  const key = keys.find((name) => isText(objectAt(settings, 'env')[name]));
  return key && `The settings of this user set ${key}`;
}

async function readObject(file: string): Promise<JsonObject | undefined> {
  try {
    return parseJsonObject(await readRegularFile(file, { maxBytes: MAX_BYTES }));
  } catch {
    // For the CLI, too, this is a file without a login.
    return undefined;
  }
}

function objectAt(object: JsonObject | undefined, field: string): JsonObject {
  const value = object?.[field];
  return isJsonObject(value) ? value : {};
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
