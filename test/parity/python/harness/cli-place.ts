import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPlayerLauncher } from '../../../../src/testing/player/launcher.js';
import type { PlayerFolder } from '../../../../src/testing/player/player-folder.js';
import type { ProcessProgram } from './program.js';

/** One line of what the scripted CLI wrote down. */
export interface LogLine {
  readonly pid: number;
  readonly event: string;
  /** Milliseconds since the process began, where the player says so. */
  readonly t?: number;
  readonly [field: string]: unknown;
}

/** Where the CLI of one run stands: its path, its working folder, and its log. */
export class CliPlace {
  readonly dir: string;
  readonly path: string | undefined;
  readonly cwd: string | undefined;
  /** Its marks and gates. */
  readonly folder: PlayerFolder;
  /** The CLI outside the folder. */
  #elsewhere: string | undefined;
  readonly #log: string;
  readonly #verdict: string;

  constructor(program: ProcessProgram, scratch: string, home: string, player: string) {
    this.dir = mkdtempSync(join(scratch, 'cli-'));
    this.#log = join(this.dir, 'log.jsonl');
    this.#verdict = join(this.dir, 'verdict.json');
    const { path, folder } = createPlayerLauncher({
      scenario: program.cli,
      header: { stepTimeoutMs: 4000, deadlineMs: 20_000, ...program.header },
      dir: join(this.dir, 'player'),
      log: this.#log,
      verdict: this.#verdict,
      player,
    });
    this.folder = folder;
    this.path = this.#place(program, home, path);
    this.cwd = this.#cwd(program);
  }

  #place({ place, probe }: ProcessProgram, home: string, launcher: string): string | undefined {
    const below = place?.startsWith('home:') ? join(home, place.slice('home:'.length)) : undefined;
    const name = place?.startsWith('named:') ? place.slice('named:'.length) : 'claude';
    const path = below ?? join(this.dir, name);
    if (place === 'none') return undefined;
    if (place === 'missing') return path;
    if (place === 'directory') mkdirSync(path);
    else if (place === 'not-executable') writeFileSync(path, 'text\n', { mode: 0o600 });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, probing(launcher, this.#log, probe));
      chmodSync(path, 0o700);
    }
    if (below === undefined) return path;
    this.#elsewhere = below;
    return undefined;
  }

  #cwd({ cwd }: ProcessProgram): string | undefined {
    if (cwd === 'unset') return undefined;
    const path = join(this.dir, 'work');
    if (cwd === 'file') writeFileSync(path, '');
    else if (cwd !== 'missing') mkdirSync(path);
    return path;
  }

  log(): readonly LogLine[] {
    if (!existsSync(this.#log)) return [];
    return readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LogLine);
  }

  verdict(): { readonly passed: boolean; readonly failure?: { readonly message: string } } | undefined {
    return existsSync(this.#verdict) ? JSON.parse(readFileSync(this.#verdict, 'utf8')) : undefined;
  }

  remove(): void {
    for (const { pid, event } of this.log()) if (event === 'start') endProcess(pid);
    if (this.#elsewhere !== undefined) rmSync(this.#elsewhere, { force: true });
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Writes down a version probe and answers it; anything else is the player's. */
function probing(launcher: string, log: string, probe: string | undefined): string {
  // The name has no ending, so that no SDK puts an interpreter before it; that makes it CommonJS.
  return `#!${process.execPath}
const { appendFileSync } = require('node:fs');
if (process.argv[2] === '-v') {
  const { argv, env, pid } = process;
  const line = { pid, event: 'probe', argv: argv.slice(2), cwd: process.cwd(), env };
  appendFileSync(${JSON.stringify(log)}, JSON.stringify(line) + '\\n');
  const says = ${JSON.stringify(probe ?? '')};
  if (says === 'hang') setInterval(() => {}, 1000);
  else if (says === 'fail') process.exit(3);
  else console.log(says);
} else {
  void import(${JSON.stringify(launcher)});
}
`;
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
