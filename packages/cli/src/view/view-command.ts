import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidOptionError } from 'claudewire';
import type { Command } from 'commander';
import type { ProgramHost } from '../program-host.js';

interface ViewOptions {
  readonly out?: string;
  readonly open: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** The part of packages/viewer that the build puts beside the executable. */
interface ViewerModule {
  readonly runView: (
    args: ViewOptions & { readonly source: string },
    host: Pick<ProgramHost, 'stdout' | 'stderr' | 'env'> & {
      readonly stdin: NodeJS.ReadableStream;
      readonly signal: AbortSignal;
      readonly template: string;
    },
  ) => Promise<number>;
}

const HELP = `
The page is one file that loads nothing: a time line of the frames, requests with their answers, lanes
of turns, tools, hooks and permissions, tokens and cost. Secrets are taken out as by \`record\`.

  claudewire view session.jsonl                 writes session.view.html, and opens it on a terminal
  claudewire view recordings/ --out pages/      one page a file, and a list of them
  claudewire view session.jsonl --follow        serves the page on this machine while the file grows
  claudewire view ~/.claude/projects/-work --follow      the session of that folder that was written last

Exit codes:
  0    the page was written, or the server ended
  1    something unexpected; standard error says what
  2    the arguments or the source cannot be used; nothing was written
  130  Ctrl-C
  143  SIGTERM`;

/** Adds `claudewire view`. */
export function addViewCommand(program: Command, host: ProgramHost, onExit: (code: number) => void): void {
  program
    .command('view')
    .description('Shows a recording, a transcript, a log or a conformance run as a page.')
    .argument('<source>', 'a file, a folder, or - for standard input')
    .option('--out <path>', 'the page to write; of a folder the folder for its pages (default: NAME.view.html)')
    .option('--no-open', 'does not open a browser')
    .option('--follow', 'serves the page and goes on with the file, of a folder with the newest one, until Ctrl-C')
    .option('--json', 'prints what the page shows as JSON, and writes no page')
    .addHelpText('after', HELP)
    .action(async (source: string, options: ViewOptions) => onExit(await view(source, options, host)));
}

async function view(source: string, options: ViewOptions, host: ProgramHost): Promise<number> {
  const { stdout, stderr, env, assets, abortController } = host;
  const { signal } = abortController;
  const viewer = (await import(pathToFileURL(join(assets, 'viewer.js')).href)) as ViewerModule;
  const template = join(assets, 'viewer.html.gz');
  try {
    return await viewer.runView(
      { source, ...options },
      { stdin: process.stdin, stdout, stderr, env, signal, template },
    );
  } catch (error) {
    // Ctrl-C: the caller knows which code that is.
    if (signal.aborted) return 0;
    if (!isViewError(error)) throw error;
    throw new InvalidOptionError(error.argument, error.message, { cause: error });
  }
}

/** Its class is in the other bundle. */
function isViewError(error: unknown): error is Error & { readonly argument: string } {
  return error instanceof Error && error.name === 'ViewError' && 'argument' in error;
}
