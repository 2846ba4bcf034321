import {
  type BudgetDimension,
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
  type EvaluationPhase,
  type PromptEvaluationError,
} from '../errors/evaluation-errors.js';
import type { PromptResponse } from './prompt-response.js';
import type { PassedLimit, StopReason } from './stop-watch.js';

const MESSAGES = {
  aborted: 'The evaluation was aborted',
  closed: 'The conversation was closed',
  disposed: 'The adapter was disposed of',
};

/** What a run that was stopped from outside failed with. */
export function stopError(
  reason: StopReason,
  facts: {
    readonly promptName: string;
    readonly phase: EvaluationPhase;
    readonly partial: PromptResponse<null> | undefined;
    /** With what is used by now: more may have been since the run was stopped. */
    readonly limitOf: (dimension: BudgetDimension) => PassedLimit;
  },
): PromptEvaluationError {
  const { promptName, phase, partial } = facts;
  if (reason.kind === 'budget') {
    const passed = facts.limitOf(reason.dimension);
    return new BudgetExhaustedError(
      `The budget was passed: ${passed.text}. The run and its agents were stopped.`,
      passed,
      { promptName, partial },
    );
  }
  if (reason.kind === 'deadline') {
    return new DeadlineExceededError('The deadline passed before the result came', {
      promptName,
      partial,
    });
  }
  return new EvaluationAbortedError(MESSAGES[reason.kind], {
    promptName,
    phase,
    partial,
    ...(reason.kind === 'aborted' && { cause: reason.cause }),
  });
}
