import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { BudgetExceededError } from '../../../src/adapter/errors/evaluation-errors.js';
import { Budget, type BudgetLimits } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { totalTokens } from '../../../src/parser/token-usage.js';
import { ManualClock } from '../support/manual-clock.js';
import { thrownBy } from '../support/thrown-by.js';

const trackerOf = (limits: BudgetLimits): BudgetTracker => new BudgetTracker(new Budget(limits));

const refused: readonly (readonly [string, object, string])[] = [
  ['no limit', {}, 'deadline'],
  ['nothing but a flag', { countCachedTokens: true }, 'deadline'],
  ['a limit of zero', { maxTotalTokens: 0 }, 'maxTotalTokens'],
  ['a negative limit', { maxInputTokens: -1 }, 'maxInputTokens'],
  ['half a token', { maxOutputTokens: 1.5 }, 'maxOutputTokens'],
  ['a text', { maxTotalTokens: '100' }, 'maxTotalTokens'],
  ['no number', { maxTotalTokens: Number.NaN }, 'maxTotalTokens'],
  ['without end', { maxTotalTokens: Number.POSITIVE_INFINITY }, 'maxTotalTokens'],
  ['null', { maxTotalTokens: null }, 'maxTotalTokens'],
  ['a date for a deadline', { deadline: new Date() }, 'deadline'],
];
test('a budget without limits, or with one that is no positive whole number, is refused (AD-077)', () => {
  for (const [name, limits, field] of refused) {
    const error = thrownBy(() => new Budget(limits as BudgetLimits));
    expect(error, name).toBeInstanceOf(AdapterConfigError);
    expect((error as AdapterConfigError).fields[0], name).toBe(field);
  }
});

test('a deadline alone is a budget', () => {
  const deadline = Deadline.fromNow(5_000);
  const budget = new Budget({ deadline });
  expect(budget.deadline).toBe(deadline);
  expect(budget.countCachedTokens).toBe(false);
});

test('remaining() says what is left of the limits that are set (AD-083)', () => {
  const tracker = trackerOf({ maxTotalTokens: 100 });
  tracker.record({ inputTokens: 10, outputTokens: 5 });
  expect(tracker.remaining()).toEqual({ totalTokens: 85, inputTokens: undefined, outputTokens: undefined });
});

test('record() adds, recordCumulative() replaces what its evaluation used', () => {
  const tracker = trackerOf({ maxTotalTokens: 1_000 });
  tracker.record({ inputTokens: 1 }, 'a');
  tracker.record({ inputTokens: 2, outputTokens: 3 }, 'a');
  tracker.recordCumulative('b', { inputTokens: 100, outputTokens: 7, cachedTokens: 9 });
  tracker.recordCumulative('b', { inputTokens: 50, cachedTokens: 9 });
  expect(tracker.consumed).toEqual({ inputTokens: 53, outputTokens: 3, cachedTokens: 9 });
});

test('nothing recorded is nothing known', () => {
  expect(trackerOf({ maxTotalTokens: 1 }).consumed).toEqual({});
  expect(totalTokens({})).toBeUndefined();
  expect(totalTokens({ cachedTokens: 5 })).toBeUndefined();
  expect(totalTokens({ inputTokens: 0 })).toBe(0);
  expect(totalTokens({ inputTokens: 2, outputTokens: 3, cachedTokens: 5 })).toBe(5);
});

test('a count that is no number is left out', () => {
  const tracker = trackerOf({ maxTotalTokens: 10 });
  tracker.record({ inputTokens: Number.NaN, outputTokens: -4 });
  tracker.record({ inputTokens: 3, outputTokens: Number.POSITIVE_INFINITY });
  expect(tracker.consumed).toEqual({ inputTokens: 3 });
});

test('evaluations add up, in whatever order they report', () => {
  const report = fc.record({ id: fc.constantFrom('a', 'b', 'c'), tokens: fc.nat(1_000) });
  fc.assert(
    fc.property(fc.array(report), (reports) => {
      const tracker = trackerOf({ maxTotalTokens: 1 });
      for (const { id, tokens } of reports) tracker.recordCumulative(id, { inputTokens: tokens });
      const last = new Map(reports.map(({ id, tokens }) => [id, tokens]));
      const sum = [...last.values()].reduce((total, tokens) => total + tokens, 0);
      expect(tracker.consumed.inputTokens ?? 0).toBe(sum);
    }),
  );
});

interface Case {
  readonly name: string;
  readonly limits: BudgetLimits;
  readonly used: { inputTokens?: number; outputTokens?: number; cachedTokens?: number };
  readonly isExhausted: boolean;
  readonly exceeded?: string;
}
const cases: readonly Case[] = [
  { name: 'one below', limits: { maxTotalTokens: 10 }, used: { inputTokens: 9 }, isExhausted: false },
  { name: 'reached', limits: { maxTotalTokens: 10 }, used: { inputTokens: 4, outputTokens: 6 }, isExhausted: true },
  {
    name: 'passed',
    limits: { maxTotalTokens: 10 },
    used: { inputTokens: 11 },
    isExhausted: true,
    exceeded: 'total_tokens',
  },
  {
    name: 'input reached',
    limits: { maxInputTokens: 5 },
    used: { inputTokens: 5, outputTokens: 99 },
    isExhausted: true,
  },
  {
    name: 'input passed',
    limits: { maxInputTokens: 5 },
    used: { inputTokens: 6 },
    isExhausted: true,
    exceeded: 'input_tokens',
  },
  {
    name: 'output reached',
    limits: { maxOutputTokens: 5 },
    used: { inputTokens: 99, outputTokens: 5 },
    isExhausted: true,
  },
  {
    name: 'output passed',
    limits: { maxOutputTokens: 5 },
    used: { outputTokens: 6 },
    isExhausted: true,
    exceeded: 'output_tokens',
  },
  {
    name: 'cached tokens do not count',
    limits: { maxInputTokens: 5 },
    used: { inputTokens: 1, cachedTokens: 50 },
    isExhausted: false,
  },
  {
    name: 'cached tokens count when asked',
    limits: { maxInputTokens: 5, countCachedTokens: true },
    used: { inputTokens: 1, cachedTokens: 50 },
    isExhausted: true,
    exceeded: 'input_tokens',
  },
  {
    name: 'cached tokens count in the total',
    limits: { maxTotalTokens: 51, countCachedTokens: true },
    used: { inputTokens: 1, cachedTokens: 50 },
    isExhausted: true,
  },
  { name: 'nothing used', limits: { maxTotalTokens: 1 }, used: {}, isExhausted: false },
];
describe('reached and passed', () => {
  for (const { name, limits, used, isExhausted, exceeded } of cases) {
    test(name, () => {
      const tracker = trackerOf(limits);
      tracker.record(used);
      expect(tracker.isExhausted()).toBe(isExhausted);
      expect(tracker.exceededDimension()).toBe(exceeded);
      const error = thrownBy(() => tracker.check());
      if (exceeded === undefined) {
        expect(error).toBeUndefined();
        return;
      }
      expect(error).toBeInstanceOf(BudgetExceededError);
      expect(error).toMatchObject({
        budget: tracker.budget,
        consumed: tracker.consumed,
        exceededDimension: exceeded,
        retryAdvice: { retry: 'after_change' },
      });
    });
  }

  test('check() throws once the budget’s deadline is over, which does not exhaust the tokens', () => {
    const clock = new ManualClock();
    const tracker = trackerOf({ deadline: Deadline.fromNow(1_000, { clock }), maxTotalTokens: 5 });
    tracker.check();
    clock.advance(1_000);
    expect(tracker.isExhausted()).toBe(false);
    expect(thrownBy(() => tracker.check())).toMatchObject({ exceededDimension: 'deadline' });
  });
});

test('an object that is no Budget is refused: it would limit nothing', () => {
  const wrong = [{}, { maxTokens: 1 }, { maxTotalTokens: 5 }, { countCachedTokens: true }, null];
  for (const budget of wrong) {
    const error = thrownBy(() => new BudgetTracker(budget as never));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['budget'] });
  }
  // Of another copy of the package.
  const { ...other } = new Budget({ maxTotalTokens: 5 });
  expect(new BudgetTracker(other as Budget).remaining().totalTokens).toBe(5);
});

test('an exceeded budget says by how much', () => {
  const tracker = trackerOf({ maxInputTokens: 5, countCachedTokens: true });
  tracker.record({ inputTokens: 3, cachedTokens: 4 });
  expect(() => tracker.check()).toThrow('The budget is exceeded: 7 of 5 input tokens');
});
