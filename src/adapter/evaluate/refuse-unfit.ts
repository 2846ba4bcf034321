import { AdapterConfigError } from '../errors/config-errors.js';
import type { ResolvedClientConfig } from './client-config.js';
import type { EvaluateOptions } from './run-request.js';

/**
 * Refuses options of a call that would have no effect, or cannot have one.
 *
 * @throws {@link AdapterConfigError}
 */
export function refuseUnfit(
  { userPrompt, resume }: EvaluateOptions,
  { promptPlacement, isolation }: ResolvedClientConfig,
  isConversation: boolean,
): void {
  if (userPrompt !== undefined && isConversation) {
    throw unfit(
      'A conversation has no `userPrompt`: its messages are those of `send()`',
      ['options.userPrompt'],
      'Send it as the first message.',
    );
  }
  if (userPrompt !== undefined && promptPlacement !== 'system') {
    throw unfit(
      "`userPrompt` requires `promptPlacement: 'system'`",
      ['options.userPrompt', 'clientConfig.promptPlacement'],
      "Write it into the prompt, or set `clientConfig.promptPlacement` to 'system'.",
    );
  }
  if (resume !== undefined && isolation !== undefined) {
    throw unfit(
      '`resume` cannot be combined with `isolation`: an isolated run has a new home, without that session',
      ['options.resume', 'clientConfig.isolation'],
      'Use `openConversation()` for several turns.',
    );
  }
}

function unfit(problem: string, fields: readonly string[], hint: string): AdapterConfigError {
  return new AdapterConfigError(problem, fields, { hint });
}
