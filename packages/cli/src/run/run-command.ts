import { statSync } from 'node:fs';
import { InvalidOptionError, type SettingSource } from 'claudewire';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { cliPath } from '../find-program.js';
import type { ProgramHost } from '../program-host.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { pipedText } from './piped-text.js';
import { type RunArguments, runPrompt } from './run-prompt.js';

const HELP = `
On a terminal you see the text as it streams, the tools, and the questions about them. Elsewhere standard output carries
the answer alone, standard error the rest, and a call that somebody would have to allow is denied: name what may run with
--allow or --permission-mode. Ctrl-C interrupts the turn, a second one ends the run, a third does not wait.

  claudewire run "What does this project do?"
  git diff | claudewire run "What may break?"
  claudewire run --json - < prompt.txt > run.ndjson
  claudewire run --allow 'Bash(npm test *)' --max-budget-usd 0.50 "Why does the test fail?"
${EXIT_CODES_HELP}`;

/** A prompt is read into memory. */
const MAX_PROMPT_BYTES = 16 * 1024 * 1024;

/** Adds `claudewire run`. */
export function addRunCommand(program: Command, host: ProgramHost, onExit: (code: number) => void): void {
  program
    .command('run')
    .description('Runs one prompt on the Claude Code of this machine, and shows what it does.')
    .argument('[prompt]', 'what to say; what is piped follows it, or is all of it')
    .option('--model <name>', 'the model', text)
    .option('--append-system-prompt <text>', 'goes behind the system prompt of Claude Code', text)
    .option('--allow <rule>', 'what runs without a question, such as "Bash(git *)"; may be repeated', list)
    .option('--deny <rule>', 'what never runs; may be repeated', list)
    .option('--permission-mode <mode>', 'default, acceptEdits, plan, dontAsk, auto or bypassPermissions', text)
    .option('--setting-sources <list>', 'which settings count: user,project,local (default: all), or none', sources)
    .addOption(new Option('--resume <id>', 'goes on with this session').argParser(text).conflicts('continue'))
    .option('--continue', 'goes on with the newest session of the folder')
    .option('--cwd <dir>', 'where Claude Code works (default: here)', folder)
    .option('--cli <path>', 'the CLI (default: looked for)', cliPath)
    .option('--max-turns <n>', 'ends the run after so many turns', count)
    .option('--max-budget-usd <dollars>', 'ends the run when it has cost so much', number)
    .option('--deadline <seconds>', 'ends the run after so long', number)
    .option('--record <file>', 'records what passes between this program and the CLI, without secrets', text)
    .option('--json', 'prints every message as a line of JSON, then a line of the type run_summary')
    .addHelpText('after', HELP)
    .configureOutput({ outputError: (text, write) => write(withDashHint(text)) })
    .action(async (prompt: string | undefined, args: RunArguments) => {
      onExit(await runPrompt(await promptOf(prompt, host), args, host));
    });
}

function withDashHint(text: string): string {
  return /unknown option '-[^-]/.test(text) ? `${text.trimEnd()}. A prompt that begins with - goes behind --\n` : text;
}

/** How long the first byte may take, unless `-` asks for the input. Afterwards the pipe is ignored. */
const FIRST_BYTE_MS = 3_000;
const NO_PROMPT = "missing required argument 'prompt': give it in quotes, or - to read it from standard input";

/** As for `claude -p`: what is piped follows the prompt that is given, in a line of its own. */
async function promptOf(given: string | undefined, host: ProgramHost): Promise<string> {
  const said = given === '-' ? undefined : given;
  const isPiped = host.stdin !== undefined && host.stdin().isTTY !== true;
  const piped = isPiped || given === '-' ? await readAll(host, given) : '';
  const prompt = [said, piped].filter((part) => part !== undefined && part.trim() !== '').join('\n');
  // Ctrl-C ends the reading; nothing is started then.
  if (prompt !== '' || host.abortController.signal.aborted) return prompt;
  if (given === undefined) throw new InvalidOptionError('prompt', NO_PROMPT);
  throw new InvalidOptionError('prompt', `the prompt${given === '-' ? ' on standard input' : ''} is empty`);
}

/** All of standard input. Unless `-` was given, it is left when its first byte does not come. */
async function readAll({ stdin, stderr, abortController }: ProgramHost, given: string | undefined): Promise<string> {
  const input = stdin?.();
  if (input === undefined) return '';
  let isLeft = false;
  const leave = (): void => {
    isLeft = true;
    if (given !== undefined) stderr.write(LEFT);
    input.destroy();
  };
  const stop = (): void => void input.destroy();
  const timer = given === '-' ? undefined : setTimeout(leave, FIRST_BYTE_MS);
  abortController.signal.addEventListener('abort', stop);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of input) {
      clearTimeout(timer);
      const buffer = Buffer.from(chunk);
      bytes += buffer.length;
      if (bytes > MAX_PROMPT_BYTES) {
        throw new InvalidOptionError('prompt', `the prompt on standard input is longer than ${MAX_PROMPT_BYTES} bytes`);
      }
      chunks.push(buffer);
    }
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error;
    // What cannot be read and was not asked for, such as the input that `nohup` gives, is none.
    const isUnasked = given !== undefined && given !== '-' && chunks.length === 0;
    if (isLeft || isUnasked || abortController.signal.aborted) return '';
    throw new InvalidOptionError('prompt', 'standard input cannot be read', { cause: error });
  } finally {
    clearTimeout(timer);
    abortController.signal.removeEventListener('abort', stop);
  }
  return pipedText(Buffer.concat(chunks));
}

const LEFT = `Nothing came on standard input within ${FIRST_BYTE_MS / 1_000} s: going on without it. \`< /dev/null\` saves the wait.\n`;

function text(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

function sources(value: string): readonly SettingSource[] {
  const names = value === 'none' ? [] : value.split(',');
  const known = names.filter((name): name is SettingSource => ['user', 'project', 'local'].includes(name));
  if (known.length === names.length) return known;
  throw new InvalidArgumentError('It must be some of user, project, local, with commas, or none.');
}

function list(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, text(value)];
}

function number(value: string): number {
  const found = Number(value);
  if (value.trim() !== '' && Number.isFinite(found) && found > 0) return found;
  throw new InvalidArgumentError('It must be a number above 0.');
}

function count(value: string): number {
  if (value.trim() !== '' && Number.isSafeInteger(Number(value)) && Number(value) > 0) return Number(value);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

function folder(value: string): string {
  if (statSync(value, { throwIfNoEntry: false })?.isDirectory() === true) return value;
  throw new InvalidArgumentError('It is no folder.');
}
