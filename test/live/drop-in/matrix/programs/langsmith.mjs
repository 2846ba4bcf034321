/** A program that traces with LangSmith: the whole module is wrapped. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { Client } from 'langsmith';
import { wrapClaudeAgentSDK } from 'langsmith/experimental/anthropic';
import { play } from './play.mjs';

const client = new Client();
await play(process.argv[2], wrapClaudeAgentSDK(sdk, { client }));
await client.awaitPendingTraceBatches();
