import { type Attributes, SpanKind, type Tracer } from '@opentelemetry/api';
import type {
  AgentContext,
  ChatContext,
  HookContext,
  McpContext,
  QueryContext,
  ToolContext,
  TurnContext,
} from 'claudewire';
import { contentText, safeName } from '../content.js';
import { ATTR, OWN } from '../conventions.js';
import { TurnUsage } from '../ledger/turn-usage.js';
import type { Listeners } from '../listen.js';
import type { CheckedOptions } from '../options.js';
import { AgentUsage } from './agent-usage.js';
import { cliHasInnerSpans } from './cli-spans.js';
import { idAttributes } from './ids.js';
import { eventListeners } from './run-events.js';
import { RunSpans } from './run-spans.js';
import { traceparentOf } from './traceparent.js';
import { figuresAttributes, runUsage, tokensOf, usageAttributes } from './usage.js';

interface RunUsage {
  readonly turns: TurnUsage;
  readonly agents: AgentUsage;
  /** Sub-agents whose costs are not known yet. */
  readonly waiting: Set<AgentContext>;
}

/** Makes the spans of runs. Each run has its own, so that none is shared. */
export class RunTracing {
  readonly #tracer: Tracer;
  readonly #options: CheckedOptions;
  readonly #runs = new Map<QueryContext, RunSpans>();
  readonly #usages = new WeakMap<QueryContext, RunUsage>();

  constructor(tracer: Tracer, options: CheckedOptions) {
    this.#tracer = tracer;
    this.#options = options;
  }

  /** Ends the spans of runs that go on. @param onError - Gets what the tracer throws; must not throw. */
  close(onError: (error: unknown) => void): void {
    const runs = [...this.#runs.values()];
    this.#runs.clear();
    for (const run of runs) {
      try {
        run.close({ 'error.type': 'unfinished' });
      } catch (error) {
        onError(error);
      }
    }
  }

  readonly listeners: Listeners = {
    query: { start: (query) => this.#startRun(query), end: (query) => this.#endRun(query) },
    turn: { start: (turn) => this.#startTurn(turn), end: (turn) => this.#endTurn(turn) },
    agent: { start: (agent) => this.#startAgent(agent), end: (agent) => this.#endAgent(agent) },
    chat: { start: (chat) => this.#startChat(chat), end: (chat) => this.#endChat(chat) },
    tool: { start: (tool) => this.#startTool(tool), end: (tool) => this.#endTool(tool) },
    hook: { start: (hook) => this.#startHook(hook), end: (hook) => this.#endHook(hook) },
    mcp: { start: (call) => this.#startMcp(call), end: (call) => this.#runs.get(call.query)?.end(call) },
    ...eventListeners((query) => this.#runs.get(query)),
  };

  #startRun(query: QueryContext): void {
    const run = new RunSpans(this.#tracer, this.#options, query);
    this.#runs.set(query, run);
    this.#usages.set(query, {
      turns: new TurnUsage(query.isResumed ? undefined : new Map()),
      agents: new AgentUsage(),
      waiting: new Set(),
    });
    if (this.#options.propagate) query.traceContext = traceparentOf(run.root.spanContext()) ?? query.traceContext;
  }

  #endRun(query: QueryContext): void {
    const run = this.#runs.get(query);
    if (run === undefined) return;
    const usage = this.#usages.get(query);
    const rest = usage?.turns.onExit(query.finalModelUsage);
    if (rest !== undefined) usage?.agents.addTurn(rest);
    // What a cut turn used is in the CLI's account alone.
    const account = rest === undefined || query.isResumed ? {} : figuresAttributes(usage?.turns.table ?? rest);
    this.#endPriced(query);
    this.#runs.delete(query);
    const { summary, sessionId, model, cliVersion } = query;
    run.close({
      ...(sessionId === undefined ? {} : { [ATTR.CONVERSATION_ID]: safeName(sessionId) }),
      ...(model === undefined ? {} : { [ATTR.RESPONSE_MODEL]: safeName(model) }),
      ...(cliVersion === undefined ? {} : { [OWN.CLI_VERSION]: safeName(cliVersion) }),
      ...(summary === undefined ? {} : { [OWN.OUTCOME]: summary.outcome.kind, [OWN.TURNS]: summary.numTurns }),
      ...(summary?.costUsd === undefined ? {} : { [OWN.COST]: summary.costUsd }),
      ...runUsage(query),
      ...account,
    });
  }

  #startTurn(turn: TurnContext): void {
    const { query, index, messageUuid } = turn;
    const run = this.#runs.get(query);
    run?.startTurn(turn, 'turn', {
      ...run.attributes('turn', turn),
      [OWN.TURN]: index,
      ...(messageUuid === undefined ? {} : { [OWN.MESSAGE_UUID]: safeName(messageUuid) }),
    });
  }

  #endTurn(turn: TurnContext): void {
    const { query, error, result } = turn;
    const models = result && this.#usages.get(query)?.turns.onResult(result);
    if (models !== undefined) this.#usages.get(query)?.agents.addTurn(models);
    this.#runs
      .get(query)
      ?.end(turn, {
        [OWN.OUTCOME]: error?.kind ?? (result === undefined ? 'unfinished' : 'completed'),
        ...(models === undefined ? {} : figuresAttributes(models)),
      });
    this.#endPriced(query);
  }

  /** Their costs come with the result of the turn. */
  #endAgent(agent: AgentContext): void {
    const { waiting, agents } = this.#usages.get(agent.query) ?? {};
    const isReady = !agent.isUsageFinal || agent.turn?.endedAt !== undefined || agents?.isPriced(agent) !== false;
    if (isReady) this.#runs.get(agent.query)?.end(agent, agents?.attributes(agent));
    else waiting?.add(agent);
  }

  #endPriced(query: QueryContext): void {
    const { agents, waiting } = this.#usages.get(query) ?? {};
    for (const agent of waiting ?? []) this.#runs.get(query)?.end(agent, agents?.attributes(agent));
    waiting?.clear();
  }

  #startAgent(agent: AgentContext): void {
    const run = this.#runs.get(agent.query);
    const name = safeName(agent.agentType ?? 'subagent');
    run?.start(agent, {
      name: `invoke_agent ${name}`,
      parents: [agent.tool, agent.parent, agent.turn],
      attributes: {
        ...run.attributes('invoke_agent', agent),
        [ATTR.AGENT_NAME]: name,
        ...(agent.agentId === undefined ? {} : { [ATTR.AGENT_ID]: safeName(agent.agentId) }),
        ...idAttributes(agent.toolUseId, undefined),
      },
    });
  }

  #startChat(chat: ChatContext): void {
    const run = this.#runs.get(chat.query);
    if (run === undefined || cliHasInnerSpans(chat.query, this.#options)) return;
    const model = chat.model === undefined ? undefined : safeName(chat.model);
    run.start(chat, {
      name: model === undefined ? 'chat' : `chat ${model}`,
      kind: SpanKind.CLIENT,
      parents: [chat.agent, chat.turn],
      attributes: {
        ...run.attributes('chat', chat),
        [ATTR.RESPONSE_ID]: safeName(chat.messageId),
        ...(model === undefined ? {} : { [ATTR.RESPONSE_MODEL]: model }),
        ...(chat.query.model === undefined ? {} : { [ATTR.REQUEST_MODEL]: safeName(chat.query.model) }),
        ...(chat.turn === undefined ? {} : { [OWN.TURN]: chat.turn.index }),
      },
    });
  }

  #endChat(chat: ChatContext): void {
    this.#usages.get(chat.query)?.agents.addAnswer(chat);
    const { query, usage, isUsageFinal, isStreamed, stopReason, retries, firstTokenAt, startedAt, content } = chat;
    const text = contentText(content, 'answer', this.#options);
    this.#runs.get(query)?.end(chat, {
      ...(usage === undefined ? {} : usageAttributes(tokensOf(usage), isUsageFinal)),
      ...(stopReason === undefined ? {} : { [ATTR.RESPONSE_FINISH_REASONS]: [safeName(stopReason)] }),
      ...(retries > 0 ? { [OWN.RETRIES]: retries } : {}),
      // Without streaming the first that comes is a whole block.
      ...(isStreamed && firstTokenAt !== undefined
        ? { [ATTR.RESPONSE_TIME_TO_FIRST_CHUNK]: (firstTokenAt - startedAt) / 1000 }
        : {}),
      ...(text === undefined ? {} : { [ATTR.OUTPUT_MESSAGES]: text }),
    });
  }

  #startTool(tool: ToolContext): void {
    const run = this.#runs.get(tool.query);
    if (run === undefined || cliHasInnerSpans(tool.query, this.#options)) return;
    const name = safeName(tool.toolName);
    const input = contentText(tool.input, 'tool_input', this.#options);
    run.start(tool, {
      name: `execute_tool ${name}`,
      parents: [tool.chat, tool.agent, tool.turn],
      attributes: {
        ...run.attributes('execute_tool', tool),
        [ATTR.TOOL_NAME]: name,
        ...idAttributes(tool.toolUseId, undefined),
        ...(input === undefined ? {} : { [ATTR.TOOL_CALL_ARGUMENTS]: input }),
      },
    });
  }

  #endTool(tool: ToolContext): void {
    const run = this.#runs.get(tool.query);
    if (run === undefined) return;
    if (run.spanOf(tool) === undefined) {
      // The CLI's own span of a failed call has no error status.
      const { error, stopped } = tool;
      if ((error !== undefined || stopped !== undefined) && cliHasInnerSpans(tool.query, this.#options)) {
        run.event(error === undefined ? 'claudewire.tool.stopped' : 'claudewire.tool.failed', tool, {
          [ATTR.TOOL_NAME]: safeName(tool.toolName),
          ...idAttributes(tool.toolUseId, undefined),
          ...(error === undefined ? { [OWN.OUTCOME]: stopped } : { 'error.type': error.kind }),
        });
      }
      return;
    }
    const output = contentText(tool.output, 'tool_output', this.#options);
    run.end(tool, output === undefined ? {} : { [ATTR.TOOL_CALL_RESULT]: output });
  }

  #startHook(hook: HookContext): void {
    const run = this.#runs.get(hook.query);
    run?.start(hook, {
      name: `execute_hook ${safeName(hook.event)}`,
      parents: [hook.tool],
      attributes: {
        ...run.attributes('execute_hook', hook),
        [OWN.HOOK_EVENT]: safeName(hook.event),
        [OWN.HOOK_NAME]: safeName(hook.name),
        [OWN.HOOK_SOURCE]: hook.source,
        ...idAttributes(hook.toolUseId, hook.requestId),
      },
    });
  }

  #endHook(hook: HookContext): void {
    const attributes: Attributes = hook.decision === undefined ? {} : { [OWN.DECISION]: safeName(hook.decision) };
    this.#runs.get(hook.query)?.end(hook, attributes);
  }

  /** Calls of in-process tools; the rest of MCP is small talk. */
  #startMcp(call: McpContext): void {
    if (call.method !== 'tools/call' || call.from !== 'cli') return;
    const run = this.#runs.get(call.query);
    const name = safeName(call.toolName ?? '');
    run?.start(call, {
      name: `tools/call ${name}`,
      kind: SpanKind.SERVER,
      parents: [call.tool],
      attributes: {
        [OWN.RUN]: call.run,
        'mcp.method.name': call.method,
        [ATTR.TOOL_NAME]: name,
        'claudewire.mcp.server': safeName(call.server),
        ...idAttributes(call.toolUseId, call.requestId),
      },
    });
  }
}
