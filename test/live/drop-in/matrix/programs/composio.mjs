/** A program whose tools come from Composio's provider; their execution is answered here. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { ClaudeAgentSDKProvider } from '@composio/claude-agent-sdk';
import { play } from './play.mjs';
import { say } from './say.mjs';

const FORECAST = {
  slug: 'forecast',
  name: 'Forecast',
  description: 'Tells the weather of a city',
  inputParameters: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Where' },
      days: { type: 'integer', minimum: 1, maximum: 7, default: 1 },
      units: { type: 'string', enum: ['metric', 'imperial'] },
      hours: { type: 'array', items: { type: 'number' } },
    },
    required: ['city'],
  },
  tags: [],
  toolkit: { slug: 'weather', name: 'Weather' },
};

const provider = new ClaudeAgentSDKProvider();
const tools = provider.wrapTools([FORECAST], async (slug, input) => {
  say('composio', { slug, input });
  say('tool', input.city);
  return { data: { sky: 'clear' }, error: null, successful: true };
});
say('wrapped', tools);
const createSdkMcpServer = (options) => sdk.createSdkMcpServer({ ...options, tools });
await play(process.argv[2], { ...sdk, createSdkMcpServer });
