import { NotSupportedError } from '../errors.js';

/** The one error of everything that needs sessions hosted by Anthropic. */
export function outOfScope(feature: string): NotSupportedError {
  return new NotSupportedError(
    feature,
    `${feature} talks to sessions hosted by Anthropic. claudewire drives a Claude Code CLI on this machine and has no such client.`,
    'Keep @anthropic-ai/claude-agent-sdk for this import; docs/migration.md says what each entry does here.',
  );
}
