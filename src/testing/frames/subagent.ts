import { requireKnown } from '../../errors/usage-errors.js';
import type { SDKAssistantMessage, SDKMessage } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import type { ExchangeFrames } from './exchanges.js';
import { type MessageFrames, TIMESTAMP, usage } from './messages.js';
import type { FrameSession } from './session.js';

/** Builders of the frames of one sub-agent. */
export interface SubagentFrames
  extends Pick<MessageFrames, 'assistantText' | 'assistantThinking' | 'toolUse' | 'toolResult'>,
    Pick<ExchangeFrames, 'permission' | 'hook'> {
  readonly agentId: string;
}

export interface SubagentDetails {
  /** @defaultValue 'general-purpose' */
  readonly type?: string;
  /** What it does, in a few words. @defaultValue 'Do a part' */
  readonly description?: string;
  /** What it is asked to do. @defaultValue the description */
  readonly prompt?: string;
  /** The main agent does not wait for it. @defaultValue false */
  readonly background?: boolean;
}

export interface SubagentBuilder {
  /**
   * A whole sub-agent in the CLI's order: the `Agent` call, `task_started`, the prompt, its messages with a
   * `task_progress` for each tool call, `task_updated`, `task_notification`, the result of the call. In the background
   * the call ends with the launch, and the CLI begins a turn when the sub-agent is done: put `init()`, a text and
   * `result()` behind it.
   * @param report - What the sub-agent says at its end.
   * @param inside - What comes while it works: its own messages from the builders that it gets, and in the background
   *   those of the main agent. The CLI sends texts and thinking of a foreground sub-agent only with
   *   `forwardSubagentText`.
   * @throws InvalidOptionError a detail is not known.
   *
   * @example
   * subagent('Two files.', ({ toolUse, toolResult }) => [toolUse('Bash', { command: 'ls' }), toolResult('a b')])
   */
  subagent<T = SDKMessage>(
    report: string,
    inside?: (agent: SubagentFrames) => readonly T[],
    details?: SubagentDetails,
  ): [SDKAssistantMessage, ...(T | SDKMessage)[]];
}

export function subagentBuilder(session: FrameSession, frames: MessageFrames & ExchangeFrames): SubagentBuilder {
  const { systemMessage, toolResult } = frames;
  return {
    subagent: (report, inside = () => [], given = {}) => {
      const details = requireKnown('subagent()', 'details', given, ['type', 'description', 'prompt', 'background']);
      const { type = 'general-purpose', description = 'Do a part', background = false } = details;
      const { prompt = description } = details;
      const asked = { description, prompt, subagent_type: type };
      const call = frames.toolUse('Agent', background ? asked : { ...asked, run_in_background: false });
      const toolUse = session.lastToolUse;
      const tool_use_id = toolUse?.id ?? '';
      const task = { task_id: session.id('agent_'), run_id: session.id('run_') };
      const kind = { task_type: 'local_agent', subagent_type: type, description };
      const output_file = `${session.cwd}/tasks/${task.task_id}.output`;
      const agent = framesInside(session, frames, {
        parent_tool_use_id: tool_use_id,
        agent_id: task.task_id,
        subagent_type: type,
        task_description: description,
      });
      const answer = (content: string, output: JsonObject) =>
        toolResult('', {
          message: {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id, content: [{ type: 'text', text: content }] }],
          },
          tool_use_result: {
            agentId: task.task_id,
            prompt,
            resolvedModel: session.model,
            ...output,
            canContinueAgent: true,
          },
        });

      const calls: string[] = [];
      const work = () => {
        const steps = calls.length + 1;
        return { total_tokens: 15 * steps, tool_uses: calls.length, duration_ms: 30 * steps };
      };
      const progressed = <T>(item: T): (T | SDKMessage)[] => {
        if (Array.isArray(item) && item.some((each) => toolCallIn(each, tool_use_id))) return item.flatMap(progressed);
        const tool = toolCallIn(item, tool_use_id);
        if (tool === undefined) return [item];
        calls.push(tool.name);
        const progress = systemMessage('task_progress', {
          ...{ ...task, tool_use_id, subagent_type: type, last_tool_name: tool.name, usage: work() },
          description: `Running ${String(tool.input.description ?? tool.name)}`,
        });
        return background ? [item, progress] : [progress, item];
      };
      const started = systemMessage('task_started', {
        ...{ ...task, tool_use_id, ...kind, is_backgrounded: background, spawn_depth: 1, prompt },
      });
      const items = inside(agent).flatMap(progressed);
      session.lastToolUse = toolUse;
      const ended = [
        systemMessage('task_updated', { ...task, patch: { status: 'completed', end_time: Date.parse(TIMESTAMP) } }),
        systemMessage('task_notification', {
          ...{ ...task, tool_use_id, status: 'completed', output_file, summary: report, usage: work() },
          ...(background && { summary_is_report: true }),
        }),
      ];
      if (background) {
        const launch = { isAsync: true, status: 'async_launched', description, outputFile: output_file };
        return [
          call,
          ...[systemMessage('background_tasks_changed', { tasks: [{ ...task, ...kind }] }), started],
          answer('Async agent launched successfully.', { ...launch, canReadOutputFile: true }),
          ...[...items, agent.assistantText(report), ...ended],
          systemMessage('background_tasks_changed', { tasks: [] }),
        ];
      }
      const { total_tokens, tool_uses, duration_ms } = work();
      const totals = { totalDurationMs: duration_ms, totalTokens: total_tokens, totalToolUseCount: tool_uses };
      return [
        call,
        started,
        agent.toolResult('', { message: { role: 'user', content: [{ type: 'text', text: prompt }] } }),
        ...[...items, ...ended],
        answer(report, {
          ...{ status: 'completed', agentType: type, content: [{ type: 'text', text: report }], ...totals },
          ...{ usage: usage(10, 5), toolsUsed: [...new Set(calls)], toolStats: NO_STATS },
        }),
      ];
    },
  };
}

/** The builders with the fields of a sub-agent. What it says is not the text of the turn. */
function framesInside(
  session: FrameSession,
  frames: MessageFrames & ExchangeFrames,
  own: Required<Pick<SDKAssistantMessage, 'agent_id' | 'subagent_type' | 'task_description'>> & {
    readonly parent_tool_use_id: string;
  },
): SubagentFrames {
  const { agent_id } = own;
  return {
    agentId: agent_id,
    assistantText: (text, over) => {
      const { lastText } = session;
      const message = frames.assistantText(text, { ...own, ...over });
      session.lastText = lastText;
      return message;
    },
    assistantThinking: (text, over) => frames.assistantThinking(text, { ...own, ...over }),
    toolUse: (name, input, over) => frames.toolUse(name, input, { ...own, ...over }),
    toolResult: (content, over) => frames.toolResult(content, { ...own, ...over }),
    permission: (name, input, details) =>
      frames.permission(name, input, { ...details, fields: { agent_id, ...details?.fields } }),
    hook: (event, input, details) => frames.hook(event, { agent_id, agent_type: own.subagent_type, ...input }, details),
  };
}

/** The call of a tool that a message of the sub-agent has. */
function toolCallIn(
  item: unknown,
  parentId: string,
): { readonly name: string; readonly input: JsonObject } | undefined {
  const message = item as Partial<SDKAssistantMessage>;
  if (message.type !== 'assistant' || message.parent_tool_use_id !== parentId) return undefined;
  const block = message.message?.content.find(({ type }) => type === 'tool_use');
  return block?.type === 'tool_use' ? { name: block.name, input: Object(block.input) } : undefined;
}

const NO_STATS = {
  readCount: 0,
  searchCount: 0,
  bashCount: 0,
  editFileCount: 0,
  linesAdded: 0,
  linesRemoved: 0,
  otherToolCount: 0,
};
