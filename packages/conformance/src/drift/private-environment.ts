import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** No key, no login and no telemetry: the CLI talks to the loopback API alone. */
const SETTINGS = {
  LANG: 'C.UTF-8',
  ANTHROPIC_API_KEY: 'sk-ant-fake',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_BUG_COMMAND: '1',
};
const PLACES = { HOME: 'home', CLAUDE_CONFIG_DIR: 'config', TMPDIR: 'tmp' };

/** The environment of one CLI, with folders of its own below `folder`. Nothing of the host's gets in but PATH. */
export function privateEnvironment(folder: string): Readonly<Record<string, string | undefined>> {
  const made = Object.entries(PLACES).map(([variable, name]) => {
    mkdirSync(join(folder, name), { recursive: true });
    return [variable, join(folder, name)];
  });
  return { PATH: process.env.PATH, ...SETTINGS, ...Object.fromEntries(made) };
}
