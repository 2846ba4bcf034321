/** Two warm starts: one that waits for its prompt, and one that waits for its whole job. */
import { prewarm, startup } from '@anthropic-ai/claude-agent-sdk';
import { outcome, say } from './say.mjs';

const warm = await startup({ options: { model: 'claude-sonnet-5' } });
for await (const message of warm.query('Say hello.')) say('message', message);
say('twice', await outcome(async () => warm.query('Again.')));

const spare = await prewarm({ options: {} });
const run = spare.claim({ prompt: 'Say hello again.', options: { cwd: process.cwd(), title: 'A claimed talk' } });
const { parkedMs, ...facts } = await spare.claimed;
say('claimed', { ...facts, parked: typeof parkedMs });
for await (const message of run) say('claimed message', message);
say('exited', await outcome(() => spare.exited));
