import { ClaudeSDKError, NotSupportedError } from '../errors.js';

/** The one error of everything that needs sessions hosted by Anthropic. */
export function outOfScope(feature: string): NotSupportedError {
  return new NotSupportedError(
    feature,
    `${feature} talks to sessions hosted by Anthropic. claudewire drives a Claude Code CLI on this machine and has no such client.`,
    'Keep @anthropic-ai/claude-agent-sdk for this import; docs/migration.md says what each entry does here.',
  );
}

const HINT = 'It is an undeclared part of @anthropic-ai/claude-agent-sdk; use a search library.';

function notHere(feature: string): NotSupportedError {
  return new NotSupportedError(feature, `${feature} is not part of claudewire.`, HINT);
}

/** Throws: the search behind the CLI's file picker, which the official package exports without declaring it. */
export class FileIndex {
  constructor() {
    throw notHere('FileIndex');
  }
}

/** Throws: the search behind the CLI's command picker, which the official package exports without declaring it. */
export class CommandMatcher {
  constructor() {
    throw notHere('CommandMatcher');
  }
}

/**
 * Names the official root entry has at run time and does not declare. An import of one has to resolve under an alias,
 * or the whole program fails to load; using one throws.
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
