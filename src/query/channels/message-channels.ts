import { MessageLedger } from '../../control/message-ledger.js';
import type { SDKResultMessage } from '../../parser/message.js';
import { outcomeOf } from '../../parser/outcome.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { type Open, publishEnd, publishStart } from './channels.js';
import type { AgentContext, ChatContext, OperationError, QueryContext, ToolContext, TurnContext } from './contexts.js';
import { type Ending, endingOf } from './ending.js';
import { type AnswerSource, type OpenAgent, type OpenChat, SubagentEndings } from './subagent-endings.js';

/** The scope of the main thread; that of a sub-agent is the id of the call that started it. */
const MAIN = '';

const UNFINISHED: OperationError = { kind: 'unfinished', message: 'It had not ended when the turn or the run did' };

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
  readonly #endings: SubagentEndings;
  /** Something was used that no result has told. */
  #isBehind = false;
  /** Ids of this turn and of the one before, against frames that come twice. */
  #seen = new Set<string>();
  #seenBefore = new Set<string>();
  #turn: Open<TurnContext> | undefined;
  #turns = 0;
  #retries = 0;
  /** The host interrupted the turn that runs. */
  #isInterrupted = false;
  /** How everything ends that the end of the run cuts; `undefined` while the host has not ended it. */
  #stop: Ending;

  constructor(query: Open<QueryContext>) {
    this.#query = query;
    this.#endings = new SubagentEndings(query);
  }

  /** Where the answers of sub-agents are recorded. */
  readFrom(source: AnswerSource): void {
    this.#endings.readFrom(source);
  }

  /** True when something was used since the last result. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  tool(toolUseId: string | undefined): Open<ToolContext> | undefined {
    return toolUseId === undefined ? undefined : this.#tools.get(toolUseId);
  }

  /** The host asked for the end of the turn: what fails from now on, it cut. */
  onInterrupt(): void {
    this.#isInterrupted = this.#turn !== undefined || this.#agents.size > 0;
  }

  /** It is decided that the host ends the run: what fails from now on, it cut. */
  onStop(ending: Ending): void {
    this.#stop ??= ending;
  }

  /** What the host cut ends so, in place of `ending`. */
  cutBy(ending: Ending): Ending {
    if (this.#stop !== undefined) return this.#stop;
    return this.#isInterrupted ? 'interrupted' : ending;
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
        if (isJsonObject(frame.message)) this.#onResults(scope, frame, frame.message.content, at);
        return;
      case 'system':
        this.#onSystem(frame, at);
        return;
      case 'transcript_mirror':
        this.#endings.onMirror(frame);
        return;
      case 'result':
        this.#onResult(frame, at);
    }
  }

  /** Ends whatever is open. */
  close(at: number): void {
    const ending = this.cutBy(UNFINISHED);
    for (const id of [...this.#agents.keys()]) this.#endAgent(id, at, ending);
    this.#endScope(undefined, at);
    this.#endTurn(at, ending);
    this.#endings.close();
  }

  #onSystem(frame: JsonObject, at: number): void {
    const toolUseId = stringField(frame, 'tool_use_id');
    if (frame.subtype === 'init') this.#openTurn(at, undefined);
    else if (frame.subtype === 'api_retry') this.#retries += 1;
    else if (toolUseId === undefined) return;
    else if (frame.subtype === 'permission_denied') {
      const tool = this.#tools.get(toolUseId);
      if (tool !== undefined) tool.permission = 'deny';
    } else if (frame.subtype === 'task_started' && frame.task_type === 'local_agent') {
      const agent = this.#agent(toolUseId, at, frame);
      if (agent !== undefined) agent.isBackground = frame.is_backgrounded === true;
    } else if (frame.subtype === 'task_notification') this.#onNotification(toolUseId, frame, at);
  }

  #onNotification(toolUseId: string, { status, usage }: JsonObject, at: number): void {
    const agent = this.#agents.get(toolUseId);
    if (agent === undefined) return;
    noteContext(agent, isJsonObject(usage) ? usage.total_tokens : undefined);
    if (agent.isBackground) {
      const failed = { kind: 'agent_failed', message: 'The sub-agent failed' };
      // Somebody stopped it: the host, its user, or the model.
      const stopped = this.#stop ?? 'interrupted';
      this.#endAgent(toolUseId, at, status === 'failed' ? failed : status === 'stopped' ? stopped : undefined);
    }
  }

  #openTurn(at: number, messageUuid: string | undefined): void {
    if (this.#turn !== undefined) return;
    this.#turns += 1;
    this.#isBehind = true;
    const queued = Math.max(0, this.#ledger.unansweredCount - 1);
    this.#turn = { ...this.#base(at), index: this.#turns, messageUuid, queued };
    this.#waits.set(MAIN, at);
    publishStart('turn', this.#turn);
  }

  #onResult(frame: JsonObject, at: number): void {
    this.#endScope(MAIN, at);
    for (const [id, agent] of [...this.#agents]) {
      if (!outlivesTurn(agent)) this.#endAgent(id, at, this.cutBy(UNFINISHED));
    }
    // Those in the background went on while the result was made.
    this.#isBehind = this.#agents.size > 0;
    if (this.#turn !== undefined) {
      // The CLI's wire contract.
      this.#turn.result = frame as unknown as SDKResultMessage;
      this.#turn.queued = this.#ledger.unansweredCount;
    }
    const ending = endingOf(outcomeOf(frame as unknown as SDKResultMessage));
    this.#endTurn(at, ending === undefined || ending === 'hook_stopped' ? ending : this.cutBy(ending));
    this.#isInterrupted = false;
    this.#seenBefore = this.#seen;
    this.#seen = new Set();
  }

  #endTurn(at: number, ending: Ending): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn !== undefined) publishEnd('turn', turn, at, ending);
  }

  #onStreamEvent(scope: string, event: JsonObject, at: number): void {
    if (event.type === 'message_start') {
      if (isJsonObject(event.message)) this.#chat(scope, event.message, at);
      return;
    }
    const chat = this.#chats.get(scope);
    if (chat === undefined) return;
    chat.lastAt = at;
    chat.isStreamed = true;
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
      if (failure !== undefined) chat.failure = { kind: failure, message: 'The API call failed' };
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
    this.#endings.isNew(messageId);
    this.#isBehind = true;
    this.#endChat(scope);
    const chat: OpenChat = {
      ...this.#base(this.#waits.get(scope) ?? at),
      ...this.#place(scope, at),
      messageId,
      model: stringField(message, 'model'),
      ...(isJsonObject(message.usage) ? { usage: message.usage } : {}),
      isUsageFinal: false,
      isStreamed: false,
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

  #endChat(scope: string, agent = this.#agents.get(scope)): void {
    const chat = this.#chats.get(scope);
    if (chat === undefined) return;
    this.#chats.delete(scope);
    if (agent === undefined) publishEnd('chat', chat, chat.lastAt, chat.failure);
    else this.#endings.endChat(agent, chat);
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

  #onResults(scope: string, { tool_use_result: said }: JsonObject, content: unknown, at: number): void {
    if (!Array.isArray(content)) return;
    for (const block of content) {
      if (!isJsonObject(block) || block.type !== 'tool_result') continue;
      this.#endChat(scope);
      this.#waits.set(scope, at);
      const tool = this.#tools.get(String(block.tool_use_id));
      if (tool === undefined) continue;
      tool.output = block.content;
      const agent = this.#agents.get(tool.toolUseId);
      if (agent !== undefined && isJsonObject(said)) {
        // Releases that announce no tasks name the agent here.
        const agentId = stringField(said, 'agentId');
        if (agentId !== undefined) agent.agentId ??= agentId;
        noteContext(agent, said.totalTokens);
      }
      this.#endTool(tool, at, block.is_error === true ? this.#endingOfCall(tool) : undefined);
    }
  }

  #endingOfCall({ permission, toolName }: ToolContext): Ending {
    if (permission === 'deny') return 'denied';
    return this.cutBy({ kind: 'tool_error', message: `The call of ${toolName} failed` });
  }

  #endTool(tool: Open<ToolContext>, at: number, ending: Ending): void {
    this.#tools.delete(tool.toolUseId);
    if (this.#agents.get(tool.toolUseId)?.isBackground !== true) this.#endAgent(tool.toolUseId, at, ending);
    publishEnd('tool', tool, at, ending);
  }

  /** The sub-agent that this call started; begins it, unless it is over. */
  #agent(toolUseId: string, at: number, started?: JsonObject): OpenAgent | undefined {
    const open = this.#agents.get(toolUseId);
    if (open !== undefined || !this.#isNew(`agent ${toolUseId}`)) return open;
    const tool = this.#tools.get(toolUseId);
    const parentId = started && stringField(started, 'parent_task_id');
    const parent =
      parentId === undefined ? undefined : [...this.#agents.values()].find((each) => each.agentId === parentId);
    const agent: OpenAgent = {
      ...this.#base(at),
      ...{ toolUseId, tool, turn: this.#turn, parent: parent ?? tool?.agent },
      ...{ isBackground: false, isUsageFinal: false },
    };
    const agentId = started && stringField(started, 'task_id');
    const agentType = started && stringField(started, 'subagent_type');
    if (agentId !== undefined) agent.agentId = agentId;
    if (agentType !== undefined) agent.agentType = agentType;
    this.#agents.set(toolUseId, agent);
    this.#waits.set(toolUseId, at);
    this.#isBehind = true;
    publishStart('agent', agent);
    this.#endings.begin(agent);
    return agent;
  }

  #endAgent(toolUseId: string, at: number, ending: Ending): void {
    const agent = this.#agents.get(toolUseId);
    if (agent === undefined) return;
    // First: a call of its own may have its id.
    this.#agents.delete(toolUseId);
    this.#endChat(toolUseId, agent);
    this.#endScope(toolUseId, at);
    this.#latest.delete(toolUseId);
    this.#waits.delete(toolUseId);
    this.#endings.endAgent(agent, at, ending);
  }

  /** Ends the answer and the calls of one scope, or of all. */
  #endScope(scope: string | undefined, at: number): void {
    for (const each of scope === undefined ? [...this.#chats.keys()] : [scope]) this.#endChat(each);
    for (const tool of [...this.#tools.values()]) {
      if (scope === undefined || (tool.agent?.toolUseId ?? MAIN) === scope)
        this.#endTool(tool, at, this.cutBy(UNFINISHED));
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

/** A sub-agent in the background goes on when the turn ends, with those that it started. */
function outlivesTurn({ isBackground, parent }: AgentContext): boolean {
  return isBackground || (parent !== undefined && outlivesTurn(parent));
}

function noteContext(agent: OpenAgent, tokens: unknown): void {
  if (typeof tokens === 'number') agent.contextTokens = tokens;
}
