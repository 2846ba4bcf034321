/** What the adapter itself also needs of the workspace toolkit: directories that are safe against swapped links. */

export { AnchoredDirectory } from './anchored-directory.js';
export { removeDirectory } from './remove-directory.js';
export { closing } from './walk-down.js';
