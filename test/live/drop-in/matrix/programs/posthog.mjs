/** A program that traces with PostHog's own `query()`. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { instrument } from '@posthog/ai/claude-agent-sdk';
import { PostHog } from 'posthog-node';
import { play } from './play.mjs';

const client = new PostHog('phc_fake', { host: process.env.POSTHOG_HOST, disableGeoip: true });
const claude = instrument({ client, distinctId: 'ada' });
await play(process.argv[2], { ...sdk, query: (params) => claude.query(params) });
await client.shutdown();
