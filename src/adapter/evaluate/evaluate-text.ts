import type { PermissionMode, SDKMessage } from '../../index.js';
import { TextPieces } from '../../parser/text-pieces.js';
import { describeValue } from '../../util/describe-value.js';
import { anything, custom, func, nonBlankString, type Validator } from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { OutputParseError } from '../errors/evaluation-errors.js';
import { Budget, type BudgetLimits } from '../limits/budget.js';
import { isBudget } from '../limits/budget-tracker.js';
import { Deadline } from '../limits/deadline.js';
import { checkFields } from '../options/read-fields.js';
import { type AnyTool, Prompt, Tool } from '../prompt/index.js';
import { TextSection } from '../prompt/internal.js';
import { refusalsText } from '../report/output-refusals.js';
import { failedReport } from '../report/run-recorder.js';
import type { PromptResponse } from '../report/run-report.js';
import type { TypeSpec } from '../schema/index.js';
import type { ClaudeAgentAdapterOptions } from './adapter-config.js';
import { ClaudeAgentAdapter } from './claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from './client-config.js';
import type { EvaluateOptions } from './run-request.js';

type SharedClientConfig = Pick<
  ClaudeAgentClientConfig,
  | 'maxBudgetUsd'
  | 'maxTurns'
  | 'env'
  | 'isolation'
  | 'interpretPrompts'
  | 'pathToClaudeCodeExecutable'
  | 'spawnClaudeCodeProcess'
>;

/** Every field may be left out. */
export interface EvaluateTextOptions<T = never>
  extends SharedClientConfig,
    Pick<EvaluateOptions, 'signal' | 'onMessage'>,
    Pick<ClaudeAgentAdapterOptions, 'logger'> {
  /**
   * What the answer has to be: a schema of zod, valibot or arktype, a plain JSON Schema, or the answer of
   * `defineType()`.
   */
  readonly output?: TypeSpec<T> | undefined;
  /** Your functions that the model may call. The model sees `mcp__tools__<name>`. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Built-in tools that exist and run without a question, such as `Read` or `Bash(git:*)`. @defaultValue `[]`: none */
  readonly allowedTools?: readonly string[] | undefined;
  /**
   * Milliseconds from now, at least 1000; then the run is interrupted. `evaluate()` settles when the process is gone:
   * usually within 0.1 s, up to about 9 s later for a CLI that ignores every signal. @defaultValue no limit
   */
  readonly deadlineMs?: number | undefined;
  /** The run is stopped when it passes one of these. @defaultValue no limit */
  readonly budget?: BudgetLimits | undefined;
  /**
   * Each piece of the answer's text as it streams, without sub-agents. What it throws or rejects with is logged and
   * ignored.
   */
  readonly onText?: ((text: string) => void) | undefined;
  /** In place of the CLI's own system prompt. */
  readonly systemPrompt?: string | undefined;
  /** @defaultValue the CLI's own */
  readonly model?: string | undefined;
  /** @defaultValue `'default'`: tools that nobody allowed are denied */
  readonly permissionMode?: PermissionMode | undefined;
  /** The working directory. @defaultValue the host's */
  readonly cwd?: string | undefined;
}

/** A response whose output is there. */
export interface TextAnswer<T> extends PromptResponse<T> {
  readonly output: T;
}

const MIN_DEADLINE_MS = 1_000;
const deadlineMilliseconds = custom(
  `a number of milliseconds, at least ${MIN_DEADLINE_MS}`,
  (value) => Number.isFinite(value) && Number(value) >= MIN_DEADLINE_MS,
);
/** The adapter checks the fields that it gets. */
const VALIDATORS: Readonly<Record<keyof EvaluateTextOptions, Validator>> = {
  ...{ output: anything, tools: anything, allowedTools: anything },
  deadlineMs: deadlineMilliseconds,
  ...{ budget: anything, maxBudgetUsd: anything, maxTurns: anything, signal: anything },
  onText: func,
  onMessage: func,
  systemPrompt: nonBlankString,
  ...{ model: anything, permissionMode: anything, cwd: anything, env: anything, isolation: anything },
  ...{ interpretPrompts: anything, pathToClaudeCodeExecutable: anything, spawnClaudeCodeProcess: anything },
  logger: anything,
};
const USE_DEADLINE_MS = 'Give milliseconds: `deadlineMs: 30_000`.';
const CURES: Readonly<Record<string, string>> = {
  deadline: USE_DEADLINE_MS,
  timeout: USE_DEADLINE_MS,
  timeoutMs: USE_DEADLINE_MS,
  abortController: 'Use `signal`: `abortController.signal`.',
  canUseTool: 'Use `query()`, or `allowedTools`.',
};

/**
 * Asks Claude Code one thing. Only the given tools exist, no settings file is read, and the text is sent verbatim. When
 * it settles, the process is gone.
 * @throws what `ClaudeAgentAdapter.evaluate()` throws. {@link OutputParseError} also when `output` was asked for and only text came.
 * @example
 * const { output } = await evaluate('How does this sound?', {
 *   output: z.object({ verdict: z.string() }),
 *   deadlineMs: 30_000,
 *   budget: { maxTotalTokens: 20_000 },
 * });
 */
export function evaluate<T>(
  text: string,
  options: EvaluateTextOptions<T> & { readonly output: TypeSpec<T> },
): Promise<TextAnswer<T>>;
export function evaluate(
  text: string,
  options?: EvaluateTextOptions & { readonly output?: undefined },
): Promise<PromptResponse<null>>;
export function evaluate<T = never>(text: string, options?: EvaluateTextOptions<T>): Promise<PromptResponse<T>>;
export async function evaluate<T>(text: string, options: EvaluateTextOptions<T> = {}): Promise<PromptResponse<T>> {
  const limits = check(text, options);
  const { onText, onMessage, signal, systemPrompt, output } = options;
  const adapter = adapterOf(options);
  const response = await adapter.evaluate(promptOf(systemPrompt ?? text, options), {
    ...limits,
    signal,
    onMessage: onText === undefined ? onMessage : bothHandlers(onText, onMessage),
    ...(systemPrompt === undefined ? {} : { userPrompt: text }),
  });
  if (output !== undefined && response.output === null) throw noOutput(response);
  return response;
}

function check(text: unknown, options: EvaluateTextOptions<unknown>) {
  if (typeof text !== 'string' || text.trim() === '') {
    const isPrompt = typeof (text as { render?: unknown } | null)?.render === 'function';
    throw new AdapterConfigError(
      `The text of evaluate() must be a non-empty string, got ${describeValue(text)}`,
      ['text'],
      isPrompt ? { hint: 'A Prompt goes to `new ClaudeAgentAdapter().evaluate(prompt)`.' } : {},
    );
  }
  refuseForeign(options);
  checkFields(options, 'options', VALIDATORS);
  checkToolList(options.tools);
  const { deadlineMs, budget } = options;
  return {
    deadline: deadlineMs === undefined ? undefined : Deadline.fromNow(deadlineMs),
    budget: budget === undefined || isBudget(budget) ? budget : new Budget(budget),
  };
}

/** Options that other functions of this package have. */
function refuseForeign(options: unknown): void {
  const given = Object(options) as Readonly<Record<string, unknown>>;
  const found = Object.entries(CURES).find(([name]) => given[name] !== undefined);
  if (found === undefined) return;
  const [name, hint] = found;
  throw new AdapterConfigError(`Option \`${name}\` of evaluate() does not exist`, [name], { hint });
}

function checkToolList(tools: unknown = []): void {
  if (!Array.isArray(tools)) {
    const got = describeValue(tools);
    throw new AdapterConfigError(`\`tools\` must be a list, got ${got}`, ['tools']);
  }
  const names = new Set<string>();
  for (const [index, tool] of (tools as readonly unknown[]).entries()) {
    const path = `tools[${index}]`;
    if (!(tool instanceof Tool)) {
      throw new AdapterConfigError(
        `\`${path}\` must be a \`Tool\` of \`claudewire/adapter\`, got ${describeValue(tool)}`,
        [path],
        { hint: '`tool()` of `claudewire` makes tools for `query()`.' },
      );
    }
    if (names.has(tool.name)) {
      throw new AdapterConfigError(`\`${path}\` has the name of an earlier tool, "${tool.name}"`, [path], {
        hint: 'Give each tool a name of its own.',
      });
    }
    names.add(tool.name);
  }
}

function adapterOf(options: EvaluateTextOptions<unknown>): ClaudeAgentAdapter {
  const { maxBudgetUsd, maxTurns, cwd, env, isolation, interpretPrompts } = options;
  const { pathToClaudeCodeExecutable, spawnClaudeCodeProcess } = options;
  return new ClaudeAgentAdapter({
    model: options.model ?? null,
    allowedTools: options.allowedTools ?? [],
    bridgeName: 'tools',
    logger: options.logger,
    clientConfig: {
      ...{ maxBudgetUsd, maxTurns, cwd, env, isolation, interpretPrompts },
      ...{ pathToClaudeCodeExecutable, spawnClaudeCodeProcess },
      permissionMode: options.permissionMode ?? 'default',
      deadlineGraceMs: 0,
      includePartialMessages: options.onText !== undefined,
      promptPlacement: options.systemPrompt === undefined ? 'user' : 'system',
    },
  });
}

/** A prompt whose text is this, without headings; examples of tools follow it. */
function promptOf<T>(text: string, { output, tools }: EvaluateTextOptions<T>): Prompt<T> {
  const section = new TextSection({ title: 'Text', key: 'text', text, tools });
  return new Prompt<T>({ ...{ ns: 'claudewire', key: 'evaluate', name: 'evaluate' }, sections: [section], output });
}

/** Either handler may fail without affecting the other; the caller gets the failure. */
function bothHandlers(
  onText: (text: string) => unknown,
  onMessage: ((message: SDKMessage) => unknown) | undefined,
): (message: SDKMessage) => Promise<unknown> {
  const pieces = new TextPieces();
  const tellText = async (message: SDKMessage): Promise<void> => {
    for (const piece of pieces.in(message)) await onText(piece);
  };
  const tellMessage = async (message: SDKMessage): Promise<unknown> => onMessage?.(message);
  return (message) => Promise.all([tellText(message), tellMessage(message)]);
}

function noOutput(response: PromptResponse<unknown>): OutputParseError {
  const { promptName, text } = response;
  const { refusedOutputs: refused } = response.report;
  const error = new OutputParseError(
    `The model answered with text in place of the output that was asked for. The text is in \`rawOutput\`.${refusalsText(refused)}`,
    { rawOutput: text, issues: refused.map((message) => ({ path: '', message })) },
    { promptName, partial: response },
  );
  error.report = failedReport(response.report, error);
  return error;
}
