import type { ObservedOutcomes } from './observe-outcomes.js';

type Turns = ObservedOutcomes['turns'];

/** A process whose end is that of its last turn, unless it is named. */
function run(turns: Turns, end?: ObservedOutcomes['end']): ObservedOutcomes {
  const last = end ?? turns.at(-1);
  if (last === undefined) throw new Error('a process without turns needs its end named');
  return { turns, end: last };
}

/** One process, so many good turns. */
function completed(turns = 1): ObservedOutcomes[] {
  return [run(Array.from({ length: turns }, () => 'completed' as const))];
}

/**
 * What each recording comes down to: its processes, and the outcome of each of their turns. Judged
 * by reading the recording. A new one has to be judged too: the test fails until it is here.
 */
export const expectedOutcomes: Readonly<Record<string, readonly ObservedOutcomes[]>> = {
  'accept-edits-bash': completed(),
  'accept-edits-mode': completed(),
  'adapter-webfetch-deny-rule': completed(),
  'adapter-webfetch-no-preflight': completed(),
  'adapter-webfetch-preflight': completed(),
  // A 400 too, but about money.
  'api-400-credit': [run(['billing'])],
  // A 400 that the CLI itself calls unknown.
  'api-400': [run(['invalid_request'])],
  'api-401': [run(['auth'])],
  'api-403': [run(['auth'])],
  'api-404-model': [run(['model_not_found'])],
  'api-429-no-header': [run(['rate_limited'])],
  // The CLI waited and got its answer.
  'api-429-retry-then-ok': completed(),
  'api-500-exhausted': [run(['server_error'])],
  'api-500-retry-then-ok': completed(),
  // The CLI calls it server_error; the status is the overload.
  'api-529-exhausted': [run(['overloaded'])],
  // Another model answered.
  'api-529-fallback-model': completed(),
  'api-529-retry-then-ok': completed(),
  'api-connection-refused': [run(['connection_failed'])],
  'api-empty-content': completed(),
  // Cut off and continued by the CLI.
  'api-max-tokens': completed(),
  // A 200 with HTML: the API side is not an API.
  'api-not-json': [run(['server_error'])],
  // A 400 as well; terminal_reason tells.
  'api-prompt-too-long': [run(['context_overflow'])],
  'api-rate-limit-headers': completed(),
  // Refused once, asked again, answered.
  'api-refusal': completed(),
  'api-sse-error': completed(),
  // No HTTP answer in time; the CLI blames the server.
  'api-timeout': [run(['connection_failed'])],
  'api-truncated-stream': completed(),
  'ask-user-question-deny': completed(),
  'ask-user-question': completed(),
  // Refused at start, with a reason.
  'await-initialize-not-first': [run(['not_started'])],
  'await-initialize': completed(),
  'background-tasks-request': completed(2),
  // Stderr and exit 1, nothing on stdout.
  'bad-flag': [run([], 'not_started')],
  'bad-mcp-config': [run([], 'not_started')],
  'bad-permission-mode': [run([], 'not_started')],
  'bad-settings': [run([], 'not_started')],
  // Our own bad frame, before any turn.
  'bad-user-message': [run([], 'not_started')],
  'bash-allowed-tools': completed(),
  'bash-background-eof': completed(2),
  // The task's end starts a turn by itself.
  'bash-background': completed(2),
  'bash-bypass-as-root-startup-results': [run(['not_started'])],
  'bash-bypass-as-root': [run([], 'not_started')],
  'bash-bypass-is-sandbox': completed(),
  'bash-bypass-non-root': completed(),
  'bash-bypass-not-allowed-flag': completed(),
  'bash-long': completed(),
  // Nor do denied ones.
  'bash-no-permission-host': completed(),
  'can-use-tool-allow-bare': completed(),
  'can-use-tool-allow': completed(),
  'can-use-tool-bad-shape': completed(),
  'can-use-tool-cancel-by-interrupt': [run(['interrupted', 'completed'])],
  // A deny that interrupts is an interrupt.
  'can-use-tool-deny-interrupt': [run(['interrupted', 'completed'])],
  // A denied tool does not fail the turn.
  'can-use-tool-deny': completed(),
  'can-use-tool-eof': completed(),
  'can-use-tool-error': completed(),
  'can-use-tool-late': completed(),
  'can-use-tool-parallel-reads': completed(),
  'can-use-tool-parallel': completed(),
  'can-use-tool-set-mode-while-open': completed(),
  // SIGTERM becomes exit code 143, with no result.
  'can-use-tool-sigterm': [run([], 'crashed')],
  'can-use-tool-unknown-id': completed(),
  'can-use-tool-updated-input': completed(),
  'can-use-tool-updated-permissions': completed(),
  // Only control requests: no turn was asked for.
  'cancel-own-request': [run([], 'incomplete')],
  'change-requests': completed(2),
  'compact-auto': completed(3),
  // The command failed, the CLI reports an answer, the session goes on.
  'compact-manual-fails': completed(2),
  'compact-manual': completed(4),
  'continue-nothing': completed(),
  continue: [run(['completed']), run(['completed'])],
  'control-before-initialize': completed(),
  'debug-stderr': completed(),
  'deny-rule': completed(),
  'disallowed-tools': completed(),
  'dont-ask-mode': completed(),
  elicitation: completed(),
  'end-session': completed(),
  // Nothing was asked, nothing came, exit 0.
  'eof-at-once': [run([], 'incomplete')],
  'eof-before-result': completed(),
  'eof-mid-tool': completed(),
  'eof-partial-line': completed(),
  'eof-then-hook': completed(),
  // The last result decides, as for the exit code.
  'error-then-next-turn': [run(['auth', 'completed'])],
  'fork-session-id': [run(['completed']), run(['completed'])],
  fork: [run(['completed']), run(['completed'])],
  'hello-no-entrypoint': completed(),
  'hello-plain-env': completed(),
  hello: completed(),
  'home-without-config-dir': completed(),
  'hook-additional-context': completed(),
  'hook-ask-accept-edits': completed(),
  'hook-async': completed(),
  'hook-bad-shape': completed(),
  'hook-command-no-flag': completed(),
  'hook-conflict': completed(),
  // Ended by the hook, with an empty text.
  'hook-continue-false': [run(['hook_stopped'])],
  // Interrupted after 100 s of an unanswered hook.
  'hook-default-timeout': [run(['interrupted'])],
  'hook-error-block': completed(),
  'hook-error': completed(),
  'hook-events-frames': completed(),
  'hook-interrupt': [run(['interrupted'])],
  'hook-matcher': completed(),
  'hook-never-answered-eof': completed(),
  'hook-permission-request': completed(),
  'hook-posttool-block': completed(),
  // The same from PostToolUse.
  'hook-posttool-continue-false': [run(['hook_stopped'])],
  'hook-posttool-failure': completed(),
  'hook-posttool-updated-output': completed(),
  'hook-pretool-allow': completed(),
  'hook-pretool-ask': completed(),
  'hook-pretool-block-old-style': completed(),
  // The call waits for somebody.
  'hook-pretool-defer': [run(['deferred'])],
  'hook-pretool-deny': completed(),
  'hook-pretool-updated-input-only': completed(),
  'hook-session-clear': completed(4),
  'hook-session-start': completed(),
  'hook-stop-block': completed(),
  // Stopped by a hook after its output: complete.
  'hook-structured-output-stop': completed(),
  'hook-timeout': completed(),
  'hook-updated-input-question': completed(),
  // The prompt never reached the model; only the informational message says so.
  'hook-userprompt-block': [run(['hook_stopped'])],
  'hooks-all-events': completed(),
  'hooks-main-four': completed(),
  'image-input': completed(),
  'info-requests': completed(),
  'initialize-after-message': completed(),
  'initialize-bad': completed(),
  'initialize-hello-state': completed(),
  // No user message was written.
  'initialize-only': [run([], 'incomplete')],
  'initialize-options': completed(),
  'initialize-pipelined': completed(),
  'interrupt-bash': [run(['interrupted', 'completed'])],
  'interrupt-before-response': [run(['interrupted', 'completed'])],
  'interrupt-idle': completed(),
  'interrupt-streaming-partial': [run(['interrupted'])],
  'interrupt-streaming': [run(['interrupted', 'completed'])],
  // Two interrupts around a queued turn.
  'interrupt-with-queue': [run(['interrupted', 'completed', 'interrupted'])],
  'keep-alive-idle': completed(),
  // Only control requests.
  'keep-alive-long-request': [run([], 'incomplete')],
  'large-message': completed(),
  'large-text': completed(),
  'large-tool-output': completed(),
  // The same, as the very first line.
  'malformed-json-first': [run([], 'not_started')],
  // The same, after initialize was answered: no turn had begun.
  'malformed-json': [run([], 'not_started')],
  'max-budget': [run(['max_budget', 'max_budget'])],
  // The limit counts per user message.
  'max-turns': [run(['max_turns', 'max_turns'])],
  'mcp-always-load': completed(),
  'mcp-sdk-argv': completed(),
  'mcp-sdk-call-timeout': completed(),
  'mcp-sdk-elicitation': completed(),
  'mcp-sdk-error-response': completed(),
  'mcp-sdk-init-fails': completed(),
  'mcp-sdk-interrupt': [run(['interrupted'])],
  'mcp-sdk-manifests': completed(),
  'mcp-sdk-never-answers': completed(),
  'mcp-sdk-parallel': completed(),
  'mcp-sdk-permission': completed(),
  'mcp-sdk-server-messages': completed(),
  'mcp-sdk': completed(),
  'mcp-set-servers': completed(),
  'mcp-stdio': completed(),
  'message-during-tool': completed(),
  'multi-turn': completed(3),
  'name-flag': completed(),
  // No request was made at all: told by the assistant error.
  'no-api-key': [run(['auth'])],
  'no-session-persistence': completed(),
  'no-verbose': [run([], 'not_started')],
  // Odd input, two good turns.
  'odd-frames': completed(2),
  // SIGTERM after the grace; the session itself reports an AbortError instead.
  'official-sdk-abort': [run([], 'crashed')],
  // The same through close().
  'official-sdk-close': [run([], 'crashed')],
  'official-sdk-hello': completed(),
  // A schema was given, the model answered with text.
  'official-sdk-many': [run(['structured_output_failed'])],
  'official-sdk-mcp': completed(),
  'official-sdk-methods': [run(['interrupted', 'completed'])],
  // An unknown session id: zeroed result, no turn.
  'official-sdk-resume': [run(['not_started'])],
  'official-sdk-sysprompt': [run([], 'not_started')],
  'official-sdk-tool': completed(),
  'parallel-tools': completed(),
  'partial-messages': completed(),
  'permission-outside-cwd': completed(),
  'permission-prompt-mcp-tool': completed(),
  'permission-prompts-none': completed(),
  'pipelined-messages-eof': completed(2),
  'pipelined-messages': completed(2),
  'plan-mode-file': completed(),
  'plan-mode-reject': completed(),
  'plan-mode': completed(),
  'print-argument': completed(),
  // --output-format json: the result is the only frame.
  'print-json': completed(),
  'print-no-verbose': [run([], 'not_started')],
  'prompt-suggestions': completed(2),
  'queued-messages': completed(2),
  'replay-user-messages': completed(2),
  // SIGKILL, then a good resume.
  'resume-after-kill': [run([], 'crashed'), run(['completed'])],
  'resume-missing-initialize': [run(['not_started'])],
  'resume-missing': [run(['not_started'])],
  'resume-other-cwd': [run(['completed']), run(['completed'])],
  'resume-session-at': [run(['completed', 'completed']), run(['completed'])],
  resume: [run(['completed']), run(['completed'])],
  'rewind-files': completed(),
  'sandbox-bwrap-fails': completed(),
  'sandbox-credentials-deny': completed(),
  'sandbox-deny-read': completed(),
  'sandbox-excluded-bare-name': completed(),
  'sandbox-excluded-commands': completed(),
  'sandbox-file-tools-blocked': completed(),
  'sandbox-file-tools-bypass': completed(),
  'sandbox-net-localhost': completed(),
  'sandbox-net-none-bypass': completed(),
  'sandbox-net-question': completed(),
  'sandbox-net-strict-bypass': completed(),
  'sandbox-net-strict-default': completed(),
  'sandbox-no-bwrap': completed(),
  'sandbox-proxy-both': completed(),
  'sandbox-proxy-http-only': completed(),
  // Refused at start, with a reason.
  'sandbox-required-no-bwrap': [run(['not_started'])],
  'sandbox-settings-wrong-type': [run(['not_started'])],
  'sandbox-start': completed(),
  'sandbox-tmp-allowed': completed(),
  'sandbox-tmp-denied': completed(),
  'sandbox-whole-isolation': completed(),
  'session-file-subagent': completed(),
  'session-files': completed(),
  // A new id, the same id again, not a uuid.
  'session-id': [run(['completed']), run([], 'not_started'), run([], 'not_started')],
  'set-max-thinking-tokens': completed(3),
  'set-model-mid-turn': completed(),
  'set-model-refused': completed(2),
  'set-model': completed(4),
  'set-permission-mode': completed(),
  'setting-sources-none': completed(),
  'settings-files': completed(),
  'settings-flag': completed(),
  'settings-managed': completed(),
  'settings-wrong-type': completed(),
  // The first result is empty: the message was only kept.
  'should-query-false': completed(2),
  'sigint-idle': completed(),
  // Exit 0 after an error result: the result decides.
  'sigint-streaming': [run(['interrupted'])],
  'sigkill-bash': [run([], 'crashed')],
  'sigterm-bash': [run([], 'crashed')],
  // A good turn, then a signal: the answer is there, the process is not.
  'sigterm-idle': [run(['completed'], 'crashed')],
  'sigterm-streaming': [run([], 'crashed')],
  'skill-and-command': completed(),
  // Local commands end as empty turns.
  'slash-commands': completed(6),
  'slow-api': completed(),
  'startup-marks': completed(),
  // The reader closed stdout in a turn; exit 0.
  'stdout-closed': [run([], 'incomplete')],
  'stop-task': completed(),
  // Refused at start.
  'structured-output-bad-schema': [run([], 'not_started')],
  // Five bad tries.
  'structured-output-failure': [run(['structured_output_failed'])],
  'structured-output-initialize': completed(),
  'structured-output-retry': completed(),
  // Reads as a success; the init shows that a schema was given.
  'structured-output-text-only': [run(['structured_output_failed'])],
  'structured-output': completed(),
  'subagent-background': completed(2),
  'subagent-custom': completed(2),
  'subagent-eof': completed(2),
  'subagent-foreground-forward': completed(),
  'subagent-foreground-text': completed(),
  'subagent-foreground': completed(),
  'subagent-forward-text': completed(2),
  // A good turn, then an interrupt of a foreground agent.
  'subagent-interrupt': [run(['completed', 'interrupted'])],
  'subagent-partial': completed(2),
  'subagent-unknown-type': completed(),
  subagent: completed(2),
  'thinking-block': completed(),
  'thinking-partial': completed(),
  'todo-and-tasks': completed(),
  // Failed tools do not fail the turn.
  'tool-errors': completed(),
  'tool-progress': completed(),
  'tools-empty': completed(),
  'unknown-control-request': completed(),
};
