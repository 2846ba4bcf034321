import type { Attributes } from '@opentelemetry/api';
import { safeName } from '../content.js';
import { ATTR, OWN } from '../conventions.js';

export function idAttributes(toolUseId: string | undefined, requestId: string | undefined): Attributes {
  return {
    ...(toolUseId === undefined ? {} : { [ATTR.TOOL_CALL_ID]: safeName(toolUseId) }),
    ...(requestId === undefined ? {} : { [OWN.REQUEST_ID]: safeName(requestId) }),
  };
}
