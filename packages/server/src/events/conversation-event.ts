import type { OutcomeKind, PermissionUpdate, SDKMessage } from 'claudewire';

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
  /** The turn is over, and the next message may be sent. */
  | { readonly type: 'turn_ended'; readonly outcome: OutcomeKind; readonly retryAfterMs?: number }
  /** Not stored: events that this viewer has not seen are no longer kept. Load the transcript, then go on. */
  | { readonly type: 'events_dropped'; readonly before: number };

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

/** An event with its place in the conversation. */
export interface LoggedEvent {
  /** Counts from 1, without gaps. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: ConversationEvent;
}
