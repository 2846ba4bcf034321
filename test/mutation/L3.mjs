import { remove, renameProperty, replace, setProperty } from './changes.mjs';

/** Control requests of the host. */
export default [
  {
    name: 'error-answer-resolves',
    symbol: 'OutboundRequests.settle',
    change: replace("body.subtype === 'success'", "body.subtype !== 'failure'"),
    breaks: 'A refused control request counts as done.',
  },
  {
    name: 'answers-in-order-of-requests',
    symbol: 'OutboundRequests.settle',
    change: replace('this.#take($id)', 'this.#take([...this.#byId.keys()][0] ?? $id)'),
    breaks: 'An answer settles the oldest request instead of the one it names.',
  },
  {
    name: 'requests-never-time-out',
    symbol: 'OutboundRequests.add',
    change: remove('this.#startClock($pending)'),
    breaks: 'A control request made after the handshake has no time limit.',
  },
  {
    name: 'pending-requests-left-at-the-end',
    symbol: 'QueryController.shutdown',
    change: remove('this.requests.rejectAll($reason)'),
    breaks: 'Requests without an answer hang when the session ends.',
  },
  {
    name: 'pending-request-does-not-hold-stdin',
    symbol: 'StdinLifetime.#isInputOver',
    change: remove('this.#options.outboundCount() === 0'),
    breaks: 'stdin is closed while a control request waits for its answer.',
  },
  {
    name: 'answer-not-unwrapped',
    symbol: 'OutboundRequests.#responseOf',
    change: replace('return response;', 'return body;'),
    breaks: 'A method resolves with the envelope instead of the response in it.',
  },
  {
    name: 'refusal-without-its-reason',
    symbol: 'answerError',
    change: replace("stringField(body, 'error') ?? $text", '$text'),
    breaks: 'The text of an error answer is lost.',
  },
  {
    name: 'null-model-left-out',
    symbol: 'omitUndefined',
    change: replace('$value !== undefined', '$value !== undefined && $value !== null'),
    breaks: 'null, which takes a setting back, is not sent.',
  },
  {
    name: 'permission-mode-by-another-name',
    symbol: 'SessionQuery.setPermissionMode',
    change: setProperty('mode', 'undefined, permissionMode: mode'),
    breaks: 'set_permission_mode carries the mode under a name the CLI does not know.',
  },
  {
    name: 'rewind-always-for-real',
    symbol: 'SessionQuery.rewindFiles',
    change: renameProperty('dry_run', 'dryRun'),
    breaks: 'A dry run of rewindFiles changes files.',
  },
  {
    name: 'toggle-always-on',
    symbol: 'SessionQuery.toggleMcpServer',
    change: setProperty('enabled', 'true'),
    breaks: 'toggleMcpServer(name, false) switches the server on.',
  },
  {
    name: 'request-ids-repeat',
    symbol: 'OutboundRequests.#send',
    change: replace('this.newId()', "'req_'.concat(subtype)"),
    breaks: 'Two requests of one kind have one id.',
  },
];
