/** A program under `--import braintrust/hook.mjs`, which rewrites the SDK as it is loaded. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { flush, initLogger } from 'braintrust';
import { play } from './play.mjs';

initLogger({ projectName: 'drop-in' });
await play(process.argv[2], sdk);
await flush();
