import { isFromRelease } from '../../../../src/util/cli-versions.js';
import { type Finding, warned } from './finding.js';

/** `engines` of the package. */
export const LEAST_NODE = '20.19.0';

/** Whether this package runs on this Node. @param versions - @defaultValue those of this process */
export function nodeFindings(
  versions: Readonly<Record<string, string | undefined>> = process.versions,
): readonly Finding[] {
  const { node = '0.0.0', bun } = versions;
  // Bun says which Node it is like.
  if (bun !== undefined || isFromRelease(node, LEAST_NODE)) return [];
  const found = `Node ${node} is older than ${LEAST_NODE}, the oldest that claudewire supports.`;
  return [warned('node', process.execPath, found, 'Install a newer Node.')];
}
