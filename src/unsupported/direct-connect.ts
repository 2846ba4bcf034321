import { ClaudeSDKError } from '../errors.js';
import { outOfScope } from './out-of-scope.js';

/**
 * Names the official root entry has at run time and does not declare. An import of one has to resolve
 * under an alias, or the whole program fails to load; using one throws.
 */

/** Throws: connects to a hosted session. */
export class DirectConnectTransport {
  constructor() {
    throw outOfScope('DirectConnectTransport');
  }
}

/** Never thrown here, so `instanceof` is false for every error, which is true. */
export class DirectConnectError extends ClaudeSDKError {
  override name = 'DirectConnectError';

  constructor(message: string, code?: string) {
    super(message, 'not_supported', code === undefined ? {} : { code });
  }
}

/** Throws: reads the address of a hosted session. */
export function parseDirectConnectUrl(_url: string): never {
  throw outOfScope('parseDirectConnectUrl');
}
