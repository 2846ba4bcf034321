import {
  createPromptExecuted,
  createPromptRendered,
  createToolInvoked,
  type PromptExecuted,
  type PromptRendered,
  type ToolInvoked,
} from '../../../src/adapter/state/events.js';
import type { Session } from '../../../src/adapter/state/session.js';

const common = (session: Session) => ({ adapter: 'claude_agent_sdk', sessionId: session.sessionId });

export function promptRendered(session: Session): PromptRendered {
  return createPromptRendered({
    ...common(session),
    promptNs: 'test',
    promptKey: 'hello',
    promptName: null,
    renderedPrompt: '## 1. Hello',
    renderInputs: [],
    tools: [],
  });
}

export function toolInvoked(
  session: Session,
  fields: Partial<Parameters<typeof createToolInvoked>[0]> = {},
): ToolInvoked {
  return createToolInvoked({
    ...common(session),
    promptName: 'hello',
    name: 'look_up',
    params: {},
    result: {},
    success: true,
    renderedOutput: 'found',
    source: 'bridge',
    ...fields,
  });
}

export function promptExecuted(
  session: Session,
  fields: Partial<Parameters<typeof createPromptExecuted>[0]> = {},
): PromptExecuted {
  const output = fields.output ?? null;
  return createPromptExecuted({
    ...common(session),
    promptName: 'hello',
    promptNs: 'test',
    promptKey: 'hello',
    // Nobody here looks into it.
    result: {} as PromptExecuted['result'],
    text: null,
    usage: {},
    durationMs: 1,
    ...fields,
    output,
  });
}
