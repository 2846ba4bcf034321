import type { CanUseTool, HookInput, HookJSONOutput } from 'claudewire';
import { type ConversationApprovals, denial } from '../approvals/conversation-approvals.js';
import { assertUpdatedInput } from '../approvals/updated-input.js';
import { HostError } from '../errors.js';
import type { ConversationLease } from './conversation-lease.js';
import type { Answer, Questions } from './questions.js';

export interface ToolGateParams {
  readonly questions: Questions;
  readonly approvals: ConversationApprovals | undefined;
  readonly lease: ConversationLease;
  /** A turn is open, and this host may write and answer for it. */
  readonly isServing: () => boolean;
}

/** Whether a tool may run: what Claude Code is told, by the lease, the approvals and whoever answers questions. */
export class ToolGate {
  readonly #params: ToolGateParams;

  constructor(params: ToolGateParams) {
    this.#params = params;
  }

  readonly ask: CanUseTool = async (...question) => {
    const { questions, approvals, lease, isServing } = this.#params;
    await lease.doubtSettled();
    if (!isServing()) return { behavior: 'deny', message: 'No turn is open, so nobody can be asked.' };
    const [, input, { toolUseID }] = question;
    const known = approvals?.permission(toolUseID, input);
    if (known === undefined) return await questions.ask(...question);
    return known.behavior === 'deny' || (await this.#mayAnswer()) ? known : { behavior: 'deny', message: NOT_OURS };
  };

  async hook(input: HookInput): Promise<HookJSONOutput> {
    const { approvals } = this.#params;
    if (approvals === undefined) return {};
    return (await this.#mayAnswer()) ? await approvals.hook(input, this.#mayAnswer) : denial(NOT_OURS);
  }

  /**
   * Answers a question that is open now.
   * @throws HostError `not_found`; `invalid`, `forbidden`: `updatedInput` cannot be used, or needs an approval itself;
   * `conflict`: another host has the conversation; `store_failed`.
   */
  async answer(questionId: string, answer: Answer): Promise<void> {
    const { questions, approvals, lease } = this.#params;
    await lease.doubtSettled();
    const toolName = questions.toolOf(questionId);
    if (answer.behavior === 'allow' && answer.updatedInput !== undefined) {
      assertUpdatedInput(answer.updatedInput);
      const call = { toolName, input: answer.updatedInput };
      if (approvals !== undefined && !(await approvals.allows(call))) {
        throw new HostError('forbidden', 'With this input the call needs an approval. Deny it, or allow it as it is.');
      }
    }
    // Last, and asked of the store: with this answer a tool starts.
    if (answer.behavior === 'allow') await lease.assertConfirmed();
    questions.answer(questionId, answer);
  }

  /** The store is asked: a call must not run beside what another host makes of it. */
  readonly #mayAnswer = async (): Promise<boolean> => {
    const { lease, isServing } = this.#params;
    return (await lease.confirm()) && isServing();
  };
}

const NOT_OURS = 'This host does not hold the conversation any more.';
