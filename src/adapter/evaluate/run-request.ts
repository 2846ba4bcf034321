import { randomUUID } from 'node:crypto';
import type { SDKMessage } from '../../index.js';
import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
} from '../errors/evaluation-errors.js';
import { type Fault, readFields } from '../isolation/read-fields.js';
import type { Budget } from '../limits/budget.js';
import { BudgetTracker } from '../limits/budget-tracker.js';
import type { Deadline } from '../limits/deadline.js';
import type { Prompt } from '../prompt/prompt.js';
import type { VisibilityOverrideMap } from '../prompt/rendered-prompt.js';
import type { Session } from '../session/session.js';

export interface EvaluateOptions {
  /** Takes the events, and is what sections, hooks and tools see. @defaultValue a new one, for this call */
  readonly session?: Session | undefined;
  /** Wins over that of `budget`. */
  readonly deadline?: Deadline | undefined;
  readonly budget?: Budget | undefined;
  /** To share one budget between evaluations; wins over `budget`. */
  readonly budgetTracker?: BudgetTracker | undefined;
  /** Which sections are shown in full, by dotted path. */
  readonly visibilityOverrides?: VisibilityOverrideMap | undefined;
  /** Stops the run: it then throws `EvaluationAbortedError`. */
  readonly signal?: AbortSignal | undefined;
  /** Every message of the CLI, as it comes. What it throws is logged, and stops nothing. */
  readonly onMessage?: ((message: SDKMessage) => void) | undefined;
  /** The user message when the prompt is the system prompt. @defaultValue a short request to begin */
  readonly userPrompt?: string | undefined;
  /** Id of a session of the CLI to go on with: `cliSessionId` of a response. */
  readonly resume?: string | undefined;
  /** Puts the changes of files into the report, as a unified diff. @defaultValue `false` */
  readonly diff?: boolean | undefined;
}

/** What is asked for, with the defaults in their places. */
export interface RunRequest<T> {
  readonly prompt: Prompt<T>;
  readonly promptName: string;
  readonly options: EvaluateOptions;
  readonly session: Session;
  /** Of this call alone: a tracker adds up what several of them use. */
  readonly evaluationId: string;
  readonly deadline: Deadline | undefined;
  readonly tracker: BudgetTracker | undefined;
}

const FIELDS = [
  ...['session', 'deadline', 'budget', 'budgetTracker', 'visibilityOverrides', 'signal'],
  ...['onMessage', 'userPrompt', 'resume', 'diff'],
];

/** @throws {@link AdapterConfigError} an argument of the wrong kind. */
export function readRequest<T>(
  prompt: Prompt<T>,
  options: EvaluateOptions,
  newSession: () => Session,
): RunRequest<T> {
  if (typeof (prompt as Partial<Prompt<T>> | null)?.render !== 'function') {
    throw new AdapterConfigError(`\`prompt\` must be a Prompt, not ${describeValue(prompt)}`, [
      'prompt',
    ]);
  }
  const read = readFields(options, 'options', FIELDS);
  read.check('session', havingMethod('mutate', 'a Session'));
  read.check('deadline', havingMethod('remainingMs', 'a Deadline'));
  read.check('budget', (value) =>
    typeof value === 'object' && value !== null ? undefined : 'must be a Budget',
  );
  read.check('budgetTracker', havingMethod('recordCumulative', 'a BudgetTracker'));
  read.check('signal', havingMethod('addEventListener', 'an AbortSignal'));
  read.check('onMessage', (value) =>
    typeof value === 'function' ? undefined : 'must be a function',
  );
  for (const name of ['userPrompt', 'resume']) {
    read.check(name, (value) =>
      typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty',
    );
  }
  read.boolean('diff', false);
  const { budget, budgetTracker } = options;
  const tracker = budgetTracker ?? (budget === undefined ? undefined : new BudgetTracker(budget));
  return {
    prompt,
    promptName: prompt.name ?? `${prompt.ns}:${prompt.key}`,
    options,
    session: options.session ?? newSession(),
    evaluationId: randomUUID(),
    deadline: options.deadline ?? budget?.deadline ?? tracker?.budget.deadline,
    tracker,
  };
}

/**
 * What is over before it began: nothing was rendered, published or started.
 *
 * @throws {@link EvaluationAbortedError}, {@link DeadlineExceededError}, {@link BudgetExhaustedError}
 */
export function refuseAtOnce({ promptName, options, deadline, tracker }: RunRequest<unknown>) {
  const { signal } = options;
  if (signal?.aborted) {
    throw new EvaluationAbortedError('The signal had been aborted before the evaluation began', {
      promptName,
      phase: 'request',
      cause: signal.reason,
    });
  }
  if (deadline?.isExpired()) {
    throw new DeadlineExceededError('The deadline had passed before the evaluation began', {
      promptName,
    });
  }
  const dimension = tracker?.exceededDimension();
  if (tracker === undefined || dimension === undefined) return;
  throw new BudgetExhaustedError(
    `The budget had been used up before the evaluation began: ${dimension}`,
    { dimension, consumed: tracker.consumed },
    { promptName },
  );
}

function havingMethod(method: string, what: string): Fault {
  return (value) =>
    typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === 'function'
      ? undefined
      : `must be ${what}`;
}
