import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Observed } from '../harness/judge.js';
import type { Side as AnySide, Json } from '../harness/row.js';
import { Caller } from './caller.js';
import { filesAfter, prepareFolder } from './folder.js';
import type { PureCall, PureProgram } from './program.js';
import { Scrubber } from './scrub.js';
import { WrittenCli } from './written-cli.js';

type Side = Exclude<AnySide, 'official'>;

export interface PureSidesOptions {
  /** Command and arguments of `pure.py`. */
  readonly python: readonly string[];
  /** The same with the older release. */
  readonly before: readonly string[];
  /** Command and arguments of the bundle of `ours.ts`. */
  readonly ours: readonly string[];
  /** A folder of this run's own. */
  readonly scratch: string;
  /** Path of `writes-down.mjs`. */
  readonly cli: string;
}

/** Both SDKs, ready to make the same calls. */
export class PureSides {
  readonly #options: PureSidesOptions;
  readonly #scratch: string;
  readonly #callers = new Map<Side, Caller>();
  /** Variables that a program was given. */
  readonly #given = new Set<string>();
  readonly #seen = new Map<string, Observed>();
  /** What has a name, to find two things that share one. */
  readonly #programs = new Map<string, string>();

  constructor(options: PureSidesOptions) {
    this.#options = options;
    this.#scratch = realpathSync(options.scratch);
  }

  /**
   * What each shows in a program, which is run once.
   *
   * @param isNew - The older release has nothing of the kind, and is left out.
   */
  async observe(program: PureProgram, isNew: boolean): Promise<Observed> {
    const text = JSON.stringify(program);
    if ((this.#programs.get(program.name) ?? text) !== text) {
      throw new Error(`two programs are called ${program.name}`);
    }
    this.#programs.set(program.name, text);
    const known = this.#seen.get(program.name);
    if (known !== undefined) return known;
    const [python, ours] = await Promise.all([this.#runOn('python', program), this.#runOn('ours', program)]);
    const before = isNew ? undefined : await this.#runOn('before', program);
    const seen = { name: program.name, python, ...(before === undefined ? {} : { before }), ours };
    this.#seen.set(program.name, seen);
    return seen;
  }

  async versions(): Promise<Json> {
    return (await this.#caller('python').call({ op: 'versions' })) as Json;
  }

  async end(): Promise<void> {
    await Promise.all([...this.#callers.values()].map((caller) => caller.end()));
    for (const side of this.#callers.keys()) {
      rmSync(join(this.#scratch, side), { recursive: true, force: true });
    }
  }

  async #runOn(side: Side, program: PureProgram): Promise<Json> {
    const root = this.#rootOf(side);
    prepareFolder(root, program);
    const scrubber = new Scrubber(root, JSON.stringify(program));
    const results: Json[] = [];
    const texts: Json[] = [];
    for (const call of program.calls) {
      const answer = await this.#make(side, call, program.environment ?? {});
      const { shown, text } = split(call, scrubber.scrub(answer as Json));
      results.push(shown);
      texts.push(text);
    }
    return {
      results,
      texts,
      files: byPath(scrubber.scrub(filesAfter(root, program.shows ?? []))),
      // What a run leaves in the temporary folder.
      left: byPath(scrubber.scrub(filesAfter(root, ['tmp']))),
    };
  }

  async #make(side: Side, call: PureCall, given: { readonly [name: string]: string }): Promise<unknown> {
    const root = this.#rootOf(side);
    const environment = {
      CLAUDE_CONFIG_DIR: join(root, 'config'),
      HOME: join(root, 'home'),
      TMPDIR: join(root, 'tmp'),
      CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: '1',
      ...given,
    };
    // What a program before this one was given is taken back.
    const taken = [...this.#given].filter((name) => !(name in environment));
    for (const name of Object.keys(given)) this.#given.add(name);
    const changes = { ...Object.fromEntries(taken.map((name) => [name, null])), ...environment };
    const told = JSON.parse(JSON.stringify(call).replaceAll('<root>', root)) as PureCall;
    const caller = this.#caller(side);
    if (told.op !== 'run' && told.op !== 'client') return caller.call({ ...told, environment: changes });
    const { cli: script = {}, ...rest } = told;
    const cli = new WrittenCli(root, this.#options.cli, script);
    const answer = (await caller.call({
      ...rest,
      environment: changes,
      cli: cli.path,
      cwd: join(root, 'work'),
      env: { PATH: process.env.PATH, ...environment, PARITY_MARK: 'given' },
    })) as { readonly [key: string]: Json };
    await cli.settle();
    return { ...answer, ...cli.seen() };
  }

  /** Each side has a folder of its own, so that both can run at once. */
  #rootOf(side: Side): string {
    return join(this.#scratch, side, 'pure');
  }

  #caller(side: Side): Caller {
    const known = this.#callers.get(side);
    if (known !== undefined) return known;
    const root = this.#rootOf(side);
    mkdirSync(root, { recursive: true });
    const caller = new Caller(this.#options[side], root);
    this.#callers.set(side, caller);
    return caller;
  }
}

/** Names that are made by chance have become others. */
function byPath(files: Json): Json {
  const pathOf = (file: Json): string => (file as { readonly path: string }).path;
  return [...(files as readonly Json[])].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

/** Classes of errors that say the same. */
const KINDS: Readonly<Record<string, string>> = {
  ValueError: 'value',
  TypeError: 'value',
  InvalidOptionError: 'value',
  FileNotFoundError: 'not-found',
  SessionNotFoundError: 'not-found',
  RuntimeError: 'store',
  SessionStoreError: 'store',
};

/** An answer, and apart from it the text of its error: two SDKs may use other words. */
function split(call: PureCall, answer: Json): { readonly shown: Json; readonly text: Json } {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) {
    return { shown: answer, text: '' };
  }
  const { error, ...rest } = answer as { readonly [key: string]: Json };
  const { class: name, message } = error as { readonly class: string; readonly message: string };
  const fields = 'showsError' in call && call.showsError === true ? { fields: error as Json } : {};
  return { shown: { ...rest, ...fields, error: KINDS[name] ?? name }, text: message };
}
