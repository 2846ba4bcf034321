// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source

/** Control requests of the host. */
export default [
  {
    name: 'error-answer-resolves',
    file: 'src/control/pending-requests.ts',
    find: "if (body.subtype === 'success') pending.resolve",
    replace: "if (body.subtype !== 'failure') pending.resolve",
    breaks: 'A refused control request counts as done.',
  },
  {
    name: 'answers-in-order-of-requests',
    file: 'src/control/pending-requests.ts',
    find: '  settle({ requestId, body }: ParsedAnswer): void {\n    const pending = this.#take(requestId);',
    replace:
      '  settle({ requestId, body }: ParsedAnswer): void {\n    const pending = this.#take([...this.#byId.keys()][0] ?? requestId);',
    breaks: 'An answer settles the oldest request instead of the one it names.',
  },
  {
    name: 'requests-never-time-out',
    file: 'src/control/pending-requests.ts',
    find: 'if (this.#clocksRun) this.#startClock(pending);',
    replace: '',
    breaks: 'A control request made after the handshake has no time limit.',
  },
  {
    name: 'pending-requests-left-at-the-end',
    file: 'src/control/query-controller.ts',
    find: '    this.#pending.rejectAll(reason);\n',
    replace: '',
    breaks: 'Requests without an answer hang when the session ends.',
  },
  {
    name: 'pending-request-does-not-hold-stdin',
    file: 'src/control/stdin-lifetime.ts',
    find: "this.#closeRule !== 'held' && this.#inputCount === 0 && this.#options.outboundCount() === 0",
    replace: "this.#closeRule !== 'held' && this.#inputCount === 0",
    breaks: 'stdin is closed while a control request waits for its answer.',
  },
  {
    name: 'answer-not-unwrapped',
    file: 'src/control/pending-requests.ts',
    find: 'if (response === undefined || isJsonObject(response)) return response;',
    replace: 'if (response === undefined || isJsonObject(response)) return body;',
    breaks: 'A method resolves with the envelope instead of the response in it.',
  },
  {
    name: 'refusal-without-its-reason',
    file: 'src/control/request-errors.ts',
    find: "(stringField(body, 'error') ?? 'Unknown error')",
    replace: "'Unknown error'",
    breaks: 'The text of an error answer is lost.',
  },
  {
    name: 'null-model-left-out',
    file: 'src/query/requests/ask.ts',
    find: '([, value]) => value !== undefined',
    replace: '([, value]) => value !== undefined && value !== null',
    breaks: 'null, which takes a setting back, is not sent.',
  },
  {
    name: 'permission-mode-by-another-name',
    file: 'src/query/session-requests.ts',
    find: "'set_permission_mode', { mode }, nothing",
    replace: "'set_permission_mode', { permissionMode: mode }, nothing",
    breaks: 'set_permission_mode carries the mode under a name the CLI does not know.',
  },
  {
    name: 'rewind-always-for-real',
    file: 'src/query/requests/file-requests.ts',
    find: 'dry_run: options.dryRun',
    replace: 'dryRun: options.dryRun',
    breaks: 'A dry run of rewindFiles changes files.',
  },
  {
    name: 'toggle-always-on',
    file: 'src/query/requests/mcp-requests.ts',
    find: '{ serverName, enabled }',
    replace: '{ serverName, enabled: true }',
    breaks: 'toggleMcpServer(name, false) switches the server on.',
  },
  {
    name: 'request-ids-repeat',
    file: 'src/control/outbound-requests.ts',
    find: 'const requestId = this.newId();\n    const answered',
    replace: 'const requestId = `req_${subtype}`;\n    const answered',
    breaks: 'Two requests of one kind have one id.',
  },
];
