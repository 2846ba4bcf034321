/** Hints for whoever shows a content block. */
export interface ContentAnnotations {
  audience?: ('user' | 'assistant')[] | undefined;
  /** From 0 to 1. */
  priority?: number | undefined;
  /** ISO 8601. */
  lastModified?: string | undefined;
}

interface BaseContent {
  annotations?: ContentAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
}

export interface TextContent extends BaseContent {
  type: 'text';
  text: string;
}

export interface ImageContent extends BaseContent {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface AudioContent extends BaseContent {
  type: 'audio';
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ResourceLink extends BaseContent {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** Bytes. */
  size?: number | undefined;
  icons?:
    | { src: string; mimeType?: string | undefined; sizes?: string[] | undefined }[]
    | undefined;
}

export interface EmbeddedResource extends BaseContent {
  type: 'resource';
  resource: {
    uri: string;
    mimeType?: string | undefined;
    _meta?: Record<string, unknown> | undefined;
  } & ({ text: string } | { blob: string });
}

export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource;

/** What a tool's handler returns. The MCP SDK's type of this name fits, and the other way round. */
export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: Record<string, unknown> | undefined;
  /** The model sees the content as an error and can react to it. @defaultValue false */
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
  [key: string]: unknown;
}

/** The result that tells the model about a failure, so that it can correct itself. */
export function errorResult(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
