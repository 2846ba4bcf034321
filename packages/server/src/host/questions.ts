import { randomUUID } from 'node:crypto';
import type { CanUseTool, PermissionResult } from 'claudewire';
import { HostError } from '../errors.js';
import type { ConversationEvent } from '../events/conversation-event.js';

/** What a user answers. */
export type Answer =
  | { readonly behavior: 'allow'; readonly updatedInput?: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message?: string };

interface OpenQuestion {
  readonly toolName: string;
  settle(answer: 'allow' | 'deny' | 'expired' | 'withdrawn', result: PermissionResult): void;
}

/** The permission questions of one conversation that are open now. */
export class Questions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #report: (event: ConversationEvent) => void;
  readonly #limitMs: number;

  constructor(report: (event: ConversationEvent) => void, limitMs: number) {
    this.#report = report;
    this.#limitMs = limitMs;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Asks the viewers, and denies when the time is over or the question is withdrawn. */
  readonly ask: CanUseTool = (toolName, input, { signal, toolUseID, title, description, suggestions }) =>
    new Promise((resolve) => {
      const questionId = randomUUID();
      const settle: OpenQuestion['settle'] = (answer, result) => {
        if (!this.#open.delete(questionId)) return;
        clearTimeout(timer);
        signal.removeEventListener('abort', withdraw);
        this.#report({ type: 'question_closed', questionId, answer });
        resolve(result);
      };
      const withdraw = (): void =>
        settle('withdrawn', { behavior: 'deny', message: 'The question was withdrawn before it was answered.' });
      const timer = setTimeout(
        () => settle('expired', { behavior: 'deny', message: 'Nobody answered in time.' }),
        this.#limitMs,
      );
      this.#open.set(questionId, { toolName, settle });
      signal.addEventListener('abort', withdraw, { once: true });
      this.#report({
        type: 'question',
        questionId,
        toolName,
        toolUseId: toolUseID,
        input,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...(suggestions === undefined ? {} : { suggestions }),
      });
      if (signal.aborted) withdraw();
    });

  /** The tool that a question is about. @throws HostError `not_found`, as {@link answer}. */
  toolOf(questionId: string): string {
    return this.#find(questionId).toolName;
  }

  /** @throws HostError `not_found`: it was answered, has expired, or never was. */
  answer(questionId: string, answer: Answer): void {
    const question = this.#find(questionId);
    if (answer.behavior === 'allow') {
      const { updatedInput } = answer;
      question.settle('allow', { behavior: 'allow', ...(updatedInput === undefined ? {} : { updatedInput }) });
    } else {
      question.settle('deny', { behavior: 'deny', message: answer.message ?? 'The user did not allow this.' });
    }
  }

  #find(questionId: string): OpenQuestion {
    const question = this.#open.get(questionId);
    if (question !== undefined) return question;
    throw new HostError(
      'not_found',
      'There is no such open question here: it was answered, its turn is over, or it is on another host.',
    );
  }

  /** When the turn is over. */
  withdrawAll(): void {
    for (const { settle } of [...this.#open.values()]) {
      settle('withdrawn', { behavior: 'deny', message: 'The turn is over.' });
    }
  }
}
