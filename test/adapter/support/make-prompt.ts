import type { AnyTool } from '../../../src/adapter/prompt/index.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import type { TelemetryEvent } from '../../../src/adapter/state/events.js';
import type { Session } from '../../../src/adapter/state/session.js';

/** The text of {@link askPrompt}. */
export const ASKED = '## 1. Task (task)\n\nWhat is 2 + 2?';

/** A prompt of one section, without an output. */
export function askPrompt(
  over: {
    readonly name?: string;
    readonly key?: string;
    readonly template?: string;
    readonly tools?: readonly AnyTool[];
  } = {},
): Prompt<null> {
  return new Prompt({
    ns: 'test',
    key: over.key ?? 'sum',
    ...(over.name !== undefined && { name: over.name }),
    sections: [
      new MarkdownSection({
        title: 'Task',
        key: 'task',
        template: over.template ?? 'What is 2 + 2?',
        tools: over.tools ?? [],
      }),
    ],
  });
}

/** Adds two numbers. */
export const addTool: AnyTool = new Tool<{ a: number; b: number }, { sum: number }>({
  name: 'add',
  description: 'Adds two numbers.',
  params: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  handler: ({ a, b }) => new ToolResult({ message: 'Added.', value: { sum: a + b } }),
}) as unknown as AnyTool;

/** What was published on the session's bus, in order. */
export const eventsOf = (session: Session): readonly TelemetryEvent[] => session.events() as readonly TelemetryEvent[];

export const typesOf = (session: Session): readonly string[] => eventsOf(session).map(({ type }) => type);
