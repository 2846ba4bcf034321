/** One question, its answer as it comes, and how the run went. */
import { query, summaryOf, textOf } from 'claudewire';

const run = query({ prompt: 'Say hello in one sentence.', options: { deadlineMs: 60_000 } });
for await (const text of textOf(run)) process.stdout.write(text);

const { outcome } = await summaryOf(run);
console.log(`\n${outcome.kind}`);
