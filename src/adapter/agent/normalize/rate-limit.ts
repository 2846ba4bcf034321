import type { JsonObject } from '../../../util/json.js';
import type { ErrorEvent } from '../agent-event.js';
import { objectField, textField } from './fields.js';

/** The error in a `rate_limit_event`; `undefined` while calls still go through. */
export function rateLimitError(message: JsonObject): ErrorEvent['payload'] | undefined {
  const info = objectField(message, 'rate_limit_info', 'rateLimitInfo');
  if (info.status !== 'rejected') return undefined;
  const kind = textField(info, 'rateLimitType', 'rate_limit_type');
  return {
    code: 'rate_limit',
    message: `The usage limit is reached${kind === undefined ? '' : `: ${kind}`}`,
    recoverable: true,
  };
}
