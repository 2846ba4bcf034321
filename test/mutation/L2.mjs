import { prepend, remove, replace, setBody, setCase } from './changes.mjs';

/** Several turns, streams, the lifetime of stdin. */
export default [
  {
    name: 'leaves-at-the-first-result',
    symbol: 'QuerySession.#onMessage',
    change: replace('this.#deadline.onResult()', '(this.#deadline.onResult(), this.close())'),
    breaks: 'The run is closed at its first result, whatever else was to come.',
  },
  {
    name: 'background-task-does-not-hold-stdin',
    symbol: 'StdinLifetime.#mayClose',
    change: remove('this.#options.tasks.liveCount === 0'),
    breaks: 'With callbacks, stdin is closed at the result although a background task runs.',
  },
  {
    name: 'turn-about-a-task-not-awaited',
    symbol: 'StdinLifetime.onTaskFrame',
    change: remove('this.#awaitsTaskTurn = true'),
    breaks: 'With callbacks, stdin is closed when a background task ends, before the turn about it.',
  },
  {
    name: 'busy-state-ignored',
    symbol: 'StdinLifetime.#mayClose',
    change: remove("this.#state === undefined || this.#state === 'idle'"),
    breaks: 'With callbacks, stdin is closed at a result although the session says it is running.',
  },
  {
    name: 'stopped-task-counts-as-finished',
    symbol: 'TaskLedger.apply',
    change: replace("STOPPED.has(frame.status) ? 'stopped' : 'finished'", "'finished'"),
    breaks: 'After a stopped task stdin is held for a turn that never comes.',
  },
  {
    name: 'iterable-waits-for-a-result',
    symbol: 'StdinLifetime.#mayClose',
    change: remove("this.#closeRule === 'stream'"),
    breaks: 'The end of a prompt iterable does not close stdin without a result.',
  },
  {
    name: 'later-results-close-too-early',
    symbol: 'MessageLedger.onWritten',
    change: prepend("if (Reflect.get(this, 'second')) return; Reflect.set(this, 'second', true)"),
    breaks: 'With callbacks, the result of a second message is not waited for.',
  },
  {
    name: 'partial-messages-hidden',
    symbol: 'QueryController.#onFrame',
    change: setCase("'stream_event'", 'this.#options.receiver.onHiddenFrame(frame.type); return;'),
    breaks: 'stream_event frames are not shown.',
  },
  {
    name: 'session-states-hidden',
    symbol: 'isHostOnlyState',
    change: remove('frame.sdk_host_only === true'),
    breaks: 'Session states are hidden, not only those for the host.',
  },
  {
    name: 'host-states-shown',
    symbol: 'isHostOnlyState',
    change: setBody('return frame === undefined;'),
    breaks: 'Session states that are for the host only reach the consumer.',
  },
  {
    name: 'ambient-task-holds-stdin',
    symbol: 'isAmbient',
    change: setBody('return task === undefined;'),
    breaks: 'With callbacks, a watcher that never ends holds stdin.',
  },
  {
    name: 'list-of-tasks-ignored',
    symbol: 'TaskLedger.apply',
    change: setCase("'background_tasks_changed'", "return 'none';"),
    breaks: 'A task that is gone from the list of background tasks goes on holding stdin.',
  },
];
