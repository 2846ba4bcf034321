import { type Outcome, outcomeOf, type SDKMessage } from '../../src/index.js';

export interface Collected {
  readonly messages: SDKMessage[];
  readonly error: unknown;
  readonly outcome: Outcome;
}

/** Every message of a run, what its loop threw, and what that comes down to. */
export async function collect(run: AsyncIterable<SDKMessage>): Promise<Collected> {
  const messages: SDKMessage[] = [];
  let error: unknown;
  try {
    for await (const message of run) messages.push(message);
  } catch (thrown) {
    error = thrown;
  }
  return { messages, error, outcome: outcomeOf(messages, error) };
}

/** What closing said: the problems of the script, or that there were none. */
export async function problemsOf(cli: { close(): Promise<void> }): Promise<string[]> {
  try {
    await cli.close();
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message
      .replace(/\nTo look at the script: .*$/, '')
      .split('\n- ')
      .slice(1);
  }
}
