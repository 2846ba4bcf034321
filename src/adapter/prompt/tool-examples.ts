import { renderToolPayload } from './render-payload.js';
import type { AnyTool } from './tool.js';

/** The examples of a tool as Markdown; empty when it has none. */
export function exampleBlock({ name, examples }: AnyTool): string {
  if (examples.length === 0) return '';
  const blocks = examples.map(({ description, input, output }) => {
    const parts = [
      `- ${description.trim()}`,
      'Input:',
      fenced(asJson(input)),
      'Output:',
      fenced(renderToolPayload(output)),
    ];
    return parts.join('\n').replaceAll('\n', '\n  ');
  });
  return [`Examples of \`${name}\`:`, ...blocks].join('\n\n');
}

function asJson(input: unknown): string {
  return input === undefined ? '{}' : (JSON.stringify(input, undefined, 2) ?? '{}');
}

/** With a fence that the text does not contain. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 2) + 1);
  return `${fence}\n${text}\n${fence}`;
}
