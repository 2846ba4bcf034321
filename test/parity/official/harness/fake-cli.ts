import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Quicker to start than the player, which matters where hundreds of cases start one. */
const PROGRAM = new URL('../../../fixtures/cli/writes-down.mjs', import.meta.url);

const TURN = [{ type: 'result', subtype: 'success', is_error: false, result: 'done' }];

/** What a process of the fake CLI wrote down. */
export interface FakeRun {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Content of files that arguments name, in the order of the arguments. */
  readonly files: readonly string[];
  readonly lines: readonly string[];
  readonly sawEof: boolean;
}

export interface FakeCli {
  readonly dir: string;
  /** Runs by itself: has a `#!` line and no extension. */
  readonly path: string;
  readonly runs: () => readonly FakeRun[];
  readonly remove: () => void;
}

/** A small program that writes down how it was started and what it was told. Its one turn is a result. */
export function fakeCli(name = 'claude'): FakeCli {
  const dir = mkdtempSync(join(tmpdir(), 'parity-cli-'));
  const log = join(dir, 'cli.log');
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  writeFileSync(join(dir, 'cli.json'), JSON.stringify({ turn: TURN }));
  // Cases start it without PATH, where the program's own first line finds no Node.
  const program = readFileSync(PROGRAM, 'utf8').replace(/^#!.*/, `#!${process.execPath}`);
  writeFileSync(join(dir, name), program, { mode: 0o700 });
  return {
    dir,
    path: join(dir, name),
    runs: () => (existsSync(log) ? readRuns(readFileSync(log, 'utf8')) : []),
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }),
  };
}

type LogLine =
  | (Omit<FakeRun, 'lines' | 'sawEof' | 'files'> & {
      readonly event: 'start';
      readonly pid: number;
      readonly named: readonly string[];
    })
  | { readonly event: 'in'; readonly pid: number; readonly line: string }
  | { readonly event: 'probe' | 'eof'; readonly pid: number };

function readRuns(text: string): readonly FakeRun[] {
  const records = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
  return records.flatMap((record) => {
    if (record.event !== 'start') return [];
    const { argv, execArgv, env, cwd, named: files } = record;
    const own = records.filter(({ pid }) => pid === record.pid);
    const lines = own.flatMap((each) => (each.event === 'in' ? [each.line] : []));
    return [{ argv, execArgv, env, cwd, files, lines, sawEof: own.some(({ event }) => event === 'eof') }];
  });
}
