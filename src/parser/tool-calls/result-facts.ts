import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { SDKUserMessage } from '../message.js';
import { blocksOf } from '../read-message.js';
import type { ResultFacts } from './call-facts.js';

/** The first release of which a run has shown the fields. */
const FIRST_WITH_FIELDS = [2, 1, 200];

/** @param block - A `tool_result` of the message: a frame, or an entry of a transcript. */
export function resultFactsOf(block: object, message: SDKUserMessage): ResultFacts {
  const { tool_use_id: id, is_error: isError, content } = block as JsonObject;
  const entry = message as JsonObject;
  const meta = metaOf(entry, id);
  const decision = isJsonObject(meta?.permission_decision) ? meta.permission_decision.decision : undefined;
  // An entry does not say which of several results it is about.
  const isOnly = blocksOf(message).filter(({ type }) => type === 'tool_result').length === 1;
  const ofEntry = isOnly || isError === true ? entry : {};
  const denialKind = [meta?.non_execution_kind, ofEntry.toolDenialKind].find((kind) => typeof kind === 'string');
  return {
    isError: isError === true,
    hasContent: content !== undefined,
    text: textOf(content),
    denialKind,
    isBeforeRun: isOnly && entry.toolDenialBeforeRun === true,
    isAfterRun: entry.toolDenialAfterRun === true,
    isRejected: decision === 'reject',
    hasFields: entry.tool_result_meta !== undefined || entry.toolDenialKind !== undefined || hasFields(entry.version),
  };
}

function metaOf({ tool_result_meta: meta }: JsonObject, id: unknown): JsonObject | undefined {
  return Array.isArray(meta) ? meta.filter(isJsonObject).find((each) => each.id === id) : undefined;
}

/** @param version - Of the CLI that wrote the entry. */
function hasFields(version: unknown): boolean {
  if (typeof version !== 'string') return false;
  const parts = version.split('.').map(Number);
  const differs = FIRST_WITH_FIELDS.findIndex((first, index) => parts[index] !== first);
  return differs === -1 || (parts[differs] ?? 0) > (FIRST_WITH_FIELDS[differs] ?? 0);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((each) => (isJsonObject(each) && typeof each.text === 'string' ? each.text : '')).join('');
}
