import { z } from 'zod';
import { type EvaluateTextOptions, evaluate, type PromptResponse, type TextAnswer } from '../../src/adapter/index.js';
import { fits, type Same } from './assignable.js';

/** What the compiler makes of the options of `evaluate(text)`. Compiled, not run. */

interface Verdict {
  readonly verdict: string;
}
const schema = z.object({ verdict: z.string() });

// Written in place.
const bare = evaluate('x');
fits<Same<typeof bare, Promise<PromptResponse<null>>>>(true);
const inPlace = evaluate('x', { output: schema, deadlineMs: 3_000 });
fits<Same<typeof inPlace, Promise<TextAnswer<z.infer<typeof schema>>>>>(true);

// Declared with the exported type.
const limits: EvaluateTextOptions = { deadlineMs: 3_000 };
const limited = await evaluate('x', limits);
fits<Same<typeof limited.output, null>>(true);
const withOutput: EvaluateTextOptions<Verdict> = { output: schema, deadlineMs: 3_000 };
const maybe = await evaluate('x', withOutput);
fits<Same<typeof maybe.output, Verdict | null>>(true);

// Spread into others.
const spread = await evaluate('x', { ...limits, model: 'm' });
fits<Same<typeof spread.output, null>>(true);
const spreadWithOutput = await evaluate('x', { ...limits, output: schema });
fits<Same<typeof spreadWithOutput.output, z.infer<typeof schema>>>(true);
const spreadOfOutput = await evaluate('x', { ...withOutput, model: 'm' });
fits<Same<typeof spreadOfOutput.output, Verdict | null>>(true);

// Passed on by a function of the caller's.
export const ask = <T>(options: EvaluateTextOptions<T>): Promise<PromptResponse<T>> => evaluate('x', options);

// @ts-expect-error: a field that does not exist
void evaluate('x', { deadline: 3_000 });
// @ts-expect-error: a limit of the wrong type
void evaluate('x', { deadlineMs: '3000' });
