/** One question, one typed answer: nothing may run, and the limits are plain numbers. */
import { evaluate } from 'claudewire/adapter';
import { z } from 'zod';

const { output, usage } = await evaluate('Is 17 a prime number?', {
  output: z.object({ prime: z.boolean(), why: z.string() }),
  deadlineMs: 60_000,
  budget: { maxTotalTokens: 50_000 },
});

console.log(output.prime ? 'prime' : 'not prime', '-', output.why);
console.log('tokens', usage.inputTokens, usage.outputTokens);
if (!output.prime) process.exitCode = 1;
