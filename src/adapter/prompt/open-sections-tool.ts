import { VisibilityExpansionRequired } from '../errors/prompt-errors.js';
import type { AnyTool, VisibilityOverrideMap } from './prompt-types.js';
import { Tool } from './tool.js';
import { ToolResult } from './tool-result.js';

/** Name of the tool with which the model asks for summarised sections. */
export const OPEN_SECTIONS = 'open_sections';

interface OpenSectionsState {
  /** Dotted paths of the sections that are summarised now and can be opened. */
  readonly summarised: readonly string[];
  /** Dotted paths of all sections. */
  readonly all: readonly string[];
  /** The overrides of this rendering: open sections stay open. */
  readonly overrides: VisibilityOverrideMap;
}

/**
 * The tool with which the model opens summarised sections. Its handler throws {@link VisibilityExpansionRequired}. For
 * an unknown key, or one that is open already, the model gets an error and the evaluation continues.
 */
export function openSectionsTool({ summarised, all, overrides }: OpenSectionsState): AnyTool {
  return new Tool<{ readonly sectionKeys: readonly string[]; readonly reason: string }>({
    name: OPEN_SECTIONS,
    description: 'Opens summarized sections of the prompt, so that they can be read in full.',
    params: {
      type: 'object',
      properties: {
        sectionKeys: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          description: `Keys of the sections to open. Summarized are: ${summarised.join(', ')}`,
        },
        reason: { type: 'string', description: 'Why they are needed.' },
      },
      required: ['sectionKeys', 'reason'],
    },
    handler: ({ sectionKeys, reason }) => {
      const keys = [...new Set(sectionKeys)];
      const wrong = keys.filter((key) => !summarised.includes(key));
      if (wrong.length > 0) return ToolResult.failed(refusal(wrong, all, summarised));
      const opened = keys.map((key) => [key, 'full'] as const);
      throw new VisibilityExpansionRequired({ ...overrides, ...Object.fromEntries(opened) }, reason, keys);
    },
  });
}

function refusal(wrong: readonly string[], all: readonly string[], summarised: readonly string[]): string {
  const faults = wrong.map((key) =>
    all.includes(key)
      ? `"${key}" cannot be opened: it is open already, stays summarized, or is not part of this prompt now`
      : `"${key}" is not a section`,
  );
  return `${faults.join('; ')}. Sections that can be opened: ${summarised.join(', ')}`;
}
