import type { RequestKind } from './request-info.js';
import type { TurnSource } from './turn-queue.js';

/** What happens at the API, as it happens. Small: the requests themselves are in `requests`. */
export type MessagesApiEvent =
  /** An answer was chosen and is about to be sent. */
  | {
      readonly event: 'api_request';
      readonly number: number;
      readonly route: 'messages';
      readonly kind: RequestKind;
      readonly source: TurnSource;
      readonly model: string | undefined;
      readonly stream: boolean;
      /** `null`: the turn hangs. */
      readonly status: number | null;
    }
  | {
      readonly event: 'api_request';
      readonly number: number;
      readonly route: 'count_tokens' | 'probe';
      readonly status: number;
    }
  /** Answered with 404. */
  | {
      readonly event: 'api_unknown_route';
      readonly number: number;
      readonly method: string;
      readonly path: string;
    }
  /** The client closed the connection before it had the whole answer. */
  | { readonly event: 'api_client_closed'; readonly number: number }
  /** A function of the script threw, or a limit was passed; answered with an error. */
  | { readonly event: 'api_script_error'; readonly number: number; readonly message: string };
