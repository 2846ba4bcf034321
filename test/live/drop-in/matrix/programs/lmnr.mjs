/** A program that traces with Laminar: the wrapped `query()` sends the CLI's model calls through a proxy of its own. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { Laminar } from '@lmnr-ai/lmnr';
import { play } from './play.mjs';

const { protocol, hostname, port } = new URL(process.env.RECEIVER);
Laminar.initialize({
  projectApiKey: 'fake',
  baseUrl: `${protocol}//${hostname}`,
  httpPort: Number(port),
  forceHttp: true,
});
await play(process.argv[2], { ...sdk, query: Laminar.wrapClaudeAgentQuery(sdk.query) });
await Laminar.flush();
await Laminar.shutdown();
