import type { AnySection } from '../../../src/adapter/prompt/index.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection, type MarkdownSectionConfig } from '../../../src/adapter/prompt/section.js';
import { Tool, type ToolConfig } from '../../../src/adapter/prompt/tool.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';

/** A section whose title is its key. */
export function section<P = undefined>(
  key: string,
  config: Partial<MarkdownSectionConfig<P>> = {},
): MarkdownSection<P> {
  return new MarkdownSection<P>({ title: key, key, template: '', ...config });
}

export function promptOf(...sections: readonly AnySection[]): Prompt<null> {
  return new Prompt({ ns: 'test', key: 'prompt', sections });
}

export function tool(name: string, config: Partial<ToolConfig<undefined, unknown>> = {}): Tool {
  return new Tool({ name, description: 'For a test.', handler: () => ToolResult.ok('done'), ...config });
}
