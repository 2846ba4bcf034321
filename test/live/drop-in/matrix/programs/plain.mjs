/** A program that knows nothing of the tracer that was loaded before it. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { play } from './play.mjs';

await play(process.argv[2], sdk);
