import { addUsage, joinUsage, type TokenUsage, tokenCount, USAGE_FIELDS } from '../../parser/token-usage.js';
import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { BudgetExceededError } from '../errors/evaluation-errors.js';
import { Budget, passedDimension, reachedDimension, TOKEN_LIMITS, type TokenDimension, usedTokens } from './budget.js';

export interface RemainingTokens {
  /** `undefined`: no such limit. Negative when it was passed. */
  readonly totalTokens: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** Counts what evaluations used of one budget. Any number of them may share it, one after the other or at once. */
export class BudgetTracker {
  readonly budget: Budget;
  readonly #byEvaluation = new Map<string, TokenUsage>();
  #consumed: TokenUsage = {};

  /** @throws {@link AdapterConfigError} `budget` is not a Budget: it would limit nothing. */
  constructor(budget: Budget) {
    if (!isBudget(budget)) {
      throw new AdapterConfigError(
        `\`budget\` of a BudgetTracker must be a Budget, got ${describeValue(budget)}`,
        ['budget'],
        { hint: 'Give `new Budget({ maxTotalTokens: … })`.' },
      );
    }
    this.budget = budget;
  }

  /** Sets what one evaluation used so far, in place of what was recorded for it before. */
  recordCumulative(evaluationId: string, usage: TokenUsage): void {
    const next = countable(usage);
    const before = this.#byEvaluation.get(evaluationId) ?? {};
    this.#byEvaluation.set(evaluationId, next);
    // Adds the difference: a sum over all evaluations would get slower with each.
    const difference = joinUsage(next, before, (now, then) => now - then);
    this.#consumed = Object.freeze(addUsage(this.#consumed, difference));
  }

  /** Adds to what an evaluation used; without an id, to a common account. */
  record(usage: TokenUsage, evaluationId = ''): void {
    const before = this.#byEvaluation.get(evaluationId) ?? {};
    this.recordCumulative(evaluationId, addUsage(before, countable(usage)));
  }

  /** Of all evaluations together. A field is absent until it is reported. */
  get consumed(): TokenUsage {
    return this.#consumed;
  }

  remaining(): RemainingTokens {
    const used = usedTokens(this.budget, this.#consumed);
    const { maxTotalTokens, maxInputTokens, maxOutputTokens } = this.budget;
    return {
      totalTokens: left(maxTotalTokens, used.total_tokens),
      inputTokens: left(maxInputTokens, used.input_tokens),
      outputTokens: left(maxOutputTokens, used.output_tokens),
    };
  }

  /** A token limit is reached. The deadline does not count. */
  isExhausted(): boolean {
    return reachedDimension(this.budget, this.#consumed) !== undefined;
  }

  /** The first token limit that was passed: more was used than it allows. */
  exceededDimension(): TokenDimension | undefined {
    return passedDimension(this.budget, this.#consumed);
  }

  /** @throws {@link BudgetExceededError} a token limit was passed, or the budget's deadline is over. */
  check(): void {
    const dimension = this.exceededDimension() ?? (this.budget.deadline?.isExpired() ? 'deadline' : undefined);
    if (dimension !== undefined) throw new BudgetExceededError(this.budget, this.consumed, dimension);
  }
}

/** Also true for a Budget of another copy of the package, but not for an object that limits nothing. */
export function isBudget(value: unknown): value is Budget {
  if (value instanceof Budget) return true;
  const budget = (value ?? {}) as Partial<Budget>;
  if (typeof budget.countCachedTokens !== 'boolean') return false;
  const limits = TOKEN_LIMITS.map((name) => budget[name]).filter((limit) => limit !== undefined);
  const isLimited = limits.length > 0 || typeof budget.deadline?.remainingMs === 'function';
  return isLimited && limits.every(Number.isSafeInteger);
}

/** Drops counts that are not numbers: they would turn every later sum into NaN. */
function countable(usage: TokenUsage): TokenUsage {
  const counts: { -readonly [Field in keyof TokenUsage]: number } = {};
  for (const field of USAGE_FIELDS) {
    const count = tokenCount(usage[field]);
    if (count !== undefined) counts[field] = count;
  }
  return counts;
}

function left(limit: number | undefined, used: number): number | undefined {
  return limit === undefined ? undefined : limit - used;
}
