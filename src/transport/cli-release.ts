import { spawn } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isRelease, releaseIn, releaseSaid } from '../util/cli-versions.js';
import { onHostExit } from '../util/host-exit.js';
import type { ResolvedCommand } from './command.js';
import { readFileHeader } from './command-host.js';
import { HAS_PROCESS_GROUPS, killGroup } from './process-group.js';

/** How the CLI's files are called in its npm packages. Another program beside them is not the CLI. */
const PACKAGE_FILES = /[\\/](?:cli\.js|cli-wrapper\.cjs|claude|claude\.exe)$/;

/** Where the native installer and Homebrew put each release. */
const RELEASE_FOLDER = /[\\/](?:claude[\\/]versions|Caskroom[\\/]claude-code[^\\/]*)[\\/](\d+\.\d+\.\d+)(?=$|[\\/,])/;

/** In the first lines of the CLI as one script, and of any program that says so itself. */
const RELEASE_LINE =
  /(?:Anthropic[\s\S]*?\n\/\/ Version:|(?:^|\n)(?:\/\/|#) claude-code-version:) (\d+\.\d+\.\d+|newest)\s/;

const HEAD_BYTES = 512;

/**
 * The release of the CLI at a path, as npm's file around it, the name of its folder or its first lines say. Nothing is
 * started. `newest`: a program that says so, as those of `claudewire/testing` do.
 */
export function versionBeside(executable: string): string | undefined {
  try {
    // The native one takes half as long.
    const path = realpathSync.native(executable);
    const folder = dirname(path);
    const packaged = PACKAGE_FILES.test(path) ? (inManifest(folder) ?? inManifest(dirname(folder))) : undefined;
    if (packaged !== undefined) return packaged;
    return (
      RELEASE_FOLDER.exec(path)?.[1] ?? RELEASE_LINE.exec(readFileHeader(path, HEAD_BYTES).toString('latin1'))?.[1]
    );
  } catch {
    return undefined;
  }
}

/** The package of the official SDK has a version of its own, and names that of the CLI in it. */
function inManifest(folder: string): string | undefined {
  try {
    const { name, version, claudeCodeVersion } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const said: unknown = /^@anthropic-ai\/claude-code(?:-|$)/.test(name) ? version : claudeCodeVersion;
    return String(name).startsWith('@anthropic-ai/') && isRelease(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

/** A CLI that is one script needs two seconds on a busy machine. */
const ANSWER_WITHIN_MS = 15_000;
const MAX_ANSWER = 4_096;
/** A program that speaks the protocol whatever it is asked. */
const FRAME = /^\{.*\n/m;

interface AskPlace {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Ends the question. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks an executable for its release, once for the file as it is. Runs that ask at the same time share the question.
 * @param path - Of the executable: what tells that the file has changed.
 * @returns `undefined`: it gave no release. Never rejects.
 */
export function askRelease(path: string, command: ResolvedCommand, place: AskPlace): Promise<string | undefined> {
  // A wrapper may choose by the folder or a variable. Those of a trace differ in every run.
  const { TRACEPARENT: _, TRACESTATE: __, ...env } = place.env;
  const key = JSON.stringify([command.file, command.args, place.cwd ?? process.cwd(), env, ...stampOf(path)]);
  const known = asked.get(key);
  if (known !== undefined) return Promise.resolve(known);
  const question = open.get(key) ?? begin(key, command, place);
  question.waiting += 1;
  place.signal?.addEventListener('abort', () => {
    question.waiting -= 1;
    if (question.waiting === 0) question.stop.abort();
  });
  return question.answer;
}

interface Question {
  readonly answer: Promise<string | undefined>;
  readonly stop: AbortController;
  waiting: number;
}

const MAX_KNOWN = 64;
const asked = new Map<string, string>();
const open = new Map<string, Question>();

function begin(key: string, command: ResolvedCommand, place: AskPlace): Question {
  const stop = new AbortController();
  const answer = ask(command, place, stop.signal).catch(() => undefined);
  const question = { answer: answer.then(note), stop, waiting: 0 };
  open.set(key, question);
  return question;

  function note(release: string | undefined): string | undefined {
    open.delete(key);
    // What went wrong once may go well the next time.
    if (release === undefined) return undefined;
    if (asked.size >= MAX_KNOWN) asked.clear();
    asked.set(key, release);
    return release;
  }
}

function stampOf(path: string): readonly unknown[] {
  try {
    const { size, mtimeMs } = statSync(path);
    return [realpathSync(path), size, mtimeMs];
  } catch {
    return [path];
  }
}

/** Its stdin is closed, its stderr is dropped, and a line with a release, or a frame, ends it. */
function ask(
  { file, args, env: more }: ResolvedCommand,
  { env, cwd }: AskPlace,
  stop: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(file, [...args, '--version'], {
      env: more === undefined ? env : { ...env, ...more },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
      // Away from the terminal, and with all that it starts in one group.
      detached: HAS_PROCESS_GROUPS,
    });
    let text = '';
    let hasEnded = false;
    const end = (): void => {
      if (HAS_PROCESS_GROUPS) killGroup(child);
      else child.kill('SIGKILL');
    };
    const forgetHostExit = onHostExit(end);
    const settle = (): void => {
      clearTimeout(timer);
      forgetHostExit();
      const seen = stripVTControlCharacters(text);
      resolve(hasEnded ? releaseIn(seen) : releaseSaid(seen));
      child.stdout.destroy();
      if (!hasEnded) end();
    };
    const timer = setTimeout(settle, ANSWER_WITHIN_MS);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (releaseSaid(stripVTControlCharacters(text)) !== undefined || FRAME.test(text) || text.length > MAX_ANSWER)
        settle();
    });
    stop.addEventListener('abort', settle);
    child.on('error', settle);
    child.on('close', () => {
      hasEnded = true;
      settle();
    });
  });
}
