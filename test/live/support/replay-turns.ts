import type { RecordingLine } from '../../../src/testing/conversion/recording.js';
import type { ContentBlock, ScriptedTurn, Turn } from '../../../src/testing/messages-api/turn.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import type { Replayed } from './replayed-recordings.js';

/** The turns that the model had, read off what the CLI wrote of them and off the log of the API. */
export function modelTurns(lines: readonly RecordingLine[], { turns = {} }: Replayed): readonly Turn[] {
  const requests = lines
    .map(({ data }) => data)
    .filter(isJsonObject)
    .filter(isModelCall);
  const count = Math.max(requests.length, ...Object.keys(turns).map(Number));
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    return turns[number] ?? turnOf(requests[index] ?? {}, blocksOf(lines, number));
  });
}

/** Whether a line of the log asks the model, not for a count of tokens. */
export const isModelCall = ({ event, path }: JsonObject): boolean => event === 'api_request' && path === '/v1/messages';

function turnOf({ status, hang }: JsonObject, blocks: readonly ContentBlock[]): ScriptedTurn {
  if (hang === true) return { hang: true };
  if (typeof status === 'number' && status !== 200) return { error: { status } };
  return { blocks };
}

/** The blocks of one message; the CLI writes each in a frame of its own. */
function blocksOf(lines: readonly RecordingLine[], number: number): readonly ContentBlock[] {
  const id = `msg_fake_${String(number).padStart(4, '0')}`;
  return lines.flatMap(({ dir, data }) => {
    if (dir !== 'out' || !isJsonObject(data) || data.type !== 'assistant') return [];
    const message = isJsonObject(data.message) ? data.message : {};
    // The blocks of an assistant message are those of the API, but for input that it could not parse.
    return message.id === id ? (message.content as ContentBlock[]).map(asSent) : [];
  });
}

function asSent(block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_use') return block;
  const { __unparsedToolInput: unparsed } = block.input;
  return isJsonObject(unparsed) ? { ...block, rawInput: String(unparsed.raw) } : block;
}
