import { MessageLedger } from '../../control/message-ledger.js';
import type { SDKResultMessage } from '../../parser/message.js';
import { type Outcome, outcomeOf } from '../../parser/outcome.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { type Open, publishEnd, publishStart } from './channels.js';
import type { AgentContext, ChatContext, OperationError, QueryContext, ToolContext, TurnContext } from './contexts.js';

/** The scope of the main thread; that of a sub-agent is the id of the call that started it. */
const MAIN = '';

const UNFINISHED: OperationError = { kind: 'unfinished', message: 'It had not ended when the turn or the run did' };

type OpenChat = Open<ChatContext> & { content: unknown[]; lastAt: number };
type OpenAgent = Open<AgentContext> & { isBackground?: boolean };

/** Turns, sub-agents, answers of the model and tool calls, as the messages of a run tell them. */
export class MessageChannels {
  readonly #query: Open<QueryContext>;
  readonly #ledger = new MessageLedger();
  readonly #chats = new Map<string, OpenChat>();
  /** The latest answer of each scope, open or not: the parent of its calls. */
  readonly #latest = new Map<string, OpenChat>();
  /** Since when a scope waits for the model. */
  readonly #waits = new Map<string, number>();
  readonly #tools = new Map<string, Open<ToolContext>>();
  readonly #agents = new Map<string, OpenAgent>();
  /** Ids of this turn and of the one before, against frames that come twice. */
  #seen = new Set<string>();
  #seenBefore = new Set<string>();
  #turn: Open<TurnContext> | undefined;
  #turns = 0;
  #retries = 0;

  constructor(query: Open<QueryContext>) {
    this.#query = query;
  }

  tool(toolUseId: string | undefined): Open<ToolContext> | undefined {
    return toolUseId === undefined ? undefined : this.#tools.get(toolUseId);
  }

  onUserMessage(frame: JsonObject, at: number): void {
    this.#ledger.onWritten(frame);
    if (this.#turn === undefined) this.#openTurn(at, stringField(frame, 'uuid'));
    else this.#turn.queued = this.#ledger.unansweredCount - 1;
  }

  /** Hot path: deltas of a stream end after two comparisons. */
  onFrame(frame: JsonObject, at: number): void {
    this.#ledger.note(frame);
    const scope = stringField(frame, 'parent_tool_use_id') ?? MAIN;
    switch (frame.type) {
      case 'stream_event':
        if (isJsonObject(frame.event)) this.#onStreamEvent(scope, frame.event, at);
        return;
      case 'assistant':
        if (isJsonObject(frame.message)) this.#onAssistant(scope, frame, frame.message, at);
        return;
      case 'user':
        if (isJsonObject(frame.message)) this.#onResults(scope, frame.message.content, at);
        return;
      case 'system':
        this.#onSystem(frame, at);
        return;
      case 'result':
        this.#onResult(frame, at);
    }
  }

  /** Ends whatever is open. */
  close(at: number): void {
    for (const id of [...this.#agents.keys()]) this.#endAgent(id, at, UNFINISHED);
    this.#endScope(undefined, at);
    this.#endTurn(at, UNFINISHED);
  }

  #onSystem(frame: JsonObject, at: number): void {
    const toolUseId = stringField(frame, 'tool_use_id');
    if (frame.subtype === 'init') this.#openTurn(at, undefined);
    else if (frame.subtype === 'api_retry') this.#retries += 1;
    else if (toolUseId === undefined) return;
    else if (frame.subtype === 'task_started' && frame.task_type === 'local_agent') {
      const agent = this.#agent(toolUseId, at, frame);
      if (agent !== undefined) agent.isBackground = frame.is_backgrounded === true;
    } else if (frame.subtype === 'task_notification' && this.#agents.get(toolUseId)?.isBackground) {
      const { status } = frame;
      const failed = status === 'failed' || status === 'stopped';
      this.#endAgent(
        toolUseId,
        at,
        failed ? { kind: `agent_${status}`, message: `The sub-agent ${status}` } : undefined,
      );
    }
  }

  #openTurn(at: number, messageUuid: string | undefined): void {
    if (this.#turn !== undefined) return;
    this.#turns += 1;
    const queued = Math.max(0, this.#ledger.unansweredCount - 1);
    this.#turn = { ...this.#base(at), index: this.#turns, messageUuid, queued };
    this.#waits.set(MAIN, at);
    publishStart('turn', this.#turn);
  }

  #onResult(frame: JsonObject, at: number): void {
    this.#endScope(MAIN, at);
    for (const [id, agent] of [...this.#agents]) if (agent.isBackground !== true) this.#endAgent(id, at, UNFINISHED);
    if (this.#turn !== undefined) {
      // The CLI's wire contract.
      this.#turn.result = frame as unknown as SDKResultMessage;
      this.#turn.queued = this.#ledger.unansweredCount;
    }
    this.#endTurn(at, errorOf(outcomeOf(frame as unknown as SDKResultMessage)));
    this.#seenBefore = this.#seen;
    this.#seen = new Set();
  }

  #endTurn(at: number, error: OperationError | undefined): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn !== undefined) publishEnd('turn', turn, at, error);
  }

  #onStreamEvent(scope: string, event: JsonObject, at: number): void {
    if (event.type === 'message_start') {
      if (isJsonObject(event.message)) this.#chat(scope, event.message, at);
      return;
    }
    const chat = this.#chats.get(scope);
    if (chat === undefined) return;
    chat.lastAt = at;
    if (event.type === 'content_block_start' || event.type === 'content_block_delta') chat.firstTokenAt ??= at;
    else if (event.type === 'message_delta') {
      if (isJsonObject(event.usage)) chat.usage = { ...chat.usage, ...event.usage };
      chat.isUsageFinal = isJsonObject(event.usage);
      const reason = isJsonObject(event.delta) ? stringField(event.delta, 'stop_reason') : undefined;
      if (reason !== undefined) chat.stopReason = reason;
    } else if (event.type === 'message_stop') this.#endChat(scope);
  }

  #onAssistant(scope: string, frame: JsonObject, message: JsonObject, at: number): void {
    const chat = this.#chat(scope, message, at);
    const content = Array.isArray(message.content) ? message.content : [];
    if (chat !== undefined) {
      chat.firstTokenAt ??= at;
      chat.lastAt = at;
      chat.content.push(...content);
      const reason = stringField(message, 'stop_reason');
      if (reason !== undefined) chat.stopReason = reason;
      const failure = stringField(frame, 'error');
      if (failure !== undefined) chat.error = { kind: failure, message: 'The API call failed' };
    }
    for (const block of content) if (isJsonObject(block) && block.type === 'tool_use') this.#openTool(scope, block, at);
  }

  /** The answer with this id; `undefined` for one that is over, or that has no id. */
  #chat(scope: string, message: JsonObject, at: number): OpenChat | undefined {
    const messageId = stringField(message, 'id');
    if (messageId === undefined) return undefined;
    const open = this.#chats.get(scope);
    if (open?.messageId === messageId) return open;
    if (!this.#isNew(`message ${messageId}`)) return undefined;
    this.#endChat(scope);
    const chat: OpenChat = {
      ...this.#base(this.#waits.get(scope) ?? at),
      ...this.#place(scope, at),
      messageId,
      model: stringField(message, 'model'),
      ...(isJsonObject(message.usage) ? { usage: message.usage } : {}),
      isUsageFinal: false,
      retries: scope === MAIN ? this.#retries : 0,
      content: [],
      lastAt: at,
    };
    if (scope === MAIN) this.#retries = 0;
    this.#waits.delete(scope);
    this.#chats.set(scope, chat);
    this.#latest.set(scope, chat);
    publishStart('chat', chat);
    return chat;
  }

  #endChat(scope: string): void {
    const chat = this.#chats.get(scope);
    if (chat === undefined) return;
    this.#chats.delete(scope);
    publishEnd('chat', chat, chat.lastAt, chat.error);
  }

  #openTool(scope: string, block: JsonObject, at: number): void {
    const toolUseId = stringField(block, 'id');
    if (toolUseId === undefined || !this.#isNew(`tool ${toolUseId}`)) return;
    const tool: Open<ToolContext> = {
      ...this.#base(at),
      ...this.#place(scope, at),
      toolUseId,
      toolName: stringField(block, 'name') ?? '',
      chat: this.#latest.get(scope),
      input: block.input,
    };
    this.#tools.set(toolUseId, tool);
    publishStart('tool', tool);
  }

  #onResults(scope: string, content: unknown, at: number): void {
    if (!Array.isArray(content)) return;
    for (const block of content) {
      if (!isJsonObject(block) || block.type !== 'tool_result') continue;
      this.#endChat(scope);
      this.#waits.set(scope, at);
      const tool = this.#tools.get(String(block.tool_use_id));
      if (tool === undefined) continue;
      tool.output = block.content;
      const kind = tool.permission === 'deny' ? 'permission_denied' : 'tool_error';
      this.#endTool(
        tool,
        at,
        block.is_error === true ? { kind, message: `The call of ${tool.toolName} failed` } : undefined,
      );
    }
  }

  #endTool(tool: Open<ToolContext>, at: number, error: OperationError | undefined): void {
    this.#tools.delete(tool.toolUseId);
    if (this.#agents.get(tool.toolUseId)?.isBackground !== true) this.#endAgent(tool.toolUseId, at, error);
    publishEnd('tool', tool, at, error);
  }

  /** The sub-agent that this call started; begins it, unless it is over. */
  #agent(toolUseId: string, at: number, started?: JsonObject): OpenAgent | undefined {
    const open = this.#agents.get(toolUseId);
    if (open !== undefined || !this.#isNew(`agent ${toolUseId}`)) return open;
    const agent: OpenAgent = { ...this.#base(at), toolUseId, tool: this.#tools.get(toolUseId) };
    const agentId = started && stringField(started, 'task_id');
    const agentType = started && stringField(started, 'subagent_type');
    if (agentId !== undefined) agent.agentId = agentId;
    if (agentType !== undefined) agent.agentType = agentType;
    this.#agents.set(toolUseId, agent);
    this.#waits.set(toolUseId, at);
    publishStart('agent', agent);
    return agent;
  }

  #endAgent(toolUseId: string, at: number, error: OperationError | undefined): void {
    const agent = this.#agents.get(toolUseId);
    if (agent === undefined) return;
    this.#agents.delete(toolUseId);
    this.#endScope(toolUseId, at);
    this.#latest.delete(toolUseId);
    this.#waits.delete(toolUseId);
    publishEnd('agent', agent, at, error);
  }

  /** Ends the answer and the calls of one scope, or of all. */
  #endScope(scope: string | undefined, at: number): void {
    for (const each of scope === undefined ? [...this.#chats.keys()] : [scope]) this.#endChat(each);
    for (const tool of [...this.#tools.values()]) {
      if (scope === undefined || (tool.agent?.toolUseId ?? MAIN) === scope) this.#endTool(tool, at, UNFINISHED);
    }
  }

  #place(scope: string, at: number): Pick<ChatContext, 'turn' | 'agent'> {
    return { turn: this.#turn, agent: scope === MAIN ? undefined : this.#agent(scope, at) };
  }

  #base(startedAt: number): Pick<TurnContext, 'run' | 'sessionId' | 'startedAt' | 'query'> {
    const { run, sessionId } = this.#query;
    return { run, sessionId, startedAt, query: this.#query };
  }

  #isNew(id: string): boolean {
    if (this.#seen.has(id) || this.#seenBefore.has(id)) return false;
    this.#seen.add(id);
    return true;
  }
}

/** `undefined` for a run or a turn that reached its end. */
export function errorOf({ kind, message }: Outcome, cause?: unknown): OperationError | undefined {
  if (kind === 'completed' || kind === 'deferred') return undefined;
  return cause === undefined ? { kind, message } : { kind, message, cause };
}
