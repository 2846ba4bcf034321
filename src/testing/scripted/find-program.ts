import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ClaudeSDKError } from '../../errors.js';

/**
 * Where a program of this package lies: in the package beside this folder; in a checkout the tests build it.
 *
 * @throws ClaudeSDKError (`executable_not_found`) it is in neither place.
 */
export function findProgram(name: 'player.mjs' | 'recorder.mjs'): URL {
  const places = [`../${name}`, `../../../.build/${name}`].map(
    (place) => new URL(place, import.meta.url),
  );
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new ClaudeSDKError(
    `${name} was not found at ${places.map((place) => fileURLToPath(place)).join(', ')}`,
    'executable_not_found',
    { hint: 'A bundler left it out: keep claudewire external, or play in process.' },
  );
}
