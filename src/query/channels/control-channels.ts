import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { type Open, publishEnd, publishStart } from './channels.js';
import type {
  ClaudewireChannels,
  ControlContext,
  HookContext,
  McpContext,
  OperationError,
  PermissionContext,
  QueryContext,
  QuestionContext,
} from './contexts.js';
import type { Ending } from './ending.js';
import type { MessageChannels } from './message-channels.js';

type Side = ControlContext['from'];

/** What a control request is about, beside itself. */
type Topic =
  | { readonly kind: 'hook'; readonly context: Open<HookContext> }
  | { readonly kind: 'permission'; readonly context: Open<PermissionContext> }
  | { readonly kind: 'question'; readonly context: Open<QuestionContext> }
  | { readonly kind: 'mcp'; readonly context: Open<McpContext> };

interface OpenRequest {
  readonly control: Open<ControlContext>;
  readonly topic: Topic | undefined;
}

/** Control requests of both sides, and the hooks, permissions, questions and MCP messages in them. */
export class ControlChannels {
  readonly #query: Open<QueryContext>;
  readonly #messages: MessageChannels;
  /** By the side that asked, and id. */
  readonly #open = new Map<string, OpenRequest>();
  /** Hooks that the CLI runs itself, by `hook_id`. */
  readonly #commands = new Map<string, Open<HookContext>>();

  constructor(query: Open<QueryContext>, messages: MessageChannels) {
    this.#query = query;
    this.#messages = messages;
  }

  onFrame(frame: JsonObject, sender: Side, at: number): void {
    switch (frame.type) {
      case 'control_request':
        if (isJsonObject(frame.request)) this.#start(String(frame.request_id), frame.request, sender, at);
        return;
      case 'control_response':
        if (isJsonObject(frame.response)) this.#onAnswer(frame.response, sender === 'cli' ? 'host' : 'cli', at);
        return;
      case 'control_cancel_request': {
        const error = { kind: 'cancelled', message: 'It was withdrawn by the side that asked' };
        this.#end(sender, String(frame.request_id), at, this.#messages.cutBy(error));
        return;
      }
      case 'system':
        if (frame.subtype === 'hook_started') this.#startCommand(frame, at);
        else if (frame.subtype === 'hook_response') this.#endCommand(frame, at);
    }
  }

  onTimeout(requestId: string, at: number): void {
    this.#end('host', requestId, at, { kind: 'timed_out', message: 'It was not answered in time' });
  }

  close(at: number): void {
    const ending = this.#messages.cutBy({ kind: 'unfinished', message: 'It was not answered when the run ended' });
    for (const { control } of [...this.#open.values()]) this.#end(control.from, control.requestId, at, ending);
    for (const hook of this.#commands.values()) publishEnd('hook', hook, at, ending);
    this.#commands.clear();
  }

  #start(requestId: string, request: JsonObject, from: Side, at: number): void {
    const key = `${from} ${requestId}`;
    // A request that is sent again, after `initialize` came a second time.
    if (this.#open.has(key)) return;
    const subtype = stringField(request, 'subtype') ?? '';
    if (from === 'host' && subtype === 'interrupt') this.#messages.onInterrupt();
    const control = { ...this.#base(at), requestId, subtype, from };
    const topic = this.#topic(control, request);
    this.#open.set(key, { control, topic });
    publishStart('control', control);
    if (topic !== undefined) publishStart(topic.kind, topic.context);
  }

  #topic({ requestId, subtype, from, startedAt }: ControlContext, request: JsonObject): Topic | undefined {
    const base = { ...this.#base(startedAt), requestId };
    const own = { ...base, ...this.#ofTool(stringField(request, 'tool_use_id')) };
    const toolName = stringField(request, 'tool_name') ?? '';
    switch (subtype) {
      case 'hook_callback': {
        const input = isJsonObject(request.input) ? request.input : {};
        const event = stringField(input, 'hook_event_name') ?? '';
        const ids = this.#ofTool(stringField(request, 'tool_use_id') ?? stringField(input, 'tool_use_id'));
        const name = stringField(request, 'callback_id') ?? '';
        return { kind: 'hook', context: { ...base, ...ids, source: 'callback', event, name } };
      }
      case 'can_use_tool':
        if (toolName === 'AskUserQuestion') return { kind: 'question', context: { ...own, kind: toolName } };
        return { kind: 'permission', context: { ...own, toolName } };
      case 'elicitation':
      case 'request_user_dialog':
        return { kind: 'question', context: { ...own, kind: subtype } };
      case 'mcp_message': {
        const message = isJsonObject(request.message) ? request.message : {};
        const params = isJsonObject(message.params) ? message.params : {};
        const meta = isJsonObject(params._meta) ? params._meta : {};
        const context: Open<McpContext> = {
          ...base,
          ...this.#ofTool(stringField(meta, 'claudecode/toolUseId')),
          server: stringField(request, 'server_name') ?? '',
          method: stringField(message, 'method') ?? '',
          from,
        };
        const tool = stringField(params, 'name');
        if (context.method === 'tools/call' && tool !== undefined) context.toolName = tool;
        return { kind: 'mcp', context };
      }
      default:
        return undefined;
    }
  }

  #onAnswer(answer: JsonObject, asker: Side, at: number): void {
    const requestId = String(answer.request_id);
    const topic = this.#open.get(`${asker} ${requestId}`)?.topic;
    const refused = answer.subtype === 'error';
    const error = refused ? { kind: 'refused', message: stringField(answer, 'error') ?? 'It was refused' } : undefined;
    const body = isJsonObject(answer.response) ? answer.response : {};
    const ofTopic = topic === undefined || refused ? undefined : errorOfAnswer(topic, body);
    if (topic?.kind === 'permission' && body.interrupt === true) this.#messages.onInterrupt();
    // The tool's own context tells why it failed.
    const permission = topic === undefined ? undefined : permissionOf(topic, refused);
    if (permission !== undefined) {
      const tool = this.#messages.tool(topic?.context.toolUseId);
      if (tool !== undefined && tool.permission !== 'deny') tool.permission = permission;
    }
    this.#end(asker, requestId, at, error, ofTopic);
  }

  #end(asker: Side, requestId: string, at: number, ending?: Ending, ofTopic = ending): void {
    const key = `${asker} ${requestId}`;
    const request = this.#open.get(key);
    if (request === undefined) return;
    this.#open.delete(key);
    const { topic, control } = request;
    if (topic !== undefined) {
      // Each kind has its own context, which the union has joined.
      publishEnd(topic.kind, topic.context as ClaudewireChannels[Topic['kind']], at, ofTopic);
    }
    publishEnd('control', control, at, ending);
  }

  #startCommand(frame: JsonObject, at: number): void {
    const id = stringField(frame, 'hook_id');
    if (id === undefined || this.#commands.has(id)) return;
    const event = stringField(frame, 'hook_event') ?? '';
    const name = stringField(frame, 'hook_name') ?? '';
    const hook: Open<HookContext> = { ...this.#base(at), source: 'command', event, name };
    this.#commands.set(id, hook);
    publishStart('hook', hook);
  }

  #endCommand(frame: JsonObject, at: number): void {
    const id = String(frame.hook_id);
    const hook = this.#commands.get(id);
    if (hook === undefined) return;
    this.#commands.delete(id);
    const outcome = stringField(frame, 'outcome');
    const failed = outcome !== undefined && outcome !== 'success';
    const error = { kind: 'hook_error', message: `The hook ended with ${outcome}` };
    publishEnd('hook', hook, at, failed ? this.#messages.cutBy(error) : undefined);
  }

  #ofTool(toolUseId: string | undefined): Pick<HookContext, 'toolUseId' | 'tool'> {
    if (toolUseId === undefined) return {};
    const tool = this.#messages.tool(toolUseId);
    return tool === undefined ? { toolUseId } : { toolUseId, tool };
  }

  #base(startedAt: number): Pick<ControlContext, 'run' | 'sessionId' | 'startedAt' | 'query'> {
    const { run, sessionId } = this.#query;
    return { run, sessionId, startedAt, query: this.#query };
  }
}

/** What the answer decides about the tool call that it is about. A PreToolUse hook can only refuse. */
function permissionOf({ kind, context }: Topic, refused: boolean): 'allow' | 'deny' | undefined {
  if (kind === 'permission') return context.decision ?? (refused ? 'deny' : undefined);
  if (kind !== 'hook' || context.event !== 'PreToolUse') return undefined;
  return context.decision === 'deny' || context.decision === 'block' ? 'deny' : undefined;
}

/** Puts what was answered into the context. @returns what makes it a failure. */
function errorOfAnswer({ kind, context }: Topic, body: JsonObject): OperationError | undefined {
  switch (kind) {
    case 'permission': {
      context.decision = body.behavior === 'allow' ? 'allow' : 'deny';
      const message = stringField(body, 'message');
      if (message !== undefined) context.message = message;
      return undefined;
    }
    case 'question': {
      const answer = stringField(body, 'action') ?? stringField(body, 'behavior');
      if (answer !== undefined) context.answer = answer;
      return undefined;
    }
    case 'hook': {
      const specific = isJsonObject(body.hookSpecificOutput) ? body.hookSpecificOutput : {};
      const decision = stringField(specific, 'permissionDecision') ?? stringField(body, 'decision');
      if (decision !== undefined) context.decision = decision;
      return undefined;
    }
    case 'mcp': {
      const answer = isJsonObject(body.mcp_response) ? body.mcp_response : body;
      if (isJsonObject(answer.error)) {
        return { kind: 'mcp_error', message: stringField(answer.error, 'message') ?? 'The server refused' };
      }
      const failed = isJsonObject(answer.result) && answer.result.isError === true;
      return failed ? { kind: 'tool_error', message: 'The tool failed' } : undefined;
    }
  }
}
