import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Keys that were hit before a question was on the screen are not its answer. */
const TYPE_AHEAD_MS = 50;
const CTRL_BACKSLASH = '\x1c';

export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/**
 * Asks for one line. Ctrl-C and Ctrl-\ count as ones for the program.
 * @param signal - Takes the question back.
 * @returns `undefined` when there will be no answer: Ctrl-D, the end of the input, a question that was taken back.
 */
export function askOnTerminal(
  { stdin, stdout }: Terminal,
  prompt: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted || stdin.readableEnded || stdin.destroyed) return Promise.resolve(undefined);
  const lines = createInterface({ input: stdin, output: stdout, terminal: true, historySize: 0 });
  const close = (): void => lines.close();
  const onKey = (_text: unknown, { sequence }: { readonly sequence?: string }): void => {
    if (sequence === CTRL_BACKSLASH) process.emit('SIGQUIT', 'SIGQUIT');
  };
  let isAsked = false;
  return new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => {
      lines.write(null, { ctrl: true, name: 'u' });
      isAsked = true;
      lines.question(prompt, (answer) => {
        isAsked = false;
        resolve(answer);
        close();
      });
    }, TYPE_AHEAD_MS);
    // The terminal sends no signals while single keys are read.
    stdin.on('keypress', onKey);
    lines.on('SIGINT', () => void process.emit('SIGINT', 'SIGINT'));
    // Back from Ctrl-Z, readline has stopped to listen.
    lines.on('SIGCONT', () => lines.resume());
    lines.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', close);
      stdin.off('keypress', onKey);
      // The cursor is behind a question that will get no answer.
      if (isAsked) stdout.write('\n');
      resolve(undefined);
    });
    signal.addEventListener('abort', close);
  });
}
