/** The prompt toolkit: prompts, sections and tools. All of it is public. */

export { OPEN_SECTIONS } from './open-sections-tool.js';
export { defineParams, type ParamsToken } from './params.js';
export * from './prompt.js';
export type {
  AnySection,
  AnyTool,
  EvaluatingAdapter,
  OutputContainer,
  RenderedPrompt,
  RenderedSection,
  RenderOptions,
  SectionContext,
  ToolContext,
  ToolExample,
  ToolHandler,
  Visibility,
  VisibilityOverrideMap,
} from './prompt-types.js';
export { MarkdownSection, type MarkdownSectionConfig, Section, type SectionConfig } from './section.js';
export { Tool, type ToolConfig } from './tool.js';
export { renderToolPayload, ToolResult, type ToolResultFields } from './tool-result.js';
