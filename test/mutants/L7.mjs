/** Faults: garbage, bad ends, signals. */
export default [
  {
    name: 'exit-code-ignored',
    file: 'src/query/stream-end.ts',
    find: 'return exit.signal === null && exit.exitCode === 0;',
    replace: 'return exit.signal === null;',
    breaks: 'A process that ends with an exit code other than 0 ends the loop in good order.',
  },
  {
    name: 'signal-ignored',
    file: 'src/query/stream-end.ts',
    find: 'return exit.signal === null && exit.exitCode === 0;',
    replace: 'return exit.signal !== null || exit.exitCode === 0;',
    breaks: 'A process killed by a signal ends the loop in good order.',
  },
  {
    name: 'garbage-ends-the-run',
    file: 'src/transport/ndjson.ts',
    find: 'if (value === undefined) this.#notJson.add(text, bytes);',
    replace: 'if (value === undefined) this.#sink.onError(new FrameTooLargeError(0, text));',
    breaks: 'One line that is not JSON ends the run.',
  },
  {
    name: 'kill-before-term',
    file: 'src/transport/termination.ts',
    find: "this.#schedule('SIGTERM', ladder.sigtermMs);",
    replace: "this.#schedule('SIGKILL', ladder.sigtermMs);",
    breaks: 'The process gets SIGKILL where SIGTERM was due.',
  },
  {
    name: 'never-kills',
    file: 'src/transport/termination.ts',
    find: "    this.#schedule('SIGKILL', ladder.sigkillMs);\n",
    replace: '',
    breaks: 'A process that ignores SIGTERM is left running.',
  },
  {
    name: 'stderr-swallowed',
    file: 'src/transport/stderr-tail.ts',
    find: 'this.#listeners.onText?.(text)',
    replace: 'undefined',
    breaks: 'The stderr callback is never called.',
  },
  {
    name: 'stderr-not-in-the-error',
    file: 'src/transport/stderr-tail.ts',
    find: 'return this.#tail.trim();',
    replace: "return '';",
    breaks: 'The error of a bad exit does not say what the process wrote to stderr.',
  },
  {
    name: 'abort-ends-in-good-order',
    file: 'src/query/query-session.ts',
    find: 'onAbort(abortSignal, () => this.#stop(abortError(abortSignal)));',
    replace: 'onAbort(abortSignal, () => this.#stop(undefined));',
    breaks: 'After an abort the loop ends without an AbortError.',
  },
  {
    name: 'error-result-lost-at-a-bad-exit',
    file: 'src/query/stream-end.ts',
    find: 'if (result === undefined || !result.is_error) return exitError;',
    replace: 'if (result === undefined || result.is_error) return exitError;',
    breaks:
      'A bad exit after an error result says nothing about the result, and one after a good result is called a result error.',
  },
  {
    name: 'messages-before-an-error-lost',
    file: 'src/query/message-queue.ts',
    find: '    this.#isEnded = true;\n    this.#error = error;',
    replace:
      '    this.#isEnded = true;\n    if (error !== undefined) this.#clear();\n    this.#error = error;',
    breaks: 'What was not yet read when the process failed is thrown away.',
  },
  {
    name: 'hang-after-eof-tolerated',
    file: 'src/query/session-timers.ts',
    find: 'if (Number.isFinite(this.#limits.exitGraceMs)) this.#armExit();',
    replace: '',
    breaks: 'A process that does not leave after the end of its input is waited for without end.',
  },
  {
    name: 'epipe-ends-the-host',
    file: 'src/transport/frame-writer.ts',
    find: "stdin.on('error', (error: Error) => {\n",
    replace:
      "stdin.on('error', (error: Error) => {\n      if (this.#refusal === undefined) throw error;\n",
    breaks: 'A write to a process that is gone ends the host program.',
  },
  {
    name: 'sigkill-right-after-sigterm',
    file: 'src/query/launch/policy.ts',
    find: 'sigtermMs: 2_000, sigkillMs: 7_000',
    replace: 'sigtermMs: 2_000, sigkillMs: 2_100',
    breaks: 'The CLI is killed before it could end its tools.',
  },
  {
    name: 'grandchild-holds-the-run',
    file: 'src/transport/process-end.ts',
    find: 'export const DRAIN_AFTER_EXIT_MS = 500;',
    replace: 'export const DRAIN_AFTER_EXIT_MS = 30_000;',
    breaks: 'A process that the CLI left behind holds the run for half a minute.',
  },
];
