import { PromptEvaluationError } from '../errors/evaluation-errors.js';
import type { RenderedPrompt } from '../prompt/index.js';
import type { RawOutput } from './extract-output.js';

export interface WhatCame {
  readonly rendered: Pick<RenderedPrompt<unknown>, 'output'>;
  readonly text: string | null;
  readonly output: RawOutput | undefined;
  readonly promptName: string;
  /** Messages of the run, by type. */
  readonly messageCounts: Readonly<Record<string, number>>;
  /** The CLI's last lines on stderr. */
  readonly stderrTail: readonly string[];
}

/** @throws {@link PromptEvaluationError} an output is declared, and neither it nor a text came. */
export function requireSomething(came: WhatCame): void {
  const { rendered, text, output, promptName, messageCounts, stderrTail } = came;
  if (rendered.output === undefined || output !== undefined) return;
  if (text !== null && text !== '') return;
  const counts = Object.entries(messageCounts).map(([type, count]) => `${count} ${type}`);
  throw new PromptEvaluationError(
    `"${promptName}" gave neither text nor output (messages: ${counts.join(', ') || 'none'})`,
    {
      promptName,
      phase: 'response',
      providerPayload: { messageCounts, stderr: stderrTail.join('\n') },
      retryAdvice: {
        retry: 'unsafe',
        retryAfterMs: null,
        action: 'Evaluate again; tools that ran may have changed something.',
      },
    },
  );
}
