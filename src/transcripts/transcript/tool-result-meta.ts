import { isJsonObject } from '../../util/json.js';
import type { TranscriptEntry } from './entry.js';

/** Why a call was not run, in the CLI's words. Others are not told. */
const KINDS: readonly unknown[] = ['permission-rule', 'user-rejected', 'interrupted', 'cancelled'];

/** What a live message says of a call that was not run, made from what its entry says. One result only: which one is not kept. */
export function toolResultMeta(
  entry: TranscriptEntry,
): readonly { readonly id: string; readonly non_execution_kind: unknown }[] | undefined {
  const kind = entry.toolDenialKind;
  if (!KINDS.includes(kind)) return undefined;
  const content = isJsonObject(entry.message) ? entry.message.content : undefined;
  const results = (Array.isArray(content) ? content : [])
    .filter(isJsonObject)
    .filter((block) => block.type === 'tool_result');
  const id = results.length === 1 ? results[0]?.tool_use_id : undefined;
  return typeof id === 'string' ? [{ id, non_execution_kind: kind }] : undefined;
}
