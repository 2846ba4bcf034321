import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import type { Deadline } from './deadline.js';

const TOKEN_LIMITS = ['maxTotalTokens', 'maxInputTokens', 'maxOutputTokens'] as const;

export interface BudgetLimits {
  readonly deadline?: Deadline | undefined;
  /** Input and output together. */
  readonly maxTotalTokens?: number | undefined;
  readonly maxInputTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Cache reads and writes count as input. @defaultValue false */
  readonly countCachedTokens?: boolean | undefined;
}

/** What one or more evaluations may use. Share a `BudgetTracker` to count several of them together. */
export class Budget {
  readonly deadline: Deadline | undefined;
  readonly maxTotalTokens: number | undefined;
  readonly maxInputTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly countCachedTokens: boolean;

  /** @throws {@link AdapterConfigError} no limit at all, or one that is no positive whole number. */
  constructor(limits: BudgetLimits) {
    for (const field of TOKEN_LIMITS) {
      const value: unknown = limits[field];
      if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) continue;
      throw new AdapterConfigError(
        `\`${field}\` of a Budget must be a positive whole number of tokens, but is ${describeValue(value)}`,
        [field],
        { hint: 'Leave it out for no limit.' },
      );
    }
    const { deadline } = limits;
    if (deadline !== undefined && typeof deadline.remainingMs !== 'function') {
      throw new AdapterConfigError(
        `\`deadline\` of a Budget must be a Deadline, but is ${describeValue(deadline)}`,
        ['deadline'],
      );
    }
    if (deadline === undefined && TOKEN_LIMITS.every((field) => limits[field] === undefined)) {
      throw new AdapterConfigError('A Budget needs at least one limit', [
        'deadline',
        ...TOKEN_LIMITS,
      ]);
    }
    this.deadline = deadline;
    this.maxTotalTokens = limits.maxTotalTokens;
    this.maxInputTokens = limits.maxInputTokens;
    this.maxOutputTokens = limits.maxOutputTokens;
    this.countCachedTokens = limits.countCachedTokens ?? false;
  }
}
