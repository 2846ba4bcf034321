/** One process is always started ahead; a prompt whose claim fails runs in a process of its own. */
import { ClaimError, isClaudeSDKError, prewarm, query } from 'claudewire';

class SparePool {
  /** @type {import('claudewire').Options} */
  #shared;
  /** @type {Promise<import('claudewire').SpareProcess | undefined> | undefined} */
  #next;
  #isClosed = false;

  /** @param {import('claudewire').Options} shared - What all sessions have in common. */
  constructor(shared) {
    this.#shared = shared;
    this.#refill();
  }

  /**
   * The messages of one prompt. A text, since an iterable could not be given to a second process.
   *
   * @param {string} prompt
   * @param {{ cwd: string, model?: string, permissionMode?: import('claudewire').PermissionMode, resume?: string }} session -
   *   Options that mean the same to `claim()` and `query()`; `resume` and the like are refused by every claim.
   */
  async *ask(prompt, session) {
    const taken = this.#next;
    this.#next = undefined;
    const spare = await taken;
    const claimed = spare && (await claim(spare, prompt, session));
    this.#refill();
    yield* claimed ?? query({ prompt, options: { ...this.#shared, ...session } });
  }

  /** Ends the process that waits. Prompts that run go on. */
  async close() {
    this.#isClosed = true;
    const spare = await this.#next;
    await spare?.[Symbol.asyncDispose]();
  }

  #refill() {
    if (this.#isClosed || this.#next !== undefined) return;
    // Without a spare the next prompt starts its own process, and that error is the caller's.
    this.#next = prewarm({ options: this.#shared }).catch(() => undefined);
  }
}

/**
 * Resolves to the run, or to `undefined` when the prompt does not run in this process.
 *
 * @param {import('claudewire').SpareProcess} spare
 * @param {string} prompt
 * @param {import('claudewire').ClaimOptions} options
 */
async function claim(spare, prompt, options) {
  let run;
  try {
    run = spare.claim({ prompt, options });
    await spare.claimed;
    return run;
  } catch (error) {
    // The one failure after which the prompt runs, with another model than asked for: not a second time.
    if (error instanceof ClaimError && error.reason === 'option_not_applied') return run;
    console.log(`not claimed: ${error instanceof Error ? error.message : error}`);
    spare.close();
    return undefined;
  }
}

const pool = new SparePool({});
const endings = [];
try {
  for (const prompt of ['Say hello in one sentence.', 'Say hello again.']) {
    for await (const message of pool.ask(prompt, { cwd: process.cwd() })) {
      if (message.type === 'result') endings.push(message.subtype);
    }
  }
} catch (error) {
  if (!isClaudeSDKError(error)) throw error;
  console.error(`${error.errorClass}: ${error.message}`);
} finally {
  await pool.close();
}
console.log(endings.join(', '));
if (endings.join() !== 'success,success') process.exitCode = 1;
