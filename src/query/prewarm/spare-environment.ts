import { isAbsolute } from 'node:path';
import { absolutePath } from '../../util/host-places.js';
import { isJsonObject } from '../../util/json.js';
import { configLocation } from '../config-location.js';
import type { Options } from '../options.js';

type GivenOptions = Options | null | undefined;

/**
 * These options with a relative `CLAUDE_CONFIG_DIR` made absolute, from where the folder is when the process starts: `options.cwd`, else
 * this process's own. The CLI takes it from wherever it is, so a spare would start with one folder and keep its session in another
 * after the claim. Left as it is where a spawner or a transport of the caller's decides what paths mean.
 */
export function withFixedConfigFolder(options: GivenOptions): GivenOptions {
  const { env = process.env, cwd } = options ?? {};
  const isElsewhere = Boolean(options?.spawnClaudeCodeProcess ?? options?.transport);
  if (isElsewhere || !isJsonObject(env)) return options;
  const chosen = env.CLAUDE_CONFIG_DIR;
  if (typeof chosen !== 'string' || chosen === '' || isAbsolute(chosen)) return options;
  const start = absolutePath('cwd', typeof cwd === 'string' ? cwd : '.');
  const { folder } = configLocation({ CLAUDE_CONFIG_DIR: chosen }, start);
  return { ...options, env: { ...env, CLAUDE_CONFIG_DIR: folder } };
}
