import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as adapter from '../src/adapter/index.js';
import * as bridge from '../src/bridge.js';
import * as browser from '../src/browser.js';
import * as core from '../src/core.js';
import * as extract from '../src/extract.js';
import * as entryPoint from '../src/index.js';
import * as testing from '../src/testing/index.js';
import * as sdkTools from '../src/tool-types/index.js';

/** Pins: they change on purpose, in the commit that says so. */

test('the entry point exports these names at run time and no others', () => {
  expect(Object.keys(entryPoint).sort()).toEqual([
    'AbortError',
    'BUILTIN_TOOL_NAMES',
    'CLIConnectionError',
    'CLIJSONDecodeError',
    'CLINotFoundError',
    'CLIVersionError',
    'ClaimError',
    'ClaudeClient',
    'ClaudeSDKError',
    'CommandMatcher',
    'ControlRequestError',
    'ControlRequestTimeoutError',
    'DirectConnectError',
    'DirectConnectTransport',
    'EXIT_REASONS',
    'FileIndex',
    'FileSessionStore',
    'FrameTooLargeError',
    'HOOK_EVENTS',
    'IdleTimeoutError',
    'InMemorySessionStore',
    'IncompleteStreamError',
    'InvalidOptionError',
    'LEGACY_TOOL_NAME_ALIASES',
    'MessageParseError',
    'NotSupportedError',
    'ORG_POLICY_LIMIT_PREFIXES',
    'ProcessError',
    'PromptError',
    'QueueLimitError',
    'ResultError',
    'RunDeadlineError',
    'SYSTEM_PROMPT_DYNAMIC_BOUNDARY',
    'SessionClosedError',
    'SessionFileError',
    'SessionNotFoundError',
    'SessionStoreError',
    'SpoolError',
    'ToolCallReader',
    'USAGE_LIMIT_ERROR_PREFIXES',
    'USAGE_TRANSITION_PREFIXES',
    'USAGE_WARNING_PREFIXES',
    'VERSION',
    'archiveSession',
    'channelNames',
    'createSdkMcpServer',
    'deleteSession',
    'filterEscalatingDefaultMode',
    'foldSessionSummary',
    'forkSession',
    'getSessionInfo',
    'getSessionMessages',
    'getSubagentMessages',
    'importSessionToStore',
    'isAPIRetryMessage',
    'isAssistantMessage',
    'isClaudeSDKError',
    'isCompactBoundaryMessage',
    'isHookResponseMessage',
    'isHookStartedMessage',
    'isInitMessage',
    'isPermissionDeniedMessage',
    'isRateLimitEvent',
    'isResultError',
    'isResultMessage',
    'isResultSuccess',
    'isStatusMessage',
    'isStreamEvent',
    'isTaskNotificationMessage',
    'isTaskProgressMessage',
    'isTaskStartedMessage',
    'isTaskUpdatedMessage',
    'isToolProgressMessage',
    'isUserMessage',
    'isUserMessageReplay',
    'listSessions',
    'listSubagents',
    'matchDeniedModels',
    'outcomeOf',
    'parseDirectConnectUrl',
    'parseMessage',
    'parseMessageOrThrow',
    'prewarm',
    'projectKeyForDirectory',
    'query',
    'renameSession',
    'resolveSettings',
    'startup',
    'summaryOf',
    'tagSession',
    'textOf',
    'tool',
    'toolCallOutcomes',
    'unarchiveSession',
  ]);
});

test('the other entries export the official names at run time and no others', async () => {
  const { runTimeNames } = JSON.parse(
    readFileSync(new URL('./fixtures/official-entries.json', import.meta.url), 'utf8'),
  ) as { runTimeNames: Record<string, string[]> };
  const entries = { './core': core, './extract': extract, './browser': browser, './bridge': bridge };
  for (const [entry, names] of Object.entries(entries)) {
    expect(Object.keys(names).sort(), entry).toEqual(runTimeNames[entry]);
  }
  expect(runTimeNames['.']?.filter((name) => !(name in entryPoint))).toEqual([]);
});

test('the testing entry exports these names at run time and no others', () => {
  expect(Object.keys(testing).sort()).toEqual([
    'LEVELS',
    'LineScrubber',
    'LineSplitter',
    'PlayerFolder',
    'ScenarioError',
    'ScriptError',
    'SentError',
    'SessionStoreContractError',
    'Variables',
    'assertSent',
    'cliSections',
    'convertRecording',
    'createFrames',
    'createPlayerLauncher',
    'createRecorderLauncher',
    'describeVerdict',
    'driverSteps',
    'faults',
    'formatScenario',
    'holdsSecret',
    'messagesApi',
    'outcomeFrames',
    'parseScenario',
    'readFlags',
    'readRecording',
    'recordOnce',
    'replaceSecrets',
    'replayTransport',
    'runSessionStoreContract',
    'scenarioOf',
    'scriptedCli',
    'sessionStoreContract',
    'sharedSessionStoreContract',
    'virtualTime',
  ]);
});

test('the adapter exports these names at run time and no others', () => {
  expect(Object.keys(adapter).sort()).toEqual([
    'AdapterConfigError',
    'AdapterError',
    'AdapterRegistry',
    'Budget',
    'BudgetExceededError',
    'BudgetExhaustedError',
    'BudgetTracker',
    'ClaudeAgentAdapter',
    'ClaudeAgentSDKAdapter',
    'ClaudeAgentWorkspace',
    'ClaudeAgentWorkspaceSection',
    'ClaudeCodeAdapter',
    'ClearAllVisibilityOverrides',
    'ClearVisibilityOverride',
    'Deadline',
    'DeadlineExceededError',
    'DeleteEntry',
    'EphemeralHome',
    'EvaluationAbortedError',
    'FileModified',
    'InProcessEventBus',
    'MarkdownSection',
    'ModifiedFiles',
    'NetworkPolicy',
    'Notification',
    'OPEN_SECTIONS',
    'OutputParseError',
    'Plan',
    'PlanUpdated',
    'Prompt',
    'PromptEvaluationError',
    'PromptExecuted',
    'PromptRenderError',
    'PromptRendered',
    'PromptTemplate',
    'PromptValidationError',
    'PublishResult',
    'RUN_REPORT_SCHEMA',
    'ResolvedType',
    'Section',
    'Session',
    'SessionSnapshot',
    'SetVisibilityOverride',
    'StructuredOutputRetriesError',
    'ThrottleError',
    'Tool',
    'ToolInvoked',
    'ToolPermissions',
    'ToolResult',
    'UnsupportedParameterError',
    'ValidationError',
    'VirtualFileSystem',
    'VisibilityExpansionRequired',
    'VisibilityOverrides',
    'Workspace',
    'WorkspaceBudgetExceededError',
    'WorkspaceConflictError',
    'WorkspaceSecurityError',
    'WorkspaceSourceMissingError',
    'WriteFile',
    'append',
    'appendAll',
    'changedFiles',
    'createEvent',
    'defineEvent',
    'defineParams',
    'defineSlice',
    'defineType',
    'evaluate',
    'extractModifiedFiles',
    'formatVfsPath',
    'generateSessionId',
    'isAgentEvent',
    'latestReducer',
    'parseValue',
    'parseValueAsync',
    'planPermissions',
    'recoverWriteBack',
    'renderToolPayload',
    'replaceLatest',
    'replaceLatestBy',
    'resolveType',
    'runAgent',
    'runParallel',
    'syncWorkspaceToVfs',
    'systemClock',
    'toAdapterLogger',
    'totalTokens',
    'upsertBy',
    'vfsPath',
    'writeBackToHost',
  ]);
});

test('the types-only entry exports nothing at run time', () => {
  expect(Object.keys(sdkTools)).toEqual([]);
});

test('VERSION is the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(entryPoint.VERSION).toBe(version);
});

/** The base class is thrown by itself too, but it is no kind of its own. The other one is for programs that name it. */
const NOT_THROWN: readonly string[] = ['ClaudeSDKError', 'DirectConnectError'];
const THROWN = Object.entries(entryPoint).flatMap(([name, value]) =>
  typeof value === 'function' && value.prototype instanceof Error && !NOT_THROWN.includes(name) ? [name] : [],
);

test('every error class keeps its name and its errorClass', () => {
  const exit = { exitCode: 1, signal: null, stderrTail: '' };
  const request = { subtype: 'interrupt', requestId: 'r' };
  const errors = [
    new entryPoint.AbortError(),
    new entryPoint.CLIConnectionError('x'),
    new entryPoint.CLINotFoundError('x'),
    new entryPoint.CLIVersionError('2.0.0', 'x'),
    new entryPoint.SessionClosedError('x'),
    entryPoint.ProcessError.fromExit(exit),
    entryPoint.ProcessError.fromExit({ ...exit, exitCode: null, signal: 'SIGKILL' }),
    new entryPoint.ResultError('x', {}),
    new entryPoint.CLIJSONDecodeError('x'),
    new entryPoint.FrameTooLargeError(1, 'x'),
    new entryPoint.MessageParseError('x', {}),
    new entryPoint.ControlRequestError('x', request),
    new entryPoint.ControlRequestTimeoutError({ ...request, timeoutMs: 1 }),
    new entryPoint.ControlRequestTimeoutError({ ...request, subtype: 'initialize', timeoutMs: 1 }),
    new entryPoint.IdleTimeoutError(1, []),
    new entryPoint.RunDeadlineError(1),
    new entryPoint.QueueLimitError(1),
    new entryPoint.SpoolError('x'),
    new entryPoint.PromptError('x'),
    new entryPoint.IncompleteStreamError('x'),
    new entryPoint.InvalidOptionError('model', 'x'),
    new entryPoint.NotSupportedError('f', 'x'),
    new entryPoint.ClaimError('spare_closed', 'x'),
    new entryPoint.SessionNotFoundError('s', 'x'),
    new entryPoint.SessionFileError('s', 'p', 'x'),
    new entryPoint.SessionStoreError({ method: 'load' }, 'x'),
  ];
  expect(new Set(errors.map(({ name }) => name)), 'a new error class belongs in the list above').toEqual(
    new Set(THROWN),
  );
  expect(errors.every(entryPoint.isClaudeSDKError)).toBe(true);
  expect(errors.map(({ name, errorClass }) => `${name} ${errorClass}`)).toEqual([
    'AbortError aborted',
    'CLIConnectionError connection_failed',
    'CLINotFoundError executable_not_found',
    'CLIVersionError cli_version_unsupported',
    'SessionClosedError query_closed',
    'ProcessError process_exited_nonzero',
    'ProcessError process_killed_by_signal',
    'ResultError error_result',
    'CLIJSONDecodeError frame_invalid',
    'FrameTooLargeError frame_too_large',
    'MessageParseError message_invalid',
    'ControlRequestError control_request_failed',
    'ControlRequestTimeoutError control_request_timeout',
    'ControlRequestTimeoutError initialize_timeout',
    'IdleTimeoutError idle_timeout',
    'RunDeadlineError deadline_exceeded',
    'QueueLimitError queue_limit_exceeded',
    'SpoolError spool_failed',
    'PromptError prompt_failed',
    'IncompleteStreamError incomplete_stream',
    'InvalidOptionError invalid_option',
    'NotSupportedError not_supported',
    'ClaimError claim_failed',
    'SessionNotFoundError session_not_found',
    'SessionFileError session_file_failed',
    'SessionStoreError session_store_failed',
  ]);
});

test('the README counts the error classes', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`| error classes | 2 | ${THROWN.length}, each with a stable`);
});

test('an error of another copy of the package is known by its mark, and a look-alike is not', () => {
  const foreign = Object.assign(new Error('x'), { [Symbol.for('claudewire.error')]: true });
  expect(entryPoint.isClaudeSDKError(foreign)).toBe(true);
  expect(entryPoint.isClaudeSDKError(Object.assign(new Error('x'), { errorClass: 'aborted' }))).toBe(false);
});

test('toJSON() of an error holds its fields and the cause’s message, and nothing circular', () => {
  const cause = new Error('inner');
  const error = new entryPoint.InvalidOptionError('model', 'bad', { cause, hint: 'try' });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'InvalidOptionError',
    message: 'bad',
    errorClass: 'invalid_option',
    option: 'model',
    hint: 'try',
    cause: 'inner',
  });
});
