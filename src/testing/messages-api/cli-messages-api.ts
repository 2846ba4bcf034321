import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invalidArgument, requireObject } from '../../errors/invalid-option.js';
import { isJsonObject } from '../../util/json.js';
import { type MessagesApi, type MessagesApiOptions, startMessagesApi } from './server.js';
import type { Turn } from './turn.js';

/** A Messages API on loopback, and the environment in which the real CLI uses it. */
export interface CliMessagesApi extends MessagesApi {
  /**
   * For the option `env`: the host's environment with the API's address, a made-up key, a configuration folder of its
   * own (`CLAUDE_CONFIG_DIR`), and without the CLI's other traffic. Nothing of the user's login or settings gets in.
   */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts an Anthropic Messages API that plays turns, so that the **real CLI** runs with no key and no network.
 *
 * @param turns - One for each model call: a text, content blocks, an HTTP error, a cut stream, silence, or a function
 *   of the request; or options with them.
 * @throws InvalidOptionError there are no turns, or one is none.
 * @throws the listen error, such as `EADDRINUSE`.
 * @example
 * await using api = await messagesApi(['Hello.']);
 * for await (const message of query({ prompt: 'Hi', options: { env: api.env } })) show(message);
 * expect(api.requests[0].body.messages).toHaveLength(1);
 */
export async function messagesApi(turns: readonly Turn[] | MessagesApiOptions): Promise<CliMessagesApi> {
  const options = readOptions(turns);
  const api = await startMessagesApi(options);
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-config-'));
  const close = async (): Promise<void> => {
    await api.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    url: api.url,
    port: api.port,
    requests: api.requests,
    get remainingTurns() {
      return api.remainingTurns;
    },
    env: {
      ...withoutAccount(process.env),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'sk-ant-made-up',
      CLAUDE_CONFIG_DIR: folder,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function readOptions(turns: readonly Turn[] | MessagesApiOptions): MessagesApiOptions {
  const takes = 'messagesApi() takes the turns of the model';
  const cure = 'Pass an array such as `["Hello."]`, or `{ turns: ["Hello."] }`.';
  const options = Array.isArray(turns) ? { turns } : (turns as MessagesApiOptions);
  requireObject('turns', takes, options, cure, { turns: 'list' });
  options.turns.forEach((turn: unknown, index) => {
    if (typeof turn === 'string' || typeof turn === 'function' || isJsonObject(turn)) return;
    throw invalidArgument(`turns[${index}]`, `${takes}, and \`turns[${index}]\` is none`, turn, cure);
  });
  return options;
}

/** What would lead the CLI to another API, or into another session. */
function withoutAccount(env: NodeJS.ProcessEnv): Record<string, string> {
  const isOurs = (name: string): boolean => !/^(ANTHROPIC_|CLAUDE_|CLAUDECODE$|AWS_)/.test(name);
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && isOurs(entry[0])),
  );
}
