import type { UUID } from 'node:crypto';

/** On every frame that reaches the consumer. */
export type FrameIds = { uuid: UUID; session_id: string };

/** Links a reply to the user messages it answers. Present when those messages carried a `uuid`. */
export type AnsweredMessages = { user_message_uuid?: string; user_message_uuids?: string[] };

/** On frames of a subagent: which one, and what it was asked to do. */
export type SubagentFields = { agent_id?: string; subagent_type?: string; task_description?: string };

/**
 * The permission modes as the CLI names them. The same set as the option's type; written out here because the parser
 * does not depend on the control layer.
 */
export type WirePermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';

export type { SDKAssistantMessageError } from '../../constants.js';

/** Who made a message, or whose turn a result ends. Absent for a person's own message. */
export type SDKMessageOrigin =
  | { kind: 'human' }
  | { kind: 'coordinator' }
  | { kind: 'unclassified' }
  | { kind: 'auto-continuation' }
  | { kind: 'observer-activity' }
  | { kind: 'channel'; server: string }
  | {
      kind: 'peer';
      from: string;
      fromMode?: 'bypass' | 'prompting';
      name?: string;
      fromSession?: string;
      senderTaskId?: string;
      body?: string;
      verifiedPeerPid?: number;
    }
  | {
      kind: 'task-notification';
      subkind?: 'scheduled-trigger' | 'peer-send-message' | 'projects-relay' | 'session-inbox' | 'external-event';
      fireReason?: string;
      runId?: string;
    }
  | { kind: 'observer'; from: string; senderTaskId: string };

export type FastModeState = 'off' | 'cooldown' | 'on';

export type FastModeDisabledReason =
  | 'free'
  | 'preference'
  | 'extra_usage_disabled'
  | 'network_error'
  | 'unknown'
  | 'not_first_party'
  | 'disabled_by_env'
  | 'model_not_allowed'
  | 'sdk_opt_in_required'
  | 'pending';

export type ApiKeySource =
  | 'ANTHROPIC_API_KEY'
  | 'apiKeyHelper'
  | '/login managed key'
  | 'none'
  | 'user'
  | 'project'
  | 'org'
  | 'temporary'
  | 'oauth';
