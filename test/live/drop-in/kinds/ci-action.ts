/** A step of a CI job: limits from its inputs, an exit code and a summary. */
import { AbortError, type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

const input: Record<string, string> = { 'max-turns': '1', 'allowed-tools': 'Bash(echo:*), Read', model: '' };
const maxTurns = Number.parseInt(input['max-turns'] ?? '', 10);
const options: Options = {
  permissionMode: 'acceptEdits',
  allowedTools: (input['allowed-tools'] ?? '').split(',').map((name) => name.trim()),
  ...(Number.isNaN(maxTurns) ? {} : { maxTurns }),
  ...(input.model ? { model: input.model } : {}),
};
let failed = true;
try {
  for await (const message of query({ prompt: 'Review.', options })) {
    if (message.type === 'system' && message.subtype === 'init') say('mode', message.permissionMode);
    if (message.type !== 'result') continue;
    failed = message.is_error;
    say('result', { subtype: message.subtype, turns: message.num_turns, cost: message.total_cost_usd });
  }
} catch (error) {
  say('error', { isAbort: error instanceof AbortError, message: (error as Error).message.split('. ')[0] });
}
say('failed', failed);
