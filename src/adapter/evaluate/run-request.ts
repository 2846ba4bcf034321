import { randomUUID } from 'node:crypto';
import type { SDKMessage } from '../../index.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { boolean, custom, func, nonEmptyString, nullOr, problemOf, type Validator } from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { BudgetExhaustedError, DeadlineExceededError, EvaluationAbortedError } from '../errors/evaluation-errors.js';
import { type Budget, limitUse } from '../limits/budget.js';
import { BudgetTracker, isBudget } from '../limits/budget-tracker.js';
import type { Deadline } from '../limits/deadline.js';
import { checkFields, havingMethods } from '../options/read-fields.js';
import { type Prompt, PromptTemplate, type VisibilityOverrideMap } from '../prompt/index.js';
import type { Session } from '../state/index.js';
import type { ResolvedClientConfig } from './client-config.js';

export interface EvaluateOptions {
  /** Takes the events, and is what sections, hooks and tools see. @defaultValue a new one, for this call */
  readonly session?: Session | undefined;
  /** Wins over that of `budget`. */
  readonly deadline?: Deadline | undefined;
  /**
   * Token limits of this call, and a deadline. With a `budgetTracker` of another budget only the deadline holds, and a
   * warning is logged.
   */
  readonly budget?: Budget | undefined;
  /** To share one budget between evaluations; its limits hold, not those of `budget`. */
  readonly budgetTracker?: BudgetTracker | undefined;
  /** Which sections are shown in full, by dotted path. */
  readonly visibilityOverrides?: VisibilityOverrideMap | undefined;
  /** Stops the run: it then throws `EvaluationAbortedError`. */
  readonly signal?: AbortSignal | undefined;
  /** Every message of the CLI, as it comes. What it throws is logged, and stops nothing. */
  readonly onMessage?: ((message: SDKMessage) => void) | undefined;
  /**
   * The user message when the prompt is the system prompt: only with `promptPlacement: 'system'`, and not in a
   * conversation, whose messages are those of `send()`. @defaultValue a short request to begin
   */
  readonly userPrompt?: string | undefined;
  /**
   * Id of a session of the CLI to go on with: `cliSessionId` of a response. Not with `isolation`, whose home is always
   * new.
   */
  readonly resume?: string | undefined;
  /** Puts the changes of files into the report, as a unified diff. @defaultValue `false` */
  readonly diff?: boolean | undefined;
}

/** A checked request, with its defaults. */
export interface RunRequest<T> {
  readonly prompt: Prompt<T>;
  /** With the values that were bound when it was asked for: a prompt may be bound anew for another call. */
  readonly render: Prompt<T>['render'];
  readonly promptName: string;
  readonly options: EvaluateOptions;
  readonly session: Session;
  /** Of this call alone: a tracker adds up what several of them use. */
  readonly evaluationId: string;
  readonly deadline: Deadline | undefined;
  readonly tracker: BudgetTracker | undefined;
}

const budgetObject = custom('a Budget, such as `new Budget({ maxTotalTokens: 10_000 })`', isBudget);

const trackerMethods = havingMethods(
  'a BudgetTracker',
  ...['recordCumulative', 'record', 'exceededDimension', 'isExhausted'],
);
const trackerOverBudget: Validator = (value, path) =>
  trackerMethods(value, path) ??
  (isBudget((value as BudgetTracker).budget) ? undefined : problemOf(path, 'a BudgetTracker over a Budget', value));

const overrides = custom("an object of 'full' and 'summary' by dotted path", isJsonObject);

const deadlineMethods = havingMethods('a Deadline', 'remainingMs', 'isExpired');
const deadlineObject: Validator = (value, path) =>
  typeof value === 'number'
    ? problemOf(path, 'a Deadline', value, `Give \`Deadline.fromNow(${value})\`.`)
    : deadlineMethods(value, path);

const VALIDATORS: Readonly<Record<keyof EvaluateOptions, Validator>> = {
  session: havingMethods('a Session', 'mutate', 'query', 'events'),
  deadline: deadlineObject,
  budget: budgetObject,
  budgetTracker: trackerOverBudget,
  visibilityOverrides: overrides,
  signal: havingMethods('an AbortSignal', 'addEventListener', 'removeEventListener'),
  onMessage: func,
  userPrompt: nonEmptyString,
  resume: nonEmptyString,
  diff: nullOr(boolean),
};

/** @throws {@link AdapterConfigError} an argument of the wrong kind. */
export function readRequest<T>(prompt: Prompt<T>, options: EvaluateOptions, newSession: () => Session): RunRequest<T> {
  if (typeof (prompt as Partial<Prompt<T>> | null)?.render !== 'function') {
    const isTemplate = (prompt as unknown) instanceof PromptTemplate;
    const what = isTemplate ? 'a PromptTemplate' : describeValue(prompt);
    throw new AdapterConfigError(`\`prompt\` must be a Prompt, not ${what}`, ['prompt'], hintOf(prompt, isTemplate));
  }
  checkFields(options, 'options', VALIDATORS);
  const { budget, budgetTracker } = options;
  const tracker = budgetTracker ?? (budget === undefined ? undefined : new BudgetTracker(budget));
  return {
    prompt,
    render: prompt.capture?.() ?? ((given) => prompt.render(given)),
    promptName: prompt.name ?? `${prompt.ns}:${prompt.key}`,
    options,
    session: options.session ?? newSession(),
    evaluationId: randomUUID(),
    deadline: options.deadline ?? budget?.deadline ?? tracker?.budget.deadline,
    tracker,
  };
}

function hintOf(prompt: unknown, isTemplate: boolean): { readonly hint?: string } {
  if (isTemplate) return { hint: 'Give `new Prompt(template)`.' };
  if (typeof prompt !== 'string') return {};
  return { hint: 'For a text there is the function: `import { evaluate } from "claudewire/adapter"`.' };
}

/** Token limits without effect, since the tracker has another budget. */
export function ignoredLimits({ options, tracker }: RunRequest<unknown>): readonly string[] {
  const { budget } = options;
  if (budget === undefined || tracker === undefined || tracker.budget === budget) return [];
  const limits = ['maxTotalTokens', 'maxInputTokens', 'maxOutputTokens'] as const;
  return limits.filter((name) => budget[name] !== undefined && budget[name] !== tracker.budget[name]);
}

/**
 * Refuses a run whose signal, deadline or budget is already used up.
 * @throws {@link EvaluationAbortedError}, {@link DeadlineExceededError}, {@link BudgetExhaustedError}
 */
export function assertNotOver({ promptName, options, deadline, tracker }: RunRequest<unknown>) {
  const { signal } = options;
  if (signal?.aborted) {
    throw new EvaluationAbortedError('The signal had been aborted before the evaluation began', {
      promptName,
      phase: 'request',
      cause: signal.reason,
    });
  }
  if (deadline?.isExpired()) {
    throw new DeadlineExceededError('The deadline had passed before the evaluation began', { promptName });
  }
  const dimension = tracker?.exceededDimension();
  if (tracker === undefined || dimension === undefined) return;
  const passed = limitUse(tracker.budget, tracker.consumed, dimension);
  throw new BudgetExhaustedError(`The budget had been used up before the evaluation began: ${passed.text}`, passed, {
    promptName,
  });
}

/** Refuses options of a call that would have no effect, or cannot have one. @throws {@link AdapterConfigError} */
export function assertApplicable(
  { userPrompt, resume }: EvaluateOptions,
  { promptPlacement, isolation }: ResolvedClientConfig,
  isConversation: boolean,
): void {
  if (userPrompt !== undefined && isConversation) {
    throw new AdapterConfigError(
      'A conversation has no `userPrompt`: its messages are those of `send()`',
      ['options.userPrompt'],
      { hint: 'Send it as the first message.' },
    );
  }
  if (userPrompt !== undefined && promptPlacement !== 'system') {
    throw new AdapterConfigError(
      "`userPrompt` requires `promptPlacement: 'system'`",
      ['options.userPrompt', 'clientConfig.promptPlacement'],
      { hint: "Write it into the prompt, or set `clientConfig.promptPlacement` to 'system'." },
    );
  }
  if (resume !== undefined && isolation !== undefined) {
    throw new AdapterConfigError(
      '`resume` cannot be combined with `isolation`: an isolated run has a new home, without that session',
      ['options.resume', 'clientConfig.isolation'],
      { hint: 'Use `openConversation()` for several turns.' },
    );
  }
}
