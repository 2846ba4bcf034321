import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';

/** What a hook says of a limit that an error reports. */
export interface Limit {
  readonly kind: 'deadline' | 'budget';
  readonly reason: string;
  readonly logEvent: string;
}

const LIMITS: Readonly<Record<string, Limit>> = {
  deadline_exceeded: {
    kind: 'deadline',
    reason: 'Deadline exceeded',
    logEvent: 'hook.deadline_exceeded',
  },
  budget_exhausted: {
    kind: 'budget',
    reason: 'Budget exhausted',
    logEvent: 'hook.budget_exhausted',
  },
};

/** The limit that was passed, when the error says so; errors of another copy of the package count too. */
export function limitOf(error: unknown): Limit | undefined {
  return isClaudeSDKError(error) ? LIMITS[error.errorClass] : undefined;
}
