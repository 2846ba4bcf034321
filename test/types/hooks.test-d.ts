import type {
  BaseHookInput,
  ConfigChangeHookInput,
  CwdChangedHookInput,
  ElicitationResultHookInput,
  ExitReason,
  FileChangedHookInput,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
  HookSpecificOutput,
  InstructionsLoadedHookInput,
  MessageDisplayHookInput,
  Options,
  PermissionDeniedHookInput,
  PostModelSwitchHookInput,
  PostToolBatchHookInput,
  PreToolUseHookInput,
  SessionEndHookInput,
  SessionStartHookInput,
  StopFailureHookInput,
  StopHookInput,
  TaskCreatedHookInput,
  UserPromptExpansionHookInput,
} from '../../src/index.js';
import { fits, type Same } from './assignable.js';

/** Hooks as programs for the official SDK write and read them. Compiled, not run. */

// Every event has an input of its own, and nothing else has.
fits<Same<HookInput['hook_event_name'], HookEvent>>(true);
fits<Same<Extract<HookInput, { hook_event_name: 'Stop' }>, StopHookInput>>(true);

/** What a host's log would take of each input. */
export function subjectOf(input: HookInput): string {
  switch (input.hook_event_name) {
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionDenied':
      return `${input.mcp_server?.name ?? 'own'}/${input.tool_name} ${input.tool_use_id}`;
    case 'PostToolBatch':
      return input.tool_calls.map(({ tool_name }) => tool_name).join();
    case 'SessionStart':
      return `${input.source} ${input.session_title ?? ''} ${input.context_tokens ?? 0}`;
    case 'SessionEnd':
      return input.reason;
    case 'Stop':
    case 'SubagentStop':
      return `${input.stop_hook_active} ${input.background_tasks?.length} ${input.session_crons?.[0]?.schedule}`;
    case 'StopFailure':
      return `${input.error} ${input.error_details ?? ''}`;
    case 'PreModelSwitch':
    case 'PostModelSwitch':
      return `${input.from_model} to ${input.to_model}, ${input.estimated_cache_write_usd.toFixed(2)}`;
    case 'TaskCreated':
    case 'TaskCompleted':
      return input.task_subject;
    case 'Elicitation':
      return `${input.mcp_server_name}: ${input.message}`;
    case 'ElicitationResult':
      return `${input.mcp_server_name}: ${input.action}`;
    case 'FileChanged':
      return `${input.event} ${input.file_path}`;
    case 'Setup':
      return input.trigger;
    default:
      return `${input.effort?.level ?? ''} ${input.session_id}`;
  }
}

fits<SessionStartHookInput['source']>('fork');
fits<Same<SessionEndHookInput['reason'], ExitReason>>(true);
fits<ExitReason>('prompt_input_exit');
// @ts-expect-error There is no such reason.
fits<ExitReason>('bored');
fits<BaseHookInput[]>([
  ...([] as PreToolUseHookInput[]),
  ...([] as PostToolBatchHookInput[]),
  ...([] as PermissionDeniedHookInput[]),
  ...([] as UserPromptExpansionHookInput[]),
  ...([] as MessageDisplayHookInput[]),
  ...([] as StopFailureHookInput[]),
  ...([] as PostModelSwitchHookInput[]),
  ...([] as TaskCreatedHookInput[]),
  ...([] as ElicitationResultHookInput[]),
  ...([] as ConfigChangeHookInput[]),
  ...([] as InstructionsLoadedHookInput[]),
  ...([] as CwdChangedHookInput[]),
  ...([] as FileChangedHookInput[]),
]);

// A hook may ask for the whole union, or for what all inputs have.
fits<HookCallback>(async (input: HookInput) => ({ systemMessage: subjectOf(input) }));
fits<HookCallback>(async (input: BaseHookInput, id: string | undefined) => ({ reason: `${input.cwd} ${id}` }));
// @ts-expect-error It has to answer.
fits<HookCallback>(async () => {});
// @ts-expect-error And with a promise.
fits<HookCallback>(() => ({}));
// A hook around another one, and one that reads its answer.
fits<(inner: HookCallback) => HookCallback>((inner) => async (...args) => {
  const output: HookJSONOutput = await inner(...args);
  return 'decision' in output ? { ...output, systemMessage: 'seen' } : output;
});
// Around those that are in options already.
fits<(options: Options) => Options['hooks']>(({ hooks }) => ({
  ...hooks,
  PreToolUse: (hooks?.PreToolUse ?? []).map((matcher) => ({
    ...matcher,
    hooks: matcher.hooks.map(
      (hook): HookCallback =>
        (...args) =>
          hook(...args).then((output) => ({ ...output })),
    ),
  })),
}));
// @ts-expect-error A decision of another kind.
fits<HookCallback>(async () => ({ decision: 'perhaps' }));
fits<HookCallbackMatcher>({ hooks: [], onFailure: 'block', timeout: 60 });

fits<HookJSONOutput[]>([
  {},
  { async: true, asyncTimeout: 1000 },
  { continue: false, stopReason: 'enough', suppressOutput: true },
  { decision: 'block', reason: 'no', terminalSequence: '\u0007' },
]);
fits<HookSpecificOutput[]>([
  { hookEventName: 'PreToolUse', permissionDecision: 'defer', updatedInput: { a: 1 } },
  { hookEventName: 'PostToolUse', updatedToolOutput: 'x', classifierContext: 'y' },
  { hookEventName: 'PermissionRequest', decision: { behavior: 'deny' } },
  { hookEventName: 'PermissionRequest', decision: { behavior: 'allow', updatedPermissions: [] } },
  { hookEventName: 'PermissionDenied', retry: true },
  { hookEventName: 'UserPromptSubmit', sessionTitle: 't', suppressOriginalPrompt: true },
  { hookEventName: 'SessionStart', watchPaths: ['/a'], initialUserMessage: 'Hi' },
  { hookEventName: 'PreModelSwitch', permissionDecision: 'ask' },
  { hookEventName: 'Elicitation', action: 'accept', content: { a: 1 } },
  { hookEventName: 'WorktreeCreate', worktreePath: '/w' },
  { hookEventName: 'MessageDisplay', displayContent: '…' },
]);
// @ts-expect-error A worktree hook has to say where.
fits<HookSpecificOutput>({ hookEventName: 'WorktreeCreate' });
// @ts-expect-error A switch of models cannot be deferred.
fits<HookSpecificOutput>({ hookEventName: 'PreModelSwitch', permissionDecision: 'defer' });
