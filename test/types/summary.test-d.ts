import { type ClaudeClient, type Outcome, query, type RunSummary, summaryOf, textOf } from '../../src/index.js';
import { fits, type Same } from './assignable.js';

/** What the compiler makes of the text and the summary of a run. Compiled, not run. */

declare const client: ClaudeClient;
const run = query({ prompt: 'Hi' });

const plain = await summaryOf(run);
fits<Same<typeof plain, RunSummary<unknown>>>(true);
fits<Same<typeof plain.structuredOutput, unknown>>(true);
fits<Same<typeof plain.costUsd, number | undefined>>(true);
fits<Same<typeof plain.outcome, Outcome>>(true);

const typed = await summaryOf<{ name: string }>(client.receiveResponse());
fits<Same<typeof typed.structuredOutput, { name: string } | undefined>>(true);
fits<number | undefined>(typed.usageByModel.model?.costUsd);

for await (const text of textOf(run)) fits<string>(text);

// @ts-expect-error a promise is no run
textOf(Promise.resolve(run));
// @ts-expect-error messages, not texts
summaryOf(textOf(run));
