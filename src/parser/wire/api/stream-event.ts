import type { APITextCitation } from './citation.js';
import type { APIContentBlock } from './content-block.js';
import type {
  APIAssistantMessage,
  APIContainer,
  APIContextManagement,
  APIInputTransformation,
  APIStopDetails,
  APIStopReason,
} from './message.js';
import type { APIDeltaUsage } from './usage.js';

export type APIContentBlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'thinking_delta'; thinking: string; estimated_tokens: number | null }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: APITextCitation }
  | { type: 'compaction_delta'; content: string | null; encrypted_content: string | null };

/** A raw event of the Messages API stream, inside a `stream_event` frame. */
export type APIStreamEvent =
  | { type: 'message_start'; message: APIAssistantMessage }
  | { type: 'content_block_start'; index: number; content_block: APIContentBlock }
  | { type: 'content_block_delta'; index: number; delta: APIContentBlockDelta }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta';
      delta: {
        stop_reason: APIStopReason | null;
        stop_sequence: string | null;
        stop_details: APIStopDetails | null;
        container: APIContainer | null;
      };
      usage: APIDeltaUsage;
      context_management: APIContextManagement | null;
      input_transformations?: APIInputTransformation[] | null;
    }
  | { type: 'message_stop' };
