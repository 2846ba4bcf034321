import type { AnySdkMcpToolDefinition } from './tool.js';

/** What `createSdkMcpServer` was told. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  /** `undefined`: the server has no tools capability. */
  readonly tools: readonly AnySdkMcpToolDefinition[] | undefined;
}
