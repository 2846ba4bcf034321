/** The program under test: what the recipes beside it test. It takes `query`, and has the real one by default. */
import { setTimeout as pause } from 'node:timers/promises';
import { query as claude, outcomeOf } from 'claudewire';

/** One question, one answer. */
export async function ask(question, { query = claude, options = {} } = {}) {
  for await (const message of query({ prompt: question, options })) {
    if (message.type === 'result' && message.subtype === 'success') return message.result;
  }
  throw new Error('no answer');
}

/** Lets Claude tidy up, but nothing is deleted. Returns what was done. */
export async function tidyUp({ query = claude } = {}) {
  const done = [];
  const noteCall = async ({ tool_name, tool_input }) => {
    done.push(`${tool_name}: ${tool_input.command}`);
    return { continue: true };
  };
  const options = {
    canUseTool: async (_tool, input) =>
      /\brm\b/.test(input.command)
        ? { behavior: 'deny', message: 'Nothing is deleted here.' }
        : { behavior: 'allow', updatedInput: input },
    hooks: { PostToolUse: [{ hooks: [noteCall] }] },
  };
  await ask('Tidy up.', { query, options });
  return done;
}

/** A conversation that can be put aside: each question may come from another process. */
export class Conversation {
  #query;
  sessionId;

  constructor({ query = claude, sessionId } = {}) {
    this.#query = query;
    this.sessionId = sessionId;
  }

  async say(prompt) {
    const options = this.sessionId === undefined ? {} : { resume: this.sessionId };
    let answer = '';
    for await (const message of this.#query({ prompt, options })) {
      this.sessionId = message.session_id ?? this.sessionId;
      if (message.type === 'result' && message.subtype === 'success') answer = message.result;
    }
    return answer;
  }
}

/** Asks again, after a pause, when asking again may help. */
export async function askPatiently(question, { query = claude, tries = 3 } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await outcomeOfOne(query({ prompt: question }));
    if (outcome.kind === 'completed') return outcome.message;
    if (!outcome.retryable || attempt === tries) {
      throw new Error(`${outcome.kind}: ${outcome.message}`);
    }
    await pause(outcome.retryAfterMs ?? 60_000);
  }
}

async function outcomeOfOne(run) {
  const messages = [];
  try {
    for await (const message of run) messages.push(message);
    return outcomeOf(messages);
  } catch (error) {
    return outcomeOf(messages, error);
  }
}
