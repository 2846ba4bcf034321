import {
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  isClaudeSDKError,
  type McpSdkServerConfigWithInstance,
  type Options,
  type Outcome,
  outcomeOf,
  type Query,
  query,
  type SDKMessage,
  tool,
} from 'claudewire';
import { type DemoEvent, type DemoListener, MessageEvents } from './demo-events.js';

/** What every session of the demo needs. */
export interface DemoHost {
  /** Folder with `player.mjs` and `demo/`. */
  readonly assets: string;
  /** Ends the session when it aborts. */
  readonly abortController: AbortController;
  readonly emit: DemoListener;
}

export interface DemoRun extends DemoHost {
  readonly prompt: string;
  /** Where the session runs. Everything else is the same for scripted and live sessions. */
  readonly options: Pick<
    Options,
    'pathToClaudeCodeExecutable' | 'spawnClaudeCodeProcess' | 'maxTurns' | 'idleTimeoutMs'
  >;
  /** Interrupts the turn after so many pieces of text. */
  readonly interruptAfterDeltas?: number | undefined;
}

/**
 * One session through the public API: streamed text, permission questions, a hook, an in-process tool. Never rejects
 * for what the session does: failures become events, and the outcome says which. Resolves when the CLI is gone.
 */
export async function runDemo(run: DemoRun): Promise<Outcome> {
  const startedAt = performance.now();
  const messages: SDKMessage[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    await show(run, messages);
  } catch (error) {
    failure = { error };
    // A stop that the user asked for is an outcome, not an error.
    if (!run.abortController.signal.aborted) run.emit(errorEvent(error));
  }
  const outcome = failure === undefined ? outcomeOf(messages) : outcomeOf(messages, failure.error);
  run.emit(summaryEvent(outcome, messages, performance.now() - startedAt));
  return outcome;
}

async function show(run: DemoRun, messages: SDKMessage[]): Promise<void> {
  const { emit } = run;
  const session = query({
    prompt: run.prompt,
    options: {
      ...run.options,
      abortController: run.abortController,
      includePartialMessages: true,
      canUseTool: permissionPolicy(emit),
      hooks: { PreToolUse: [{ hooks: [watchingHook(emit)] }] },
      mcpServers: { demo: demoServer(emit) },
      stderr: (text) => emit({ type: 'stderr', text }),
    },
  });
  try {
    await showMessages(session, run, messages);
  } finally {
    await session[Symbol.asyncDispose]();
  }
}

async function showMessages(session: Query, run: DemoRun, messages: SDKMessage[]): Promise<void> {
  const events = new MessageEvents();
  let deltas = 0;
  for await (const message of session) {
    // Deltas say nothing about the outcome, and a long answer has thousands.
    if (message.type !== 'stream_event') messages.push(message);
    for (const event of events.of(message)) {
      run.emit(event);
      if (event.type !== 'text') continue;
      deltas += 1;
      if (deltas === run.interruptAfterDeltas) {
        run.emit({ type: 'interrupt' });
        await session.interrupt();
      }
    }
  }
}

function errorEvent(error: unknown): DemoEvent {
  if (!(error instanceof Error)) return { type: 'error', name: 'Error', message: String(error) };
  const { name, message } = error;
  if (!isClaudeSDKError(error)) return { type: 'error', name, message };
  const { errorClass, hint } = error;
  return { type: 'error', name, errorClass, message, ...(hint === undefined ? {} : { hint }) };
}

function summaryEvent(outcome: Outcome, messages: readonly SDKMessage[], durationMs: number): DemoEvent {
  const result = messages.findLast((message) => message.type === 'result');
  return {
    type: 'summary',
    outcome: outcome.kind,
    message: outcome.message,
    turns: result?.num_turns ?? 0,
    // A scripted CLI may send a result with less than the real one does.
    inputTokens: result?.usage?.input_tokens ?? 0,
    outputTokens: result?.usage?.output_tokens ?? 0,
    costUsd: result?.total_cost_usd ?? 0,
    durationMs: Math.round(durationMs),
  };
}

export const LINES_PER_PAGE = 40;
/** The reason that the model gets for everything that is refused. */
export const DENIED = 'The demo allows only commands that read.';
/** One command of a few that only read, with plain words behind it: no operators, no quotes, no substitution. */
const READ_ONLY_COMMAND = /^(cat|date|echo|head|ls|pwd|tail|wc)( [\w./-]+)*$/;

const OWN_TOOL = 'mcp__demo__pages';

/*
 * A callback runs as soon as the CLI asks, while messages that came before may still wait for the loop
 * that shows them. Each callback lets that loop go first (`messagesBefore`), so that the order on the screen is the CLI's.
 */

/** An MCP server in this process, with one tool. */
function demoServer(emit: DemoListener): McpSdkServerConfigWithInstance {
  const pages = tool(
    'pages',
    `How many pages a number of lines fills, at ${LINES_PER_PAGE} lines a page`,
    { type: 'object', properties: { lines: { type: 'number', minimum: 0 } }, required: ['lines'] },
    async ({ lines }) => {
      const text = `${Number(lines) / LINES_PER_PAGE} pages`;
      emit({ type: 'in_process_tool', name: 'pages', result: text });
      return { content: [{ type: 'text', text }] };
    },
    { annotations: { readOnlyHint: true }, alwaysLoad: true },
  );
  return createSdkMcpServer({ name: 'demo', version: '1.0.0', tools: [pages] });
}

/** Allows the demo's own tool and commands that only read, in every session; refuses everything else. */
function permissionPolicy(emit: DemoListener): CanUseTool {
  return async (toolName, input) => {
    const allowed = reasonToAllow(toolName, input);
    const reason = allowed ?? DENIED;
    const decision = allowed === undefined ? 'deny' : 'allow';
    emit({ type: 'permission', tool: toolName, input, decision, reason });
    return decision === 'allow' ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: reason };
  };
}

function reasonToAllow(toolName: string, input: Record<string, unknown>): string | undefined {
  if (toolName === OWN_TOOL) return 'it is the demo’s own';
  const command = toolName === 'Bash' ? input.command : undefined;
  return typeof command === 'string' && READ_ONLY_COMMAND.test(command) ? 'the command only reads' : undefined;
}

/** Watches every tool call, and has no opinion. */
function watchingHook(emit: DemoListener): HookCallback {
  return async (input) => {
    if (input.hook_event_name === 'PreToolUse') {
      emit({ type: 'hook', event: input.hook_event_name, tool: String(input.tool_name) });
    }
    return {};
  };
}
