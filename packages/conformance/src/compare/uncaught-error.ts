import type { Language } from './program-runner.js';

/** What a runtime prints about an error that nobody caught; or the last line, when a program ended itself. */
export type UncaughtError =
  | { readonly class: string; readonly text: string }
  | { readonly 'last line of stderr': string }
  | Record<string, never>;

/** Reads the error that ended a program. */
export function uncaughtError(stderr: string, language: Language): UncaughtError {
  const lines = stderr.split(/\r?\n/);
  const error = language === 'python' ? pythonError(lines) : nodeError(lines);
  if (error !== undefined) return error;
  const last = lines.findLast((line) => line.trim() !== '');
  return last === undefined ? {} : { 'last line of stderr': last };
}

const isTraceback = (line: string): boolean => line.startsWith('Traceback (most recent call last)');

/** After the last traceback, the first line that is not indented: `module.Class: text`. */
function pythonError(lines: readonly string[]): UncaughtError | undefined {
  const at = lines.findLastIndex(isTraceback);
  const line = at === -1 ? undefined : lines.slice(at + 1).find((each) => /^\S/.test(each));
  return line === undefined ? undefined : named(line);
}

/**
 * Before the first line of the stack. Above it there may be the place and the source of the line that threw, then a mark or
 * nothing, and a text of several lines has its class on the first of them.
 */
function nodeError(lines: readonly string[]): UncaughtError | undefined {
  const stack = lines.findIndex((line) => /^ {4}at /.test(line));
  const above = stack === -1 ? [] : lines.slice(0, stack);
  const gap = above.findIndex((line) => /^\^*$/.test(line.trim()));
  const line = above.slice(gap + 1).find((each) => /^(?:Uncaught )?[A-Z]/.test(each) && NAMED.test(each));
  return line === undefined ? undefined : named(line);
}

const NAMED = /^(?:Uncaught )?([A-Za-z_$][\w$.]*)(?: \[[^\]]*\])?(?::\s?(.*))?$/;

function named(line: string): UncaughtError | undefined {
  const [, name, text = ''] = NAMED.exec(line) ?? [];
  return name === undefined ? undefined : { class: name.split('.').at(-1) ?? name, text };
}
