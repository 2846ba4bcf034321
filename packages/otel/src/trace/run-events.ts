import type { QueryContext } from 'claudewire';
import { safeName } from '../content.js';
import { ATTR, OWN } from '../conventions.js';
import type { Listeners } from '../listen.js';
import { idAttributes } from './ids.js';
import type { RunSpans } from './run-spans.js';

/** What is a moment, and becomes an event or an attribute of a span that there is. */
export function eventListeners(
  spansOf: (query: QueryContext) => RunSpans | undefined,
): Pick<Listeners, 'permission' | 'question' | 'control' | 'process'> {
  return {
    permission: {
      end: (permission) => {
        const { query, tool, toolName, toolUseId, requestId, decision, error } = permission;
        const attributes = {
          [ATTR.TOOL_NAME]: safeName(toolName),
          ...idAttributes(toolUseId, requestId),
          [OWN.DECISION]: decision ?? error?.kind ?? 'none',
        };
        spansOf(query)?.event('claudewire.permission', permission, attributes, tool);
      },
    },
    question: {
      end: (question) => {
        const { query, tool, kind, answer, toolUseId, requestId, error } = question;
        const attributes = {
          [OWN.QUESTION_KIND]: safeName(kind),
          ...idAttributes(toolUseId, requestId),
          [OWN.DECISION]: safeName(answer ?? error?.kind ?? 'none'),
        };
        spansOf(query)?.event('claudewire.question', question, attributes, tool);
      },
    },
    control: {
      end: (control) => {
        const { query, requestId, subtype, from, error } = control;
        if (error === undefined) return;
        spansOf(query)?.event('claudewire.control_request.failed', control, {
          [OWN.REQUEST_ID]: safeName(requestId),
          [OWN.REQUEST_SUBTYPE]: safeName(subtype),
          [OWN.REQUEST_FROM]: from,
          'error.type': error.kind,
        });
      },
    },
    process: {
      end: ({ query, pid, exit }) =>
        spansOf(query)?.root.setAttributes({
          ...(pid === undefined ? {} : { [OWN.PID]: pid }),
          ...(typeof exit?.exitCode === 'number' ? { [OWN.EXIT_CODE]: exit.exitCode } : {}),
        }),
    },
  };
}
