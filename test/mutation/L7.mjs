import { remove, replace, setBody, setProperty, setValue } from './changes.mjs';

/** Faults: garbage, bad ends, signals. */
export default [
  {
    name: 'exit-code-ignored',
    symbol: 'isClean',
    change: remove('exit.exitCode === 0'),
    breaks: 'A process that ends with an exit code other than 0 ends the loop in good order.',
  },
  {
    name: 'signal-ignored',
    symbol: 'isClean',
    change: replace('exit.signal === null && exit.exitCode === 0', 'exit.signal !== null || exit.exitCode === 0'),
    breaks: 'A process killed by a signal ends the loop in good order.',
  },
  {
    name: 'garbage-ends-the-run',
    symbol: 'NdjsonReader.#onLine',
    change: replace('this.#notJson.add($text, $bytes)', 'this.#sink.onError(new FrameTooLargeError(0, $text))'),
    breaks: 'One line that is not JSON ends the run.',
  },
  {
    name: 'kill-before-term',
    symbol: 'Termination.start',
    change: replace("'SIGTERM'", "'SIGKILL'"),
    breaks: 'The process gets SIGKILL where SIGTERM was due.',
  },
  {
    name: 'never-kills',
    symbol: 'Termination.start',
    change: remove("this.#schedule('SIGKILL', $delay)"),
    breaks: 'A process that ignores SIGTERM is left running.',
  },
  {
    name: 'stderr-swallowed',
    symbol: 'StderrTail.#onText',
    change: replace('this.#listeners.onText?.($text)', 'undefined'),
    breaks: 'The stderr callback is never called.',
  },
  {
    name: 'stderr-not-in-the-error',
    symbol: 'StderrTail.text',
    change: setBody("return '';"),
    breaks: 'The error of a bad exit does not say what the process wrote to stderr.',
  },
  {
    name: 'abort-ends-in-good-order',
    symbol: 'QuerySession.start',
    change: replace('onAbort(abortSignal, $stop)', 'onAbort(abortSignal, () => this.close())'),
    breaks: 'After an abort the loop ends without an AbortError.',
  },
  {
    name: 'error-result-lost-at-a-bad-exit',
    symbol: 'SessionRecord.toError',
    change: replace('!result.is_error', 'result.is_error'),
    breaks:
      'A bad exit after an error result says nothing about the result, and one after a good result is called a result error.',
  },
  {
    name: 'messages-before-an-error-lost',
    symbol: 'MessageQueue.end',
    change: replace('this.#error = error;', 'if (error !== undefined) this.#clear(); this.#error = error;'),
    breaks: 'What was not yet read when the process failed is thrown away.',
  },
  {
    name: 'hang-after-eof-tolerated',
    symbol: 'SessionTimers.onInputEnd',
    change: remove('this.#armExit()'),
    breaks: 'A process that does not leave after the end of its input is waited for without end.',
  },
  {
    name: 'epipe-ends-the-host',
    symbol: 'FrameWriter.constructor',
    change: replace(
      '(error: Error) => { $$rest }',
      '(error: Error) => { if (this.#refusal === undefined) throw error; }',
    ),
    breaks: 'A write to a process that is gone ends the host program.',
  },
  {
    name: 'sigkill-right-after-sigterm',
    symbol: 'DEFAULT_EXIT_LADDER',
    change: setProperty('sigkillMs', '2_100'),
    breaks: 'The CLI is killed before it could end its tools.',
  },
  {
    name: 'grandchild-holds-the-run',
    symbol: 'DRAIN_AFTER_EXIT_MS',
    change: setValue('30_000'),
    breaks: 'A process that the CLI left behind holds the run for half a minute.',
  },
];
