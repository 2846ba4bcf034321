/** A program that traces with Braintrust, which wraps a module that it is handed. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { flush, initLogger, wrapClaudeAgentSDK } from 'braintrust';
import { play } from './play.mjs';

initLogger({ projectName: 'drop-in' });
await play(process.argv[2], wrapClaudeAgentSDK(sdk));
await flush();
