import type { CanUseTool, CanUseToolOptions, PermissionResult, PermissionUpdate } from 'claudewire';
import { isJsonObject, type JsonObject, jsonTextOf } from '../../../../src/util/json.js';
import type { Display } from './display.js';

/** Asks the person for one line; `undefined`: there is no answer. */
export type Ask = (prompt: string, signal: AbortSignal) => Promise<string | undefined>;

export interface QuestionOptions {
  readonly display: Display;
  /** `undefined`: there is no terminal, so nothing is allowed. */
  readonly ask: Ask | undefined;
  /** Why not. */
  readonly whyNotAsked: string;
  /** Aborts when the person stops the turn. */
  readonly stopped: AbortSignal;
}

/** What is shown of an input before the person asks for the rest. */
const MAX_SHOWN = 4_000;
const NOT_ALLOWED = 'The user did not allow this.';
const NO_ANSWER = 'Nobody answered the question, so this is not allowed.';

/** Questions of the CLI, one after another, answered by a person or refused. */
export function askPerson(options: QuestionOptions): CanUseTool {
  let last: Promise<unknown> = Promise.resolve();
  return (toolName, input, question) => {
    const answer = last
      .then(() => new Question(options, toolName, input, question).answer())
      // The CLI wants no answer to a question that it has taken back.
      .then((result) => (question.signal.aborted ? null : result));
    last = answer.catch(() => {});
    return answer;
  };
}

class Question {
  readonly #options: QuestionOptions;
  readonly #toolName: string;
  readonly #input: JsonObject;
  readonly #about: CanUseToolOptions;
  readonly #signal: AbortSignal;

  constructor(options: QuestionOptions, toolName: string, input: JsonObject, about: CanUseToolOptions) {
    this.#options = options;
    this.#toolName = toolName;
    this.#input = input;
    this.#about = about;
    this.#signal = AbortSignal.any([about.signal, options.stopped]);
  }

  async answer(): Promise<PermissionResult> {
    const { display, ask, whyNotAsked } = this.#options;
    if (this.#signal.aborted) return denied(NO_ANSWER);
    if (ask === undefined) {
      display.line([
        ['red', '  not allowed '],
        ['dim', `${this.#toolName}: ${whyNotAsked}`],
      ]);
      return denied(`${NO_ANSWER} ${whyNotAsked}`);
    }
    const { questions } = this.#input;
    if (this.#toolName === 'AskUserQuestion' && Array.isArray(questions)) return this.#choose(ask, questions);
    return this.#permit(ask);
  }

  async #permit(ask: Ask): Promise<PermissionResult> {
    const { display } = this.#options;
    const text = inputText(this.#input);
    const rules = rulesOf(this.#about);
    // Whole, as everything that is decided about: a line is cut to the terminal.
    display.block(`${this.#toolName} needs your permission`, 'yellow');
    for (const why of [this.#about.decisionReason, this.#about.blockedPath]) {
      if (typeof why === 'string') display.block(why, 'dim');
    }
    display.block(text.slice(0, MAX_SHOWN));
    const isCut = text.length > MAX_SHOWN;
    if (isCut) display.line([['yellow', `  ... and ${text.length - MAX_SHOWN} more characters. v shows them.`]]);
    if (rules.length > 0) display.block(`a, always in this session: ${rules.map(ruleText).join(', ')}`, 'dim');
    const keys = ['y', 'n', ...(rules.length > 0 ? ['a'] : []), ...(isCut ? ['v'] : [])];
    for (;;) {
      const said = await this.#read(ask, `Allow it? [${keys.join('/')}, or say why not] `);
      const key = said?.toLowerCase();
      if (key === 'v' && isCut) {
        display.block(text.slice(MAX_SHOWN));
        continue;
      }
      if (key === 'y' || key === 'yes') return allowed(this.#input);
      if ((key === 'a' || key === 'always') && rules.length > 0) return allowed(this.#input, rules);
      if (said === undefined) return denied(NO_ANSWER);
      return denied(['', 'n', 'no', 'a', 'always'].includes(said.toLowerCase()) ? NOT_ALLOWED : said);
    }
  }

  async #choose(ask: Ask, questions: readonly unknown[]): Promise<PermissionResult> {
    const { display } = this.#options;
    const answers = new Map<string, string>();
    for (const each of questions.filter(isJsonObject)) {
      const question = String(each.question);
      const labels = (Array.isArray(each.options) ? each.options.filter(isJsonObject) : []).map((option) => ({
        label: String(option.label),
        about: typeof option.description === 'string' ? `  ${option.description}` : '',
      }));
      display.line([['yellow', 'Claude asks']]);
      display.block(question);
      for (const [index, { label, about }] of labels.entries()) {
        display.block(`${index + 1} ${label}${about}`);
      }
      const many = each.multiSelect === true ? 'Numbers, with commas' : 'A number';
      const said = await this.#read(ask, `${many}, or your own words: `);
      if (said === undefined || said === '') return denied('The user did not answer the question.');
      answers.set(
        question,
        choiceOf(
          said,
          labels.map(({ label }) => label),
        ),
      );
    }
    return allowed({ ...this.#input, answers: Object.fromEntries(answers) });
  }

  async #read(ask: Ask, prompt: string): Promise<string | undefined> {
    const { display } = this.#options;
    display.hold();
    try {
      const said = await ask(prompt, this.#signal);
      return said?.trim();
    } finally {
      display.release(this.#about.toolUseID);
      if (this.#signal.aborted) display.line([['dim', 'The question was taken back.']]);
    }
  }
}

/** Labels for numbers; anything else is the person's own answer. */
function choiceOf(said: string, labels: readonly string[]): string {
  const chosen = said.split(',').map((part) => (/^\s*\d+\s*$/.test(part) ? labels[Number(part) - 1] : undefined));
  return chosen.every((label) => label !== undefined) ? chosen.join(', ') : said;
}

/**
 * What "always" means: the rules that the CLI suggests, and for this session only, wherever it wanted to keep them.
 * Without any, its switch to accepting edits. Other modes and further folders would allow more than was asked.
 */
function rulesOf({ suggestions, suppressAlwaysAllowRule }: CanUseToolOptions): PermissionUpdate[] {
  if (suppressAlwaysAllowRule === true || !Array.isArray(suggestions)) return [];
  const updates = suggestions.map((update) => ({ ...update, destination: 'session' as const }));
  const rules = updates.filter((update) => update.type === 'addRules' && update.behavior === 'allow');
  if (rules.length > 0) return rules;
  return updates.filter((update) => update.type === 'setMode' && update.mode === 'acceptEdits');
}

function ruleText(update: PermissionUpdate): string {
  if (update.type !== 'addRules') return 'accept every edit';
  return update.rules
    .map(({ toolName, ruleContent }) => (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`))
    .join(', ');
}

function inputText(input: JsonObject): string {
  const lines = Object.entries(input).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : (jsonTextOf(value) ?? '')}`,
  );
  return lines.join('\n') || '(no input)';
}

function allowed(updatedInput: JsonObject, updatedPermissions?: PermissionUpdate[]): PermissionResult {
  return { behavior: 'allow', updatedInput, ...(updatedPermissions === undefined ? {} : { updatedPermissions }) };
}

function denied(message: string): PermissionResult {
  return { behavior: 'deny', message };
}
