import type { Callbacks, ControlPolicy } from '../../control/controller-options.js';
import type { McpEndpointFactory } from '../../control/mcp-endpoint.js';
import type { DiagnosticListener } from '../../diagnostics.js';
import type { McpSdkServerConfigWithInstance } from '../../mcp/mcp-server-config.js';
import type { SessionStore, SessionStoreFlush } from '../../transcripts/store/session-store.js';
import type { CommandRequest } from '../../transport/command.js';
import type { SpawnClaudeCodeProcess } from '../../transport/custom-spawn.js';
import type { TransportLike } from '../../transport/pull-adapter.js';
import type { ExitLadder } from '../../transport/transport.js';
import type { JsonObject } from '../../util/json.js';
import type { Warning } from '../../util/warn-once.js';
import type { Logger } from '../options/process-options.js';
import type { NamedUse } from '../releases/feature.js';

/**
 * Everything that crosses the process boundary, as data. Made by `planLaunch` without any I/O, carried out by
 * `executePlan`. The whole option surface is one table test over this type.
 */
export interface LaunchPlan {
  readonly command: CommandRequest;
  /** After the executable and its own arguments. A private file's place holds its `placeholder`. */
  readonly args: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** `undefined`: the host's. */
  readonly cwd: string | undefined;
  /** Whether the CLI leads a process group of its own. */
  readonly ownProcessGroup: boolean;
  /** Files to be written with mode 0600 before the spawn and removed at the latest when the child ends. */
  readonly files: readonly PrivateFile[];
  /** What the release of the CLI has to honour. */
  readonly reliance: Reliance;
  /** Fields of the `initialize` request, without `subtype`, in wire order. */
  readonly initialize: JsonObject;
  readonly callbacks: Callbacks;
  readonly policy: LaunchPolicy;
  /** Process warnings for the executor to emit. */
  readonly warnings: readonly Warning[];
  /** `undefined`: the transcript stays with the CLI. */
  readonly sessionStore: SessionStorePlan | undefined;
  readonly means: LaunchMeans;
}

export interface Reliance {
  /** The release, as the caller told it; `newest`: whatever there is. `undefined`: it is found out. */
  readonly release: string | undefined;
  /** What neither a flag nor a field of `initialize` shows. */
  readonly named: readonly NamedUse[];
  /** The caller's rules that deny, wherever they are but in files. */
  readonly denied: readonly string[];
  /** Those that ask. */
  readonly asked: readonly string[];
  /** Those that allow. */
  readonly allowed: readonly string[];
  /** Where settings come from. */
  readonly settings: SettingsGiven;
  /** Whether the executable may be asked for its release, where nothing beside it tells. */
  readonly mayAsk: boolean;
}

export interface SettingsGiven {
  /** In the option or a flag. Empty when there are none, or only a file. */
  readonly inline: JsonObject;
  /** The path in their place. `undefined`: there is none. */
  readonly file: string | undefined;
  /** The files that count. `undefined`: all. */
  readonly sources: readonly string[] | undefined;
}

/** What of a plan depends on the session that is resumed from a store. */
export type SessionLaunch = Pick<LaunchPlan, 'args' | 'files' | 'env'>;

/** Where the transcript goes, and where it may come from. */
export interface SessionStorePlan {
  readonly store: SessionStore;
  readonly flush: SessionStoreFlush;
  /** What is to be loaded before the start; `undefined`: nothing, and the plan does not change. */
  readonly load: SessionLoadPlan | undefined;
}

export interface SessionLoadPlan {
  /** A UUID. `undefined`: the newest one. */
  readonly sessionId: string | undefined;
  /** For each call to the store. Milliseconds; `Infinity`: no limit. */
  readonly timeoutMs: number;
  /** The launch with a session that was found and the folder it was written to, or with none. Pure. */
  launchWith(found: { readonly sessionId: string; readonly configFolder: string } | undefined): SessionLaunch;
}

/** The application's own objects among the options, each read once: what is called, not what is sent. */
interface LaunchMeans {
  readonly transport: TransportLike | undefined;
  readonly spawnClaudeCodeProcess: SpawnClaudeCodeProcess | undefined;
  readonly stderr: ((text: string) => void) | undefined;
  readonly abortSignal: AbortSignal | undefined;
  readonly onDiagnostic: DiagnosticListener | undefined;
  readonly logger: Logger | undefined;
  /** What a clean exit without any result is. */
  readonly incompleteStream: 'end' | 'throw';
}

export interface PrivateFile {
  /** Index into `args` of the token that becomes the file's path. */
  readonly argIndex: number;
  readonly content: string;
  /** Suffix of the file name, such as `mcp-config.json`. */
  readonly name: string;
}

/** The only thing in which `query()` and `ClaudeClient` differ: both run the same session. */
export interface LaunchPolicy
  extends Pick<ControlPolicy, 'closeRule' | 'answerAfterCancel' | 'fillDenyMessage' | 'quietCapMs'> {
  /** False: user messages wait for a good answer to `initialize` (TS-085, TS-087). */
  readonly pipelinePrompt: boolean;
  /** What the answer to `initialize` must confirm before a message is written. */
  readonly initializeMustConfirm: readonly ('hookOnFailure' | 'hooksApplied' | 'mcpServers')[];
  /** What an error answer to `initialize` does: `query()` goes on (TS-112), `ClaudeClient.connect()` rejects (PY-110). */
  readonly onInitializeError: 'ignore' | 'fail';
  /** What `deadlineMs` counts from: a process that waits for its prompt has not begun its run. */
  readonly deadlineFrom: 'start' | 'prompt';
  /** For `close()`, `break`, abort and `disconnect()`. Milliseconds after stdin ended. */
  readonly exitLadder: ExitLadder;
  /** Appends `client_composed: true` to every user frame. */
  readonly verbatimPrompts: boolean;
  readonly limits: Limits;
}

/** Milliseconds and bytes. `Infinity`: no limit. */
export interface Limits {
  readonly maxBufferBytes: number;
  readonly maxQueuedBytes: number;
  readonly maxSpooledBytes: number;
  readonly initializeTimeoutMs: number;
  /** `undefined`: each request has its own default. */
  readonly controlTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number;
  readonly deadlineMs: number;
  readonly exitGraceMs: number;
}

/** What `planLaunch` must know and cannot find out by itself, being pure. */
export interface LaunchHost {
  /** The host's environment. Read, never changed. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.platform`: on Windows the names of variables ignore case. */
  readonly platform: NodeJS.Platform;
  /** This package's version. */
  readonly sdkVersion: string;
  /**
   * Who plans: `query()`, `ClaudeClient`, or `startup()` and `prewarm()` (`warm`). Decides the policy, and whether the
   * CLI is to report its start-up marks.
   */
  readonly front: 'query' | 'client' | 'warm';
  /**
   * The caller checks by itself whether the CLI confirms hooks with `onFailure`, before its first message.
   * @defaultValue `false`: one that does not ends the run
   */
  readonly checksOnFailure?: boolean | undefined;
  /** The caller looks at each text and the release by itself, where `verbatimPrompts` matters. @defaultValue `false` */
  readonly checksVerbatim?: boolean | undefined;
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

/** A configuration that is one token of the command line: as its text, or as the path of a private file with that text. */
export interface ConfigArgument {
  readonly text: string;
  /** True when the text may hold secrets: process lists are public, files of mode 0600 are not. */
  readonly isPrivate: boolean;
  /** Suffix of the private file's name. */
  readonly fileName: string;
}
