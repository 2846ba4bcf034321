import { element, recordsOf, textOf } from './dom.js';

/** Controls, bidi overrides, invisible characters: what is decided about must be what is seen. */
const HIDDEN = /[^\P{C}\n\t]|[\u2028\u2029]/gu;
const MANY_LINES = 12;

/** @param {string} text */
const visible = (text) =>
  text.replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`);

/** @param {unknown} value */
const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** What a tool is asked to do: a line a field, and its text as it is. @param {Record<string, unknown>} input */
const inputText = (input) =>
  Object.entries(input)
    .map(([name, value]) => visible(`${name}: ${shown(value)}`))
    .join('\n') || 'nothing';

/** @param {Record<string, unknown>} input */
function inputOf(input) {
  const text = inputText(input);
  const lines = text.split('\n').length;
  const pre = element('pre', { className: 'input', text });
  if (lines <= MANY_LINES) return [pre];
  return [element('p', { className: 'count', text: `${lines} lines. Read them all before you decide.` }), pre];
}

/** A tool call with its input, and later its output. @param {string} name @param {Record<string, unknown>} input */
export function toolCard(name, input) {
  const state = element('span', { className: 'state', text: 'running' });
  const card = element('details', { className: 'card tool' });
  card.dataset.state = 'running';
  card.open = true;
  card.append(element('summary', {}, element('span', { text: name }), state));
  card.append(element('h4', { text: 'Input' }), ...inputOf(input));
  /** @param {string} name @param {string} text */
  const set = (name, text) => {
    card.dataset.state = name;
    state.textContent = text;
  };
  const hasOutput = () => card.querySelector('.output') !== null;
  return {
    card,
    /** Somebody has to decide about it first. */
    wait() {
      if (!hasOutput()) set('waits', WAITS);
    },
    /** It was decided about. @param {string} how */
    decided(how) {
      if (card.dataset.state !== 'waits') return;
      if (how === 'allow') set('running', 'running');
      else set('open', closedText(how));
    },
    /** The turn is over, and there is no output. Returns whether none can come any more. */
    leave() {
      if (card.dataset.state === 'running') set('open', 'did not finish');
      return card.dataset.state !== 'waits';
    },
    /** @param {unknown} content @param {boolean} isError */
    finish(content, isError) {
      card.querySelector('.output')?.remove();
      set(isError ? 'error' : 'done', isError ? 'failed' : 'done');
      const texts = recordsOf(content).map((block) => (block.type === 'text' ? textOf(block.text) : shown(block)));
      const output = Array.isArray(content) ? texts.join('\n') : shown(content ?? '');
      const pre = element('pre', { text: output });
      card.append(element('div', { className: 'output' }, element('h4', { text: 'Output' }), pre));
    },
  };
}

const WAITS = 'waits for you';

const CLOSED = {
  ...{ allow: 'allowed', deny: 'denied', expired: 'expired', withdrawn: 'withdrawn' },
  ...{ done: 'allowed, and done', failed: 'allowed, and failed', denied: 'denied', lost: 'did not run' },
  outcome_unknown: 'nobody knows whether it ran: look before you ask again',
};

/** @param {string} how */
const closedText = (how) => CLOSED[/** @type {keyof typeof CLOSED} */ (how)] ?? 'closed';

/**
 * A question of Claude Code, with its buttons while it is open.
 *
 * @param {Record<string, unknown>} question
 * @param {(answer: object) => Promise<unknown>} answer
 */
export function questionCard(question, answer) {
  const { toolName, title, description } = question;
  const input = /** @type {Record<string, unknown>} */ (question.input);
  const asks = toolName === 'AskUserQuestion' ? recordsOf(input.questions) : [];
  const name = asks.length > 0 ? 'Claude asks' : textOf(title) || `Allow ${textOf(toolName)}?`;
  const state = element('span', { className: 'state', text: WAITS });
  const card = element('form', { className: 'card question' });
  card.dataset.state = 'open';
  card.tabIndex = -1;
  card.setAttribute('role', 'group');
  card.setAttribute('aria-label', name);
  card.append(element('h3', {}, element('span', { text: name }), state));
  if (textOf(description) !== '') card.append(element('p', { text: textOf(description) }));
  if (asks.length === 0) card.append(...inputOf(input));
  asks.forEach((ask, index) => {
    card.append(choices(ask, `${textOf(question.questionId)}-${index}`));
  });
  const allow = element('button', { className: 'primary', text: asks.length > 0 ? 'Answer' : 'Allow' });
  const deny = element('button', { text: asks.length > 0 ? 'Skip' : 'Deny' });
  deny.type = 'button';
  const actions = element('div', { className: 'actions' }, allow, deny);
  card.append(actions);

  /** @param {object} given */
  const give = async (given) => {
    allow.disabled = true;
    deny.disabled = true;
    try {
      await answer(given);
    } catch {
      // Said beside the composer; the question may be answered again.
      allow.disabled = false;
      deny.disabled = false;
    }
  };
  card.addEventListener('submit', (event) => {
    event.preventDefault();
    const data = new FormData(card);
    const answers = asks.map((ask, index) => [
      textOf(ask.question),
      data.getAll(`${textOf(question.questionId)}-${index}`).join(', '),
    ]);
    const updatedInput = { ...input, answers: Object.fromEntries(answers) };
    void give({ behavior: 'allow', ...(asks.length > 0 ? { updatedInput } : {}) });
  });
  deny.addEventListener('click', () => void give({ behavior: 'deny' }));
  return {
    card,
    /** @param {string} how */
    close(how) {
      card.dataset.state = how;
      state.textContent = closedText(how);
      actions.remove();
      for (const field of card.querySelectorAll('input')) field.disabled = true;
    },
  };
}

/** @param {Record<string, unknown>} ask @param {string} name */
function choices({ question, options, multiSelect }, name) {
  const set = element('fieldset', {}, element('legend', { text: textOf(question) }));
  for (const { label, description } of recordsOf(options)) {
    const field = element('input');
    field.type = multiSelect === true ? 'checkbox' : 'radio';
    field.name = name;
    field.value = textOf(label);
    field.required = multiSelect !== true;
    const more = textOf(description) === '' ? '' : ` (${textOf(description)})`;
    set.append(element('label', {}, field, element('span', { text: textOf(label) + more })));
  }
  return set;
}
