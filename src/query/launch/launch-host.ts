import type { McpEndpointFactory } from '../../control/mcp-endpoint.js';
import type { McpSdkServerConfigWithInstance } from '../../mcp/mcp-server-config.js';

/** What `planLaunch` must know and cannot find out by itself, being pure. */
export interface LaunchHost {
  /** The host's environment. Read, never changed. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.platform`: on Windows the names of variables ignore case. */
  readonly platform: NodeJS.Platform;
  /** This package's version. */
  readonly sdkVersion: string;
  /**
   * Who plans: `query()`, `ClaudeClient`, or `startup()` and `prewarm()` (`warm`). Decides the policy, and whether
   * the CLI is to report its start-up marks.
   */
  readonly front: 'query' | 'client' | 'warm';
  /** What the run begins with. `none`: messages come later. */
  readonly prompt: 'string' | 'stream' | 'none';
  /** W3C trace context of the active span, when there is one. */
  readonly traceContext?: TraceContext | undefined;
  /** Prepares an in-process MCP server: `createMcpEndpointFactory` of `src/mcp`. */
  readonly createMcpEndpointFactory: (config: McpSdkServerConfigWithInstance) => McpEndpointFactory;
}

/** Header values as OpenTelemetry's propagator makes them. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}
