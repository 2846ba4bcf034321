import type { SDKResultMessage } from '../../index.js';
import type { Unchecked } from '../../parser/read-message.js';
import type { RenderedPrompt } from '../prompt/index.js';

/** The output as the CLI gave it. An object, because `0`, `''` and `false` are values too. */
export interface RawOutput {
  readonly value: unknown;
}

export interface OutputSources {
  readonly rendered: Pick<RenderedPrompt<unknown>, 'output'>;
  /** The last result message. */
  readonly result: Pick<Unchecked<SDKResultMessage>, 'structured_output'>;
  /** Input of the last `StructuredOutput` call that a hook saw. */
  readonly hookOutput: RawOutput | undefined;
}

/** `undefined`: the prompt declares no output, or the model gave none. */
export function extractOutput({
  rendered,
  result,
  hookOutput,
}: OutputSources): RawOutput | undefined {
  if (rendered.output === undefined) return undefined;
  const { structured_output: value } = result;
  return value === undefined || value === null ? hookOutput : { value };
}
