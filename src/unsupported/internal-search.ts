import { NotSupportedError } from '../errors.js';

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
