/** Tools of MCP servers, and the resources of those servers. */

/** As the tool's own schema says. */
export type McpInput = {
  [argument: string]: unknown;
};

export type McpOutput =
  | string
  | { type: string; [key: string]: unknown }[]
  | { [key: string]: unknown };

export type ListMcpResourcesInput = {
  /** @defaultValue all servers */
  server?: string;
};

type McpResource = {
  uri: string;
  name: string;
  mimeType?: string;
};

export type ListMcpResourcesOutput = (McpResource & { description?: string; server: string })[];

export type ReadMcpResourceInput = {
  server: string;
  uri: string;
};

export type ReadMcpResourceOutput = {
  contents: {
    uri: string;
    mimeType?: string;
    text?: string;
    /** The file that binary content was written to. */
    blobSavedTo?: string;
  }[];
  error?: string;
};

export type ReadMcpResourceDirInput = {
  server: string;
  uri: string;
};

export type ReadMcpResourceDirOutput = {
  resources: McpResource[];
  error?: string;
};

export type RefreshMcpToolsInput = {
  /** @defaultValue all servers */
  server?: string;
};

export type RefreshMcpToolsOutput = {
  server: string;
  /** After an `error` the tools are what they were. */
  status: 'refreshed' | 'error' | 'not_connected';
  toolCount?: number;
  added?: string[];
  removed?: string[];
  error?: string;
}[];
