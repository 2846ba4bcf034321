/** A desktop application with a sign-in of its own, which calls what the declarations leave out. */
import { type Query, query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

/** As such programs declare it themselves. */
interface SignIn extends Query {
  claudeAuthenticate(loginWithClaudeAi: boolean): Promise<{ manualUrl: string; automaticUrl?: string }>;
  claudeOAuthWaitForCompletion(): Promise<unknown>;
  mcpClearAuth(serverName: string): Promise<unknown>;
  mcpSubmitOAuthCallbackUrl(serverName: string, callbackUrl: string): Promise<unknown>;
  enableChannel(serverName: string): Promise<void>;
  getStatus?(): Promise<{ sections: { title: string }[] }>;
}

async function* untilClosed(closed: Promise<void>): AsyncGenerator<SDKUserMessage> {
  await closed;
  yield* [];
}

let close = (): void => {};
const run = query({ prompt: untilClosed(new Promise((resolve) => (close = resolve))) }) as SignIn;
const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => ({ value }),
    (error: Error) => error.message,
  );

say('before', await failure(run.claudeOAuthWaitForCompletion()));
const { manualUrl } = await run.claudeAuthenticate(true);
say('page', { host: new URL(manualUrl).host, hasState: new URL(manualUrl).searchParams.has('state') });
say('server', await failure(run.mcpClearAuth('nowhere')));
say('callback', await failure(run.mcpSubmitOAuthCallbackUrl('nowhere', 'http://127.0.0.1/cb?code=1')));
say('channel', await failure(run.enableChannel('nowhere')));
if (typeof run.getStatus === 'function')
  say(
    'status',
    (await run.getStatus()).sections.map(({ title }) => title),
  );
close();
for await (const message of run) say('message', message.type);
