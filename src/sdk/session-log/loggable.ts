import {
  isSecretName,
  REDACTED,
  withoutCredentials,
  withoutKnownForms,
} from '../../util/secrets.js';

/** Longer texts are cut. */
const MAX_CHARS = 200;
/** Entries of a list, and fields of an object. */
const MAX_ENTRIES = 30;
const MAX_DEPTH = 8;
/** Below these names any text may be a secret: variables, headers, settings of MCP servers and of the CLI. */
const PRIVATE_FIELDS: ReadonlySet<string> = new Set([
  'env',
  'headers',
  'settings',
  'mcpServers',
  'mcp_servers_config',
  'servers',
  'variables',
]);

/** Flags whose values are words and numbers. The value of any other flag may be a prompt, a configuration or a key. */
const PLAIN_FLAGS: ReadonlySet<string> = new Set([
  '--output-format',
  '--input-format',
  '--effort',
  '--max-turns',
  '--max-budget-usd',
  '--max-thinking-tokens',
  '--task-budget',
  '--thinking',
  '--thinking-display',
  '--model',
  '--fallback-model',
  '--agent',
  '--permission-mode',
  '--permission-prompts',
  '--permission-prompt-tool',
  '--allowedTools',
  '--disallowedTools',
  '--tools',
  '--setting-sources',
  '--resume',
  '--resume-session-at',
  '--session-id',
  '--add-dir',
  '--plugin-dir',
  '--betas',
  '--debug-file',
]);

/** Makes texts and frames fit for a log: secrets taken out, long things cut. */
export class Loggable {
  readonly #secrets: readonly string[];

  /** @param env - The child's environment: the values of its secret variables are taken out wherever they occur. */
  constructor(env: Readonly<Record<string, string>>) {
    this.#secrets = Object.entries(env)
      .filter(([name, value]) => isSecretName(name) && value.length >= 6)
      .map(([, value]) => value)
      .sort((one, other) => other.length - one.length);
  }

  text(text: string): string {
    // Secrets first: one that is cut could not be told any more.
    const start = text.length > MAX_CHARS * 20 ? text.slice(0, MAX_CHARS * 20) : text;
    const known = this.#secrets.reduce((rest, each) => rest.replaceAll(each, REDACTED), start);
    const clean = withoutCredentials(withoutKnownForms(known));
    const cut = clean.slice(0, MAX_CHARS);
    return text.length > MAX_CHARS && cut.length === MAX_CHARS
      ? `${cut}... (${text.length} characters)`
      : clean;
  }

  /** A command line. Only values of {@link PLAIN_FLAGS} are shown. */
  args(args: readonly string[]): readonly string[] {
    return args.map((arg, index) => {
      const end = arg.indexOf('=');
      if (arg.startsWith('--')) {
        const name = end === -1 ? arg : arg.slice(0, end);
        return end === -1 || PLAIN_FLAGS.has(name) ? this.text(arg) : `${name}=${REDACTED}`;
      }
      return PLAIN_FLAGS.has(args[index - 1] ?? '') ? this.text(arg) : REDACTED;
    });
  }

  /** A copy of a frame. */
  frame(value: unknown, depth = 0, isPrivate = false): unknown {
    if (typeof value === 'string') return isPrivate ? REDACTED : this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return '[deeper]';
    if (Array.isArray(value)) {
      const shown = value
        .slice(0, MAX_ENTRIES)
        .map((each) => this.frame(each, depth + 1, isPrivate));
      return value.length > MAX_ENTRIES ? [...shown, `[${value.length} entries]`] : shown;
    }
    const copy: Record<string, unknown> = {};
    const names = Object.keys(value);
    for (const name of names.slice(0, MAX_ENTRIES)) {
      const field = (value as Record<string, unknown>)[name];
      const hides = isPrivate || PRIVATE_FIELDS.has(name) || isSecretField(name, field);
      copy[name] = this.frame(field, depth + 1, hides);
    }
    if (names.length > MAX_ENTRIES) copy['...'] = `[${names.length} fields]`;
    return copy;
  }
}

/** Counts of tokens are no secret. */
function isSecretField(name: string, value: unknown): boolean {
  return typeof value === 'string' && isSecretName(name);
}
