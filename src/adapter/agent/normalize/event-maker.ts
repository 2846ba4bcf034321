import type { JsonObject } from '../../../util/json.js';
import type { Clock } from '../../limits/clock.js';
import type {
  AgentEvent,
  AgentEventMetadata,
  AgentEventOf,
  AgentEventType,
} from '../agent-event.js';
import { textField } from './fields.js';

/** Makes the events of one run: its agent, its clock, and the session id as far as it is known. */
export class EventMaker {
  readonly #agent: string;
  readonly #clock: Pick<Clock, 'now'>;
  sessionId: string;

  constructor(agent: string, clock: Pick<Clock, 'now'>, sessionId: string) {
    this.#agent = agent;
    this.#clock = clock;
    this.sessionId = sessionId;
  }

  /** @param message - what the event was read from; a sub-agent's says so */
  event<Type extends AgentEventType>(
    type: Type,
    payload: AgentEventOf<Type>['payload'],
    message: JsonObject = {},
  ): AgentEvent {
    const metadata = metadataOf(message);
    const event = {
      type,
      agent: this.#agent,
      timestamp: this.#clock.now(),
      sessionId: this.sessionId,
      ...(metadata === undefined ? {} : { metadata }),
      payload,
    };
    // The parameters pair the type with its payload; the compiler does not follow that through a generic.
    return event as unknown as AgentEvent;
  }

  /** A message, or a block of one, that has no event of its own. */
  raw(name: string, payload: JsonObject, message: JsonObject = payload): AgentEvent {
    return this.event(`${this.#agent}:${name}`, payload, message);
  }
}

function metadataOf(message: JsonObject): AgentEventMetadata | undefined {
  // On a heartbeat it is the id of the running call itself.
  if (message.type === 'tool_progress') return undefined;
  const parentToolUseId = textField(message, 'parent_tool_use_id', 'parentToolUseId');
  return parentToolUseId === undefined ? undefined : { parentToolUseId };
}
