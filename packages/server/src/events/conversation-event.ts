import type { OutcomeKind, PermissionUpdate, SDKMessage } from 'claudewire';

/**
 * `open`: waits for a decision. `consumed`: decided, and Claude Code goes on with it. All others are final.
 * `done`, `failed`: the tool ran. `denied`: it was kept from running. `outcome_unknown`: the process or its host ended
 * while the tool may have run; look before you ask for it again. `lost`: the tool did not run, and cannot any more.
 * `expired`: nobody decided in time. `withdrawn`: the conversation went on without it.
 */
export type ApprovalState =
  | 'open'
  | 'consumed'
  | 'done'
  | 'failed'
  | 'denied'
  | 'outcome_unknown'
  | 'lost'
  | 'expired'
  | 'withdrawn';

/** How a turn ended. `memory_limit`: its process had more than `limits.processMemoryMb`. */
export type TurnOutcome = OutcomeKind | 'memory_limit';

/** What happens in a conversation, in the order in which every viewer sees it. */
export type ConversationEvent =
  /** A user sent this. It opens a turn. */
  | { readonly type: 'user_message'; readonly text: string }
  /** A message of Claude Code, as it came. */
  | { readonly type: 'message'; readonly message: SDKMessage }
  | QuestionEvent
  /** A question is over. `expired`: nobody answered in time, so it was denied. `withdrawn`: the turn ended before. */
  | {
      readonly type: 'question_closed';
      readonly questionId: string;
      readonly answer: 'allow' | 'deny' | 'expired' | 'withdrawn';
    }
  | ApprovalEvent
  /** Somebody decided. It opens a turn in which Claude Code goes on with the call. */
  | { readonly type: 'approval_decided'; readonly approvalId: string; readonly behavior: 'allow' | 'deny' }
  /**
   * What became of a call that waited for an approval. A call that Claude Code did not keep, of several in one message,
   * was announced by no `approval` event: it is `lost`, with its `toolName` and `input`.
   */
  | {
      readonly type: 'approval_closed';
      readonly approvalId: string;
      readonly toolUseId: string;
      readonly state: ApprovalState;
      readonly toolName?: string;
      readonly input?: Record<string, unknown>;
    }
  /**
   * The turn is over, and the next message may be sent. `costUsd`: what it cost, with its sub-agents, as Claude Code
   * reckons it. Absent when Claude Code did not say, such as after a crash.
   */
  | {
      readonly type: 'turn_ended';
      readonly outcome: TurnOutcome;
      readonly costUsd?: number;
      readonly retryAfterMs?: number;
    }
  /** A prompt that the conversation sends itself was due. A host sends it, or the process that holds it. It opens a turn. */
  | { readonly type: 'wake_up'; readonly wakeUpId: string; readonly prompt: string }
  /** What runs on after the turn, and what is scheduled: all of it. Whenever that has changed. */
  | {
      readonly type: 'background';
      readonly tasks: readonly BackgroundTask[];
      readonly wakeUps: readonly ScheduledPrompt[];
    }
  /** A process ended, and its tasks with it before they were done. Claude Code tells the model when the session goes on. */
  | { readonly type: 'background_ended'; readonly reason: BackgroundEnd; readonly tasks: readonly BackgroundTask[] }
  /**
   * Events that this viewer has not seen are no longer kept, or the log could not take them. Load the transcript, then
   * go on.
   */
  | { readonly type: 'events_dropped'; readonly before: number };

/** What runs in a process after the turn that started it. */
export interface BackgroundTask {
  readonly taskId: string;
  /** As Claude Code calls it: `local_bash`, `local_agent`. */
  readonly kind: string;
  readonly description: string;
}

/** A prompt that a conversation sends itself. */
export interface ScheduledPrompt {
  readonly wakeUpId: string;
  readonly prompt: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly recurring: boolean;
}

/**
 * Why a process ended while tasks ran in it. `limit`: after `limits.backgroundMs`, or after `limits.idleMs` beside as many
 * others as `limits.backgroundProcesses` allows. `evicted`: for another conversation. `turn_ended`: with its turn, such as by
 * `limits.turnMs`, or one that goes on after an approval. `drained`: with its host. `crashed`: by itself.
 */
export type BackgroundEnd = 'limit' | 'evicted' | 'memory_limit' | 'turn_ended' | 'drained' | 'crashed';

/** Claude Code asks whether a tool may run, or asks the user (`AskUserQuestion`). */
export interface QuestionEvent {
  readonly type: 'question';
  readonly questionId: string;
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  readonly title?: string;
  readonly description?: string;
  readonly suggestions?: readonly PermissionUpdate[];
}

/** The turn ends, and a call waits for a decision, for as long as it takes. The token to decide with is no event. */
export interface ApprovalEvent {
  readonly type: 'approval';
  readonly approvalId: string;
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** An event with its place in the conversation. */
export interface LoggedEvent {
  /** Counts from 1, without gaps. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: ConversationEvent;
}
