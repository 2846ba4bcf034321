import { remove, replace, setBody, setValue } from './changes.mjs';

/** Limits: sizes, times, memory. */
export default [
  {
    name: 'line-limit-ignored',
    symbol: 'LineDecoder.constructor',
    change: replace('Math.min(maxLineBytes, $most)', '$most'),
    breaks: 'maxBufferBytes bounds nothing.',
  },
  {
    name: 'line-limit-off-by-one',
    symbol: 'LineDecoder.#emit',
    change: replace('bytes > this.#maxLineBytes', 'bytes >= this.#maxLineBytes'),
    breaks: 'A line of exactly maxBufferBytes is refused.',
  },
  {
    name: 'split-line-limit-off-by-one',
    symbol: 'LineDecoder.#keep',
    change: replace('$length > this.#maxLineBytes', '$length >= this.#maxLineBytes'),
    breaks: 'A line of exactly maxBufferBytes is refused when it comes in pieces.',
  },
  {
    name: 'queue-limit-ignored',
    symbol: 'SessionOutput.push',
    change: remove('return false;'),
    breaks: 'maxQueuedBytes bounds nothing.',
  },
  {
    name: 'reading-never-goes-on',
    symbol: 'FlowControl.onTaken',
    change: replace('queuedBytes < LOW_WATER_BYTES', 'queuedBytes < 0'),
    breaks: 'Once 16 MiB waited for the consumer, nothing more is read.',
  },
  {
    name: 'queue-loses-one-in-a-thousand',
    symbol: 'MessageQueue.#compact',
    change: replace('this.#items.slice(this.#head)', 'this.#items.slice(this.#head + 1)'),
    breaks: 'A consumer that is a thousand messages behind loses one of them.',
  },
  {
    name: 'deadline-without-interrupt',
    symbol: 'RunDeadline.#onDeadline',
    change: remove('this.#session.interrupt()'),
    breaks: 'At the deadline the turn is not interrupted, only ended.',
  },
  {
    name: 'deadline-never-comes',
    symbol: 'RunDeadline.start',
    change: setBody(''),
    breaks: 'The deadline bounds nothing.',
  },
  {
    name: 'silence-is-fine',
    symbol: 'SessionTimers.#armIdle',
    change: remove('this.#session.onIdle($frames)'),
    breaks: 'idleTimeoutMs bounds nothing.',
  },
  {
    name: 'question-counts-as-silence',
    symbol: 'QuerySession.constructor',
    change: remove('this.controller.inbound.openCount > 0'),
    breaks: 'The time that a callback takes counts as silence of the CLI.',
  },
  {
    name: 'request-limit-runs-during-the-handshake',
    symbol: 'OutboundRequests.#clocksRun',
    change: setValue('true'),
    breaks: 'The limit of a request counts the time in which the CLI was starting.',
  },
  {
    name: 'handshake-never-times-out',
    symbol: 'Handshake.start',
    change: remove('this.#clock.start()'),
    breaks: 'A CLI that never answers initialize is waited for without end.',
  },
  {
    name: 'full-pipe-forgets-a-frame',
    symbol: 'FrameWriter.flush',
    change: replace("this.#queued === ''", "this.#queued === '' || this.#isFull"),
    breaks: 'What is sent while the pipe is full is not written when there is room again.',
  },
];
