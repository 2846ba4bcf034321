import { prepend, remove, removeProperty, replace, setBody, setProperty } from './changes.mjs';

/**
 * Planted when the suite had been made fair, by level: three bugs that it once missed, and thirty-one of other kinds
 * than those before. What it found of them at first is in docs/evidence/conformance-mutants.md.
 */
export default {
  L0: [
    {
      name: 'results-shown-twice',
      symbol: 'QueryController.#show',
      change: replace(
        'this.#options.receiver.onMessage(frame, bytes, line)',
        "(this.#options.receiver.onMessage(frame, bytes, line), frame.type === 'result' && this.#options.receiver.onMessage(frame, bytes, line))",
      ),
      breaks: 'A result is delivered twice.',
    },
    {
      name: 'tool-results-hidden',
      symbol: 'QueryController.#show',
      change: prepend("if (frame.type === 'user') return"),
      breaks: 'User frames of the CLI, which hold the results of tools, are not delivered.',
    },
    {
      name: 'numbers-rounded',
      symbol: 'QueryController.#show',
      change: prepend(
        "if (typeof frame.total_cost_usd === 'number') frame.total_cost_usd = Math.round(frame.total_cost_usd * 100) / 100",
      ),
      breaks: 'The cost of a result is rounded to cents.',
    },
  ],
  L1: [
    {
      name: 'settings-path-ignored',
      symbol: 'planSettings',
      change: replace("options.settings === ''", "typeof options.settings === 'string'"),
      breaks: 'Settings that are given as the path of a file are not passed.',
    },
    {
      name: 'plugin-paths-ignored',
      symbol: 'pluginFlags',
      change: setBody('return [];'),
      breaks: 'The folders of plugins are not passed.',
    },
    {
      name: 'debug-file-ignored',
      symbol: 'buildArgv',
      change: replace(
        "o.debugFile ? flag('debug-file', o.debugFile) : toggle('debug', o.debug)",
        "toggle('debug', o.debug)",
      ),
      breaks: 'The path of the debug log is not passed.',
    },
    {
      name: 'agents-lost',
      symbol: 'buildInitializePayload',
      change: removeProperty('agents'),
      breaks: 'Agents of the caller are not sent.',
    },
    {
      name: 'empty-variables-dropped',
      symbol: 'copyEnvironment',
      change: replace('value !== undefined && value !== null', 'Boolean(value)'),
      breaks: 'Variables of the caller that are empty do not reach the CLI.',
    },
    {
      name: 'budget-in-whole-dollars',
      symbol: 'buildArgv',
      change: replace('finite(o.maxBudgetUsd)', 'o.maxBudgetUsd && Math.ceil(o.maxBudgetUsd)'),
      breaks: 'A budget of half a dollar becomes one dollar.',
    },
    {
      name: 'prompt-trimmed',
      symbol: 'SessionInput.#sendString',
      change: replace('userFrame(prompt)', 'userFrame(prompt.trim())'),
      breaks: 'White space at the edges of a prompt is lost.',
    },
  ],
  L2: [
    {
      name: 'subagent-frames-without-a-parent',
      symbol: 'QueryController.#show',
      change: prepend('if (frame.parent_tool_use_id) frame.parent_tool_use_id = null'),
      breaks: 'Frames of subagents look like those of the main conversation.',
    },
    {
      name: 'later-inits-hidden',
      symbol: 'QueryController.#show',
      change: prepend(
        "if (frame.subtype === 'init' && Reflect.get(this, 'sawInit')) return; if (frame.subtype === 'init') Reflect.set(this, 'sawInit', true)",
      ),
      breaks: 'Only the first system/init of a session is delivered.',
    },
    {
      name: 'images-of-messages-lost',
      symbol: 'QueryController.sendUserMessage',
      change: prepend(
        "const given = (frame as JsonObject).message as JsonObject | undefined; if (Array.isArray(given?.content)) frame = { ...frame, message: { ...given, content: given.content.filter((block) => block.type === 'text') } }",
      ),
      breaks: 'Of the blocks of a message only texts are written.',
    },
    {
      name: 'fields-of-messages-lost',
      symbol: 'QueryController.sendUserMessage',
      change: prepend(
        "frame = { type: 'user', message: (frame as JsonObject).message, parent_tool_use_id: null, session_id: '' }",
      ),
      breaks: 'Fields that the caller gave beside the content of a message are not written.',
    },
  ],
  L3: [
    {
      name: 'thinking-null-left-out',
      symbol: 'SessionQuery.setMaxThinkingTokens',
      change: setProperty('max_thinking_tokens', 'maxThinkingTokens ?? undefined'),
      breaks: 'A limit of null, which takes the limit away, is not sent.',
    },
    {
      name: 'request-after-the-end-hangs',
      symbol: 'OutboundRequests.#send',
      change: replace('throw closedBeforeResponse(subtype, queue.closedBy)', 'return new Promise(() => {})'),
      breaks: 'A request that is made when the session is over never settles.',
    },
    {
      name: 'file-limit-by-another-name',
      symbol: 'SessionQuery.readFile',
      change: replace(
        'omitUndefined({ path, max_bytes, encoding })',
        'omitUndefined({ path, maxBytes: max_bytes, encoding })',
      ),
      breaks: 'read_file carries its limit under a name that the CLI does not know.',
    },
  ],
  L4: [
    {
      name: 'elicitation-schema-lost',
      symbol: 'toElicitation',
      change: removeProperty('requestedSchema'),
      breaks: 'The callback for an elicitation is not told what is asked for.',
    },
    {
      name: 'malformed-question-unanswered',
      symbol: 'InboundRouter.accept',
      change: remove("this.#refuseMalformed(requestId, 'request is missing or not an object')"),
      breaks: 'A malformed request that has an id gets no answer.',
    },
    {
      name: 'permission-updates-lost',
      symbol: 'permissions',
      change: replace('success(answer)', 'success({ ...answer, updatedPermissions: undefined })'),
      breaks: 'The permission updates of an allow are not sent.',
    },
    {
      name: 'interrupt-of-a-deny-lost',
      symbol: 'permissions',
      change: replace('success(answer)', 'success({ ...answer, interrupt: undefined })'),
      breaks: 'A deny that should interrupt the turn does not.',
    },
    {
      name: 'agent-of-a-question-lost',
      symbol: 'toCallbackOptions',
      change: removeProperty('agentID'),
      breaks: 'canUseTool is not told which agent asks.',
    },
    {
      name: 'withdrawn-question-holds-stdin',
      symbol: 'InboundRouter.onCancel',
      change: remove('this.#openCount -= 1'),
      breaks: 'After a question was withdrawn stdin is never closed.',
    },
    {
      name: 'open-questions-forgotten',
      symbol: 'openQuestionsOf',
      change: setBody('return [];'),
      breaks: 'Questions that were open before the host connected are not asked.',
    },
    {
      name: 'hook-not-told-of-its-tool-call',
      symbol: 'hookCallbacks',
      change: replace('hook.callback($input, $id, $more)', 'hook.callback($input, undefined, $more)'),
      breaks: 'A hook does not get the id of the tool call.',
    },
  ],
  L5: [
    {
      name: 'structured-content-lost',
      symbol: 'ToolTableEndpoint.#run',
      change: replace(
        'resultResponse(id, checked.result)',
        'resultResponse(id, { content: checked.result.content, isError: checked.result.isError })',
      ),
      breaks: 'Of the result of a tool only its content is sent.',
    },
    {
      name: 'removed-server-still-served',
      symbol: 'McpBridge.remove',
      change: setBody(''),
      breaks: 'A server that was left out of a later set is served as before.',
    },
    {
      name: 'first-server-answers-all',
      symbol: 'McpBridge.handle',
      change: replace(
        'const { server_name: name, message } = request;',
        'const { message } = request; const name = [...this.#endpoints.keys()][0] ?? request.server_name;',
      ),
      breaks: 'Messages for the second server go to the first.',
    },
    {
      name: 'cancel-stops-all-calls',
      symbol: 'ToolTableEndpoint.#cancel',
      change: replace(
        'this.#running.get(requestId)?.cancel(reason)',
        '[...this.#running.values()].forEach((call) => call.cancel(reason))',
      ),
      breaks: 'The cancellation of one call of a tool cancels all that run.',
    },
  ],
  L6: [
    {
      name: 'entries-of-a-batch-reversed',
      symbol: 'appendEntries',
      change: replace('text === undefined ? entries : $rest', 'text === undefined ? [...entries].reverse() : $rest'),
      breaks: 'Entries of one append reach the store in the wrong order.',
    },
    {
      name: 'lost-entries-not-reported',
      symbol: 'TranscriptMirror.#fail',
      change: remove('this.#options.onFailure({ key, error })'),
      breaks: 'Nobody is told that the store failed.',
    },
  ],
  L7: [
    {
      name: 'signal-becomes-an-exit-code',
      symbol: 'ProcessTransport.#onExit',
      change: replace(
        'this.#end.exited({ exitCode, signal }, $quiet)',
        'this.#end.exited({ exitCode: exitCode ?? 1, signal: null }, $quiet)',
      ),
      breaks: 'The error of a CLI that was killed does not name the signal.',
    },
    {
      name: 'stdin-stays-open-behind-stdout',
      symbol: 'ProcessTransport.#onStdoutEnd',
      change: remove('this.endInput()'),
      breaks: 'A CLI that closed stdout and waits for the end of its input is left waiting.',
    },
  ],
  L8: [
    {
      name: 'long-queue-loses-one-when-compacted',
      symbol: 'MessageQueue.#compact',
      change: replace('this.#items.slice(this.#head)', 'this.#items.slice(this.#head + 1)'),
      breaks: 'A reader that is far behind loses a message now and then.',
    },
  ],
};
