import type { SDKResultMessage } from '../../index.js';
import type { Unchecked } from '../../parser/read-message.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { advise } from '../errors/adapter-error.js';
import { OutputParseError, PromptEvaluationError } from '../errors/evaluation-errors.js';
import { ValidationError, type ValueIssue } from '../errors/prompt-errors.js';
import type { Log } from '../logging/log.js';
import type { RenderedPrompt } from '../prompt/index.js';
import type { PromptResponse } from '../report/run-report.js';
import { parseValueAsync, type ResolvedType } from '../schema/index.js';
import { valueError } from '../schema/internal.js';
import { ITEMS } from './output-format.js';

/** The output as the CLI gave it. An object, because `0`, `''` and `false` are values too. */
export interface RawOutput {
  readonly value: unknown;
}

interface OutputSources {
  readonly rendered: Pick<RenderedPrompt<unknown>, 'output'>;
  /** The last result message. */
  readonly result: Pick<Unchecked<SDKResultMessage>, 'structured_output'>;
  /** Input of the last `StructuredOutput` call that a hook saw. */
  readonly hookOutput: RawOutput | undefined;
}

/** `undefined`: the prompt declares no output, or the model gave none. */
export function extractOutput({ rendered, result, hookOutput }: OutputSources): RawOutput | undefined {
  if (rendered.output === undefined) return undefined;
  const { structured_output: value } = result;
  return value === undefined || value === null ? hookOutput : { value };
}

/** What happens when an output does not fit: an error, or a record in the log and no output. */
export type OutputValidation = 'throw' | 'warn';

interface ParseOutputContext {
  readonly promptName: string;
  readonly mode: OutputValidation;
  readonly log: Log;
  /** For the error: what had been produced besides. */
  readonly partial?: PromptResponse<unknown> | undefined;
}

type Declared<T> = Pick<RenderedPrompt<T>, 'output' | 'outputContainer' | 'allowExtraKeys' | 'outputType'>;

const TRY_AGAIN = advise(
  'unsafe',
  'Evaluate again: another answer may fit. When none does, loosen the type or describe its fields better.',
);

/**
 * The output as the prompt's type has it; `null` when there is none, or it does not fit and `mode` is `warn`. Keys that
 * the type does not list are dropped, unless the prompt keeps them.
 * @throws {@link OutputParseError} it does not fit and `mode` is `throw`.
 */
export async function parseOutput<T>(
  rendered: Declared<T>,
  raw: RawOutput | undefined,
  { promptName, mode, log, partial }: ParseOutputContext,
): Promise<T | null> {
  const { output, outputContainer } = rendered;
  if (output === undefined || raw === undefined) return null;
  const extra = rendered.allowExtraKeys ? 'allow' : 'ignore';
  try {
    const value =
      outputContainer === 'array'
        ? await parseItems(output, raw.value, extra)
        : await parseValueAsync(output, raw.value, { extra });
    // The template's constructor ties `T` to the type and the container.
    return value as T;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    if (mode === 'warn') {
      log.warn('parse.structured_output_error', { promptName, error: error.message });
      return null;
    }
    throw new OutputParseError(
      `The output of "${promptName}" does not fit its type: ${shortened(error.message)}`,
      { rawOutput: raw.value, issues: error.issues },
      { promptName, partial, cause: error, retryAdvice: TRY_AGAIN },
    );
  }
}

async function parseItems(type: ResolvedType<unknown>, value: unknown, extra: 'allow' | 'ignore'): Promise<unknown[]> {
  const items = isJsonObject(value) ? value[ITEMS] : value;
  if (!Array.isArray(items)) {
    throw valueError([{ path: ITEMS, message: `must be an array, got ${describeValue(items)}` }]);
  }
  const issues: ValueIssue[] = [];
  const parsed: unknown[] = [];
  for (const [index, item] of items.entries()) {
    try {
      parsed.push(await parseValueAsync(type, item, { extra }));
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      issues.push(...error.issues.map((issue) => ({ ...issue, path: inItem(index, issue.path) })));
    }
  }
  if (issues.length > 0) throw valueError(issues);
  return parsed;
}

function inItem(index: number, path: string): string {
  const item = `${ITEMS}[${index}]`;
  return path === '' || path.startsWith('[') ? item + path : `${item}.${path}`;
}

/** Without what every message of a ValidationError starts with. */
function shortened(message: string): string {
  return message.replace(/^The value does not fit its type: /, '');
}

interface WhatCame {
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
      retryAdvice: advise('unsafe', 'Evaluate again; tools that ran may have changed something.'),
    },
  );
}
