import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { configFolder } from '../../util/config-folder.js';
import { type CheckItem, failed, passed, warning } from './check-report.js';
import type { CheckWays } from './check-ways.js';

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
const PROVIDERS = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];
const LOGIN_FILE = '.credentials.json';

export interface CredentialInput {
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
  readonly isolated: boolean;
  readonly hostHome: string;
  readonly platform: string;
  readonly ways: CheckWays;
}

/** Whether the CLI would find something to log in with. Not whether the API takes it: that would be a call. */
export function checkCredential(input: CredentialInput): CheckItem {
  const { childEnv, isolated, hostHome, platform, ways } = input;
  const key = KEYS.find((name) => Boolean(childEnv[name]));
  if (key !== undefined)
    return passed('credential', `${key} is set; whether it is valid was not asked.`);
  const provider = PROVIDERS.find((name) => Boolean(childEnv[name]));
  if (provider !== undefined) {
    return warning(
      'credential',
      `${provider} is set: the CLI takes the credentials of that provider, which were not looked for.`,
      'Make sure that they are in the environment of the CLI.',
    );
  }
  if (isolated) {
    return failed(
      'credential',
      'The isolated CLI has no API key; a login of this user is out of its reach.',
      ways.isolatedCredential,
    );
  }
  const file = join(configFolder(childEnv, childEnv.HOME || hostHome), LOGIN_FILE);
  if (isReadable(file))
    return passed('credential', 'This user is logged in (whether it has expired was not asked).');
  const fix = 'Set ANTHROPIC_API_KEY, or log in: start `claude` and type /login.';
  if (platform === 'darwin') {
    return warning(
      'credential',
      'There is no API key; a login in the keychain was not looked for.',
      fix,
    );
  }
  return failed(
    'credential',
    'There is no API key in the environment, and this user is not logged in.',
    fix,
  );
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
