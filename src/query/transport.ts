import type { SDKMessage } from '../parser/message.js';
import type { SDKActiveGoalMessage } from '../parser/wire/event.js';
import type { TransportLike } from '../transport/pull-adapter.js';
import type { SDKControlRequest, SDKControlResponse } from './control-frames.js';

/** Everything that a CLI writes. */
type StdoutMessage =
  | SDKMessage
  | SDKActiveGoalMessage
  | SDKControlResponse
  | SDKControlRequest
  | { type: 'control_cancel_request'; request_id: string }
  | { type: 'keep_alive' };

/** A {@link TransportLike} as the official SDK types it. The option `transport` takes simpler ones. */
export interface Transport extends TransportLike {
  readMessages(): AsyncGenerator<StdoutMessage, void, unknown>;
  endInput(): void;
  close(): void;
}
