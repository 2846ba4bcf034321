import { stringField } from '../../util/json.js';
import type { Session } from '../state/index.js';
import { FileModified, ModifiedFiles } from '../state/index.js';
import type { ToolCall } from './hook-input.js';

const PATH_FIELDS: ReadonlyMap<string, string> = new Map([
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
]);

/** Notes the file that a successful call wrote. */
export function recordModifiedFile({ toolName, toolInput }: ToolCall, session: Session): void {
  const field = PATH_FIELDS.get(toolName);
  const path = field === undefined ? undefined : stringField(toolInput, field);
  if (path === undefined) return;
  session.mutate(ModifiedFiles).dispatch(FileModified, { path, tool: toolName });
}
