import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../../util/json.js';
import type {
  AgentEvent,
  AgentEventMetadata,
  AgentEventOf,
  AgentEventType,
} from './agent-event.js';

/** A session id for as long as the agent has not said its own. */
export function generateSessionId(): string {
  return randomUUID();
}

/**
 * Makes an event, for adapters of your own.
 *
 * @param sessionId - @defaultValue a generated one
 */
export function createEvent<Type extends AgentEventType>(
  type: Type,
  agent: string,
  payload: AgentEventOf<Type>['payload'],
  sessionId: string = generateSessionId(),
  metadata?: AgentEventMetadata,
): AgentEventOf<Type> {
  const event = {
    type,
    agent,
    timestamp: Date.now(),
    sessionId,
    ...(metadata === undefined ? {} : { metadata }),
    payload,
  };
  // The parameters pair the type with its payload; the compiler does not follow that through a generic.
  return event as unknown as AgentEventOf<Type>;
}

/** True for anything with the fields that every event has. The payload's own fields are not looked at. */
export function isAgentEvent(value: unknown): value is AgentEvent {
  return (
    isJsonObject(value) &&
    typeof value.type === 'string' &&
    value.type !== '' &&
    typeof value.agent === 'string' &&
    Number.isFinite(value.timestamp) &&
    typeof value.sessionId === 'string' &&
    isJsonObject(value.payload)
  );
}
