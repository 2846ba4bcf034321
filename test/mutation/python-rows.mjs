/**
 * One bug for each of 25 rows of the Python parity, drawn by chance: the first 20 of all rows that compare something, in the
 * order of the SHA-256 of `20261123:<id>`, and of the rest the first 5 that differ on purpose. Each bug breaks what its row
 * says, in the smallest way that somebody could. They were written before any of the rows was run with them.
 *
 * @type {readonly import('./index.d.mts').RowMutant[]}
 */
import { prepend, remove, replace, setProperty, setValue } from './changes.mjs';

export const SEED = '20261123';

export default [
  {
    row: 'PY-050',
    name: 'directories-in-one-flag',
    symbol: 'buildArgv',
    change: replace('(o.additionalDirectories ?? []).map($render)', "listFlag('add-dir', o.additionalDirectories)"),
    breaks: 'Further folders are one flag with commas.',
  },
  {
    row: 'PY-062',
    name: 'any-output-format',
    symbol: 'VALIDATORS',
    change: replace("shape({ type: oneOf('json_schema'), schema: object }, ['type', 'schema'])", 'object'),
    breaks: 'An unknown output format is taken, and the output is text.',
  },
  {
    row: 'PY-037',
    name: 'default-mode-not-sent',
    symbol: 'buildArgv',
    change: replace(
      "flag('permission-mode', o.permissionMode)",
      "flag('permission-mode', o.permissionMode === 'default' ? undefined : o.permissionMode)",
    ),
    breaks: 'The permission mode `default` is left to the settings of the CLI.',
  },
  {
    row: 'PY-363',
    name: 'relative-folders-searched',
    symbol: 'searchPath',
    change: replace('entries.filter((entry) => path.isAbsolute(entry))', 'entries'),
    breaks: 'The executable is looked for in relative folders of PATH.',
  },
  {
    row: 'PY-058',
    name: 'thinking-not-disabled',
    symbol: 'thinkingFlags',
    change: replace("if (thinking.type === 'disabled') return ['--thinking=disabled'];", ''),
    breaks: 'Thinking that is switched off is adaptive.',
  },
  {
    row: 'PY-195',
    name: 'server-notifications-dropped',
    symbol: 'SharedTransport.#spread',
    change: replace('related === undefined ? [...this.#sinks] : [related]', 'related === undefined ? [] : [related]'),
    breaks: 'What an MCP server says by itself, outside a call, reaches no CLI.',
  },
  {
    row: 'PY-115',
    name: 'mode-request-renamed',
    symbol: 'SessionQuery.setPermissionMode',
    change: replace("'set_permission_mode'", "'set_mode'"),
    breaks: 'setPermissionMode() sends a request that the CLI does not know.',
  },
  {
    row: 'PY-091',
    name: 'long-writes-in-pieces',
    symbol: 'FrameWriter.flush',
    change: replace(
      '!this.#stdin.write(text)',
      '(process.nextTick(() => this.#stdin.write(text.slice(FLUSH_UNITS))), !this.#stdin.write(text.slice(0, FLUSH_UNITS)))',
    ),
    breaks: 'Long frames are written in two pieces, with other frames between them.',
  },
  {
    row: 'PY-054',
    name: 'no-mirror-flag',
    symbol: 'buildArgv',
    change: remove("toggle('session-mirror', o.sessionStore !== undefined)"),
    breaks: 'With a session store the CLI does not mirror its transcript.',
  },
  {
    row: 'PY-095',
    name: 'bad-exit-after-result-ignored',
    symbol: 'isClean',
    change: remove('exit.exitCode === 0'),
    breaks: 'A bad exit after the result ends the loop in good order.',
  },
  {
    row: 'PY-081',
    name: 'crlf-ends-no-line',
    symbol: 'LineDecoder.#pushWithReturns',
    change: replace('!(isLineFeed && isAfterReturn)', 'isLineFeed && !isAfterReturn'),
    breaks: 'Lines that end in CR LF are lost.',
  },
  {
    row: 'PY-157',
    name: 'append-tried-once',
    symbol: 'RETRY_WAITS_MS',
    change: setValue('[]'),
    breaks: 'An append to a session store that fails is not tried again.',
  },
  {
    row: 'PY-076',
    name: 'trace-state-of-the-host',
    symbol: 'addTraceContext',
    change: remove("names.delete('TRACESTATE')"),
    breaks: 'The trace state of the host goes with the span of somebody else.',
  },
  {
    row: 'PY-203',
    name: 'hook-without-tool-use-id',
    symbol: 'hookCallbacks',
    change: replace('hook.callback(input, toolUseId, $signal)', 'hook.callback(input, undefined, $signal)'),
    breaks: 'A hook does not learn the id of the tool use.',
  },
  {
    row: 'PY-147',
    name: 'broken-iterable-counts-as-ended',
    symbol: 'SessionInput.#sendWhen',
    change: replace('this.#fail(error)', 'this.#options.controller.stdin.inputEnded()'),
    breaks: 'A prompt iterable that throws passes for one that ended.',
  },
  {
    row: 'PY-206',
    name: 'async-timeout-lost',
    symbol: 'hookOutcome',
    change: replace('withoutAliases(check.answer)', '{ ...withoutAliases(check.answer), asyncTimeout: undefined }'),
    breaks: 'The time limit of a hook that answers later is not sent.',
  },
  {
    row: 'PY-183',
    name: 'no-result-is-an-empty-one',
    symbol: 'checkCallToolResult',
    change: prepend('if (value === undefined) return { result: { content: [] } }'),
    breaks: 'A tool that returns nothing has an empty result.',
  },
  {
    row: 'PY-324',
    name: 'path-in-parentheses',
    symbol: 'CLINotFoundError.constructor',
    change: replace('isNamed ? message : $named', "isNamed ? message : message.concat(' (', options.cliPath, ')')"),
    breaks: 'The message of CLINotFoundError has its path in another form.',
  },
  {
    row: 'PY-065',
    name: 'skill-allowed-twice',
    symbol: 'allowedToolsWithSkills',
    change: replace('rules.filter((rule) => !allowedTools.includes(rule))', 'rules'),
    breaks: '`Skill` is allowed twice when the caller allows it too.',
  },
  {
    row: 'PY-123',
    name: 'reason-of-a-refusal-lost',
    symbol: 'answerError',
    change: replace("stringField(body, 'error') ?? 'Unknown error'", "'Unknown error'"),
    breaks: 'The text of an error answer is lost.',
  },
  {
    row: 'PY-094',
    name: 'closed-input-not-noticed',
    symbol: 'SessionInput.stream',
    change: replace('this.#isStopped || !controller.isInputOpen', 'this.#isStopped'),
    breaks: 'A message is handed to an input that is known to be closed.',
  },
  {
    row: 'PY-179',
    name: 'error-flag-lost',
    symbol: 'checkCallToolResult',
    change: setProperty('result', '{ content: blocks }'),
    breaks: 'A tool result that says it is an error counts as a good one.',
  },
  {
    row: 'PY-093',
    name: 'late-write-without-a-text',
    symbol: 'SessionInput.#inputOver',
    change: replace('tooLate(NOT_READY, closedBy)', "new SessionClosedError('')"),
    breaks: 'A message to a CLI that has left rejects without saying why.',
  },
  {
    row: 'PY-D10',
    name: 'id-is-trimmed',
    symbol: 'isSessionId',
    change: replace(
      "typeof value === 'string' && value.length === 36 && UUID.test(value)",
      "typeof value === 'string' && UUID.test(value.trim())",
    ),
    breaks: 'A session id with a newline passes for a UUID.',
  },
  {
    row: 'PY-187',
    name: 'nameless-call-has-another-code',
    symbol: 'ToolTableEndpoint.#call',
    change: replace('RpcCode.internalError', 'RpcCode.invalidParams'),
    breaks: 'A tool call without a name is answered with the code of bad arguments.',
  },
];
