import type { AnyTool } from '../../../src/adapter/prompt/index.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import type { TypeSpec } from '../../../src/adapter/schema/type-spec.js';

/** One section that says "Go.", with tools, and with an output when one is given. */
export function promptWith(tools: readonly unknown[] = [], output?: TypeSpec<unknown>): Prompt<unknown> {
  const section = new MarkdownSection({
    title: 'Task',
    key: 'task',
    template: 'Go.',
    // Tools of whatever parameters.
    tools: tools as readonly AnyTool[],
  });
  return new Prompt({ ns: 'test', key: 'process', sections: [section], output });
}
