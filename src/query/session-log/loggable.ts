import { isSecretName, REDACTED, withoutCredentials, withoutKnownForms } from '../../util/secrets.js';

/** Longer texts are cut. */
const MAX_CHARS = 200;
/** Entries of a list, and fields of an object. */
const MAX_ENTRIES = 30;
const MAX_DEPTH = 8;
/** Of one record, all fields together: a frame of nested lists would be large within the limits above. */
const MAX_NODES = 2_000;
const MAX_RECORD_CHARS = 16_000;
/** What is looked at of a text, besides the length of the longest secret. */
const LOOK_CHARS = 4_000;
/** A secret that is cut at the end of the piece is recognised by this many characters. */
const MIN_SECRET_CHARS = 6;
/** Below these names any text may be a secret: variables, headers, settings of MCP servers and of the CLI. */
const PRIVATE_FIELDS: ReadonlySet<string> = new Set([
  ...['env', 'headers', 'settings', 'mcpServers', 'mcp_servers_config', 'servers', 'variables'],
]);

/** Flags whose values are words, numbers and paths. Any other value may be a prompt, a schema, a configuration or a key. */
const PLAIN_FLAGS: ReadonlySet<string> = new Set([
  ...['--output-format', '--input-format', '--model', '--fallback-model', '--agent', '--effort', '--thinking'],
  ...['--thinking-display', '--max-turns', '--max-budget-usd', '--max-thinking-tokens', '--task-budget', '--betas'],
  ...['--permission-mode', '--permission-prompts', '--permission-prompt-tool', '--allowedTools', '--disallowedTools'],
  ...['--tools', '--setting-sources', '--resume', '--resume-session-at', '--session-id', '--add-dir', '--plugin-dir'],
  ...['--plugin-dir-no-mcp', '--project-config-root', '--resume-drops-turn', '--debug-file'],
]);

/** Flags without a value. What follows any other flag is its value, whatever that begins with. */
const BARE_FLAGS: ReadonlySet<string> = new Set([
  ...['--verbose', '--debug', '--continue', '--strict-mcp-config', '--allow-dangerously-skip-permissions'],
  ...['--include-hook-events', '--include-partial-messages', '--session-mirror', '--await-initialize'],
  ...['--fork-session', '--no-session-persistence'],
]);

/** Of a secret with several lines, those that are worth a search of their own. */
const MIN_LINE_CHARS = 12;
const COUNT_NAME = /tokens(?![a-z])/i;

/** What may still be copied into a record. */
interface Budget {
  nodes: number;
  chars: number;
}

/** Makes texts and frames fit for a log: secrets taken out, long things cut. */
export class Loggable {
  /** Longest first: a secret that is part of another must not leave the rest of it behind. */
  readonly #secrets: readonly string[];

  /** @param env - The child's environment: the values of its secret variables are taken out wherever they occur. */
  constructor(env: Readonly<Record<string, string>>) {
    const secrets = Object.entries(env)
      .filter(([name, value]) => isSecretName(name) && value.length >= MIN_SECRET_CHARS)
      .flatMap(([, value]) => formsOf(value));
    this.#secrets = [...new Set(secrets)].sort((one, other) => other.length - one.length);
  }

  text(text: string): string {
    // Secrets first: one that is cut could not be told any more.
    const piece = text.slice(0, LOOK_CHARS + (this.#secrets[0]?.length ?? 0));
    const isWhole = piece.length === text.length;
    const known = this.#secrets.reduce(
      (rest, each) => rest.replaceAll(each, REDACTED),
      isWhole ? piece : this.#withoutCutSecret(piece),
    );
    const clean = withoutCredentials(withoutKnownForms(known));
    return isWhole && clean.length <= MAX_CHARS ? clean : `${clean.slice(0, MAX_CHARS)}... (${text.length} characters)`;
  }

  /** A command line. Only values of {@link PLAIN_FLAGS} are shown. */
  args(args: readonly string[]): readonly string[] {
    let flag: string | undefined;
    return args.map((arg) => {
      const isValue = flag !== undefined && !BARE_FLAGS.has(flag);
      const isShown = flag !== undefined && PLAIN_FLAGS.has(flag);
      if (isValue || !arg.startsWith('--')) {
        flag = undefined;
        return isShown ? this.text(arg) : REDACTED;
      }
      const end = arg.indexOf('=');
      const name = end === -1 ? arg : arg.slice(0, end);
      flag = end === -1 ? name : undefined;
      return end === -1 || PLAIN_FLAGS.has(name) ? this.text(arg) : `${name}=${REDACTED}`;
    });
  }

  /** A copy of a frame. */
  frame(value: unknown): unknown {
    return this.#copy(value, 0, false, { nodes: MAX_NODES, chars: MAX_RECORD_CHARS });
  }

  #copy(value: unknown, depth: number, isPrivate: boolean, budget: Budget): unknown {
    budget.nodes -= 1;
    if (value === null || value === undefined) return value;
    if (typeof value !== 'object' && isPrivate) return this.#charge(REDACTED, budget);
    if (typeof value === 'string') return this.#charge(this.text(value), budget);
    if (typeof value !== 'object') return value;
    if (depth >= MAX_DEPTH) return '[deeper]';
    if (isSpent(budget)) return '[more]';
    return Array.isArray(value)
      ? this.#list(value, depth, isPrivate, budget)
      : this.#fields(value as Readonly<Record<string, unknown>>, depth, isPrivate, budget);
  }

  #list(list: readonly unknown[], depth: number, isPrivate: boolean, budget: Budget): unknown[] {
    const shown: unknown[] = [];
    for (const each of list.slice(0, MAX_ENTRIES)) {
      if (isSpent(budget)) break;
      shown.push(this.#copy(each, depth + 1, isPrivate, budget));
    }
    if (shown.length < list.length) shown.push(`[${list.length} entries]`);
    return shown;
  }

  #fields(fields: Readonly<Record<string, unknown>>, depth: number, isPrivate: boolean, budget: Budget): object {
    const shown: [string, unknown][] = [];
    const names = Object.keys(fields);
    for (const name of names.slice(0, MAX_ENTRIES)) {
      if (isSpent(budget)) break;
      const field = fields[name];
      const hides = isPrivate || PRIVATE_FIELDS.has(name) || isSecretField(name, field);
      const told = this.#charge(this.text(name), budget);
      shown.push([told, this.#copy(field, depth + 1, hides, budget)]);
    }
    if (shown.length < names.length) shown.push(['...', `[${names.length} fields]`]);
    return Object.fromEntries(shown);
  }

  #charge(text: string, budget: Budget): string {
    budget.chars -= text.length;
    return text;
  }

  /** Without the beginning of a secret at the end. */
  #withoutCutSecret(piece: string): string {
    let start = piece.length;
    for (const secret of this.#secrets) {
      const first = secret.slice(0, MIN_SECRET_CHARS);
      // An earlier place is a whole secret, or none.
      let at = piece.indexOf(first, Math.max(0, piece.length - secret.length));
      while (at !== -1 && at < start && !secret.startsWith(piece.slice(at))) at = piece.indexOf(first, at + 1);
      if (at !== -1 && at < start) start = at;
    }
    return start === piece.length ? piece : `${piece.slice(0, start)}${REDACTED}`;
  }
}

/**
 * The secret as it is, as JSON inside a text writes it, and each line that is long enough: a text may quote one line of
 * a key.
 */
function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return [secret, ...lines.filter((line) => line.length >= MIN_LINE_CHARS)].flatMap((form) => {
    const once = inJson(form);
    return [form, once, inJson(once)];
  });
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function isSpent({ nodes, chars }: Budget): boolean {
  return nodes <= 0 || chars <= 0;
}

/** Counts of tokens are not secret. A name that is cut in the log may hide anything. */
function isSecretField(name: string, value: unknown): boolean {
  if (name.length > MAX_CHARS) return true;
  return isSecretName(name) && !(typeof value === 'number' && COUNT_NAME.test(name));
}
