import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmCi } from './namespace.mjs';

const home = fileURLToPath(new URL('../test/parity/official', import.meta.url));

/**
 * The official TypeScript SDK as `test/parity/official` pins it, installed on the first call. Optional packages are the
 * CLI's binaries, which no case starts.
 *
 * @returns {{ folder: string, version: string }}
 * @throws {import('./namespace.mjs').CannotRun} it cannot be installed
 */
export function installOfficial() {
  const folder = join(home, 'node_modules', '@anthropic-ai', 'claude-agent-sdk');
  const version = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).dependencies[
    '@anthropic-ai/claude-agent-sdk'
  ];
  const manifest = join(folder, 'package.json');
  const isThere = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  if (!isThere) {
    console.log('> npm ci --omit=optional --ignore-scripts, in test/parity/official');
    npmCi(home, '--omit=optional');
  }
  return { folder, version };
}
