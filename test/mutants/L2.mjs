/** Several turns, streams, the lifetime of stdin. */
export default [
  {
    name: 'leaves-at-the-first-result',
    file: 'src/query/query-session.ts',
    find: "if (type === 'result') this.#deadline.onResult();",
    replace:
      "if (type === 'result') {\n      this.#deadline.onResult();\n      this.close();\n    }",
    breaks: 'The run is closed at its first result, whatever else was to come.',
  },
  {
    name: 'background-task-does-not-hold-stdin',
    file: 'src/control/stdin-lifetime.ts',
    find: '      this.#isQuiet() &&\n      this.#options.messages',
    replace: '      !this.#options.messages.isTurnOpen &&\n      this.#options.messages',
    breaks: 'With callbacks, stdin is closed at the result although a background task runs.',
  },
  {
    name: 'turn-about-a-task-not-awaited',
    file: 'src/control/stdin-lifetime.ts',
    find: "if (change === 'finished') this.#awaitsTaskTurn = true;",
    replace: '',
    breaks:
      'With callbacks, stdin is closed when a background task ends, before the turn about it.',
  },
  {
    name: 'busy-state-ignored',
    file: 'src/control/stdin-lifetime.ts',
    find: "(this.#state === undefined || this.#state === 'idle') &&",
    replace: '',
    breaks: 'With callbacks, stdin is closed at a result although the session says it is running.',
  },
  {
    name: 'stopped-task-counts-as-finished',
    file: 'src/control/task-ledger.ts',
    find: "STOPPED.has(frame.status) ? 'stopped' : 'finished'",
    replace: "'finished'",
    breaks: 'After a stopped task stdin is held for a turn that never comes.',
  },
  {
    name: 'iterable-waits-for-a-result',
    file: 'src/control/stdin-lifetime.ts',
    find: "return this.#closeRule === 'stream' || this.#sawResult;",
    replace: 'return this.#sawResult;',
    breaks: 'The end of a prompt iterable does not close stdin without a result.',
  },
  {
    name: 'later-results-close-too-early',
    file: 'src/control/message-ledger.ts',
    find: 'if (uuid !== undefined && this.#answered.has(uuid)) return;\n    this.#isTurnOpen = true;',
    replace:
      'if (Reflect.get(this, "second")) return;\n    Reflect.set(this, "second", true);\n    this.#isTurnOpen = true;',
    breaks: 'With callbacks, the result of a second message is not waited for.',
  },
  {
    name: 'partial-messages-hidden',
    file: 'src/control/frame-router.ts',
    find: "    case 'stream_event':\n    case 'assistant':",
    replace:
      "    case 'stream_event':\n      sinks.onHiddenFrame(type);\n      return;\n    case 'assistant':",
    breaks: 'stream_event frames are not shown.',
  },
  {
    name: 'session-states-hidden',
    file: 'src/control/frame-router.ts',
    find: "frame.subtype === 'session_state_changed' && frame.sdk_host_only === true",
    replace: "frame.subtype === 'session_state_changed'",
    breaks: 'Session states are hidden, not only those for the host.',
  },
  {
    name: 'host-states-shown',
    file: 'src/control/frame-router.ts',
    find: "frame.subtype === 'session_state_changed' && frame.sdk_host_only === true",
    replace: 'frame === undefined',
    breaks: 'Session states that are for the host only reach the consumer.',
  },
  {
    name: 'ambient-task-holds-stdin',
    file: 'src/control/task-ledger.ts',
    find: 'return task.ambient === true || task.skip_transcript === true;',
    replace: 'return task === undefined;',
    breaks: 'With callbacks, a watcher that never ends holds stdin.',
  },
  {
    name: 'list-of-tasks-ignored',
    file: 'src/control/task-ledger.ts',
    find: 'return this.#replace(frame.tasks);',
    replace: "return 'none';",
    breaks: 'A task that is gone from the list of background tasks goes on holding stdin.',
  },
];
