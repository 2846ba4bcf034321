import { questionCard } from './cards.js';
import { element, recordOf, recordsOf, textOf } from './dom.js';
import { ToolCards } from './tool-cards.js';
import { promptOf, unseenOf } from './transcript.js';

/** So many messages of a transcript are shown at first, and with each click. */
const PART = 500;
/** What is further up than so many is laid out in groups of as many, and only those that are in sight. */
const GROUP = 100;

/**
 * @typedef {object} ViewParams
 * @property {HTMLElement} log
 * @property {(questionId: string, answer: object) => Promise<unknown>} answer
 * @property {(approvalId: string, answer: object) => Promise<unknown>} decide
 * @property {() => void} onDropped The transcript has to be loaded, for {@link ConversationView.showTranscript}.
 */

/**
 * @typedef {object} Asked
 * @property {HTMLElement} card
 * @property {(how: string) => void} decided The call goes on, or not.
 * @property {(how: string) => void} close
 */

/** Shows the events of one conversation. */
export class ConversationView {
  isBusy = false;
  /** Counts the turns that began here. */
  turns = 0;
  /** @type {number | undefined} */
  costUsd;
  #params;
  /** @type {HTMLElement | undefined} */
  #live;
  #tools = new ToolCards();
  /** @type {Map<string, Asked>} */
  #questions = new Map();
  /** @type {Map<string, Asked>} */
  #approvals = new Map();
  /** What users wrote, by the events, in order. @type {string[]} */
  #prompts = [];
  /** Where what is older than the events goes, while it is made. @type {((shown: HTMLElement) => void) | undefined} */
  #place;
  /** Cards that wait for an answer, the oldest first. @type {Set<HTMLElement>} */
  #open = new Set();
  /** Ids of messages, which the transcript and the events may both have. @type {Set<string>} */
  #seen = new Set();

  /** @param {ViewParams} params */
  constructor(params) {
    this.#params = params;
    this.reset();
  }

  reset() {
    this.#params.log.replaceChildren();
    this.#tools.clear();
    this.#questions.clear();
    this.#approvals.clear();
    this.#open.clear();
    this.#seen.clear();
    this.#prompts = [];
    this.#live = undefined;
    this.isBusy = false;
    this.costUsd = undefined;
  }

  /** Those that came together, without a layout. @param {Record<string, unknown>[]} events */
  show(events) {
    for (const event of events) this.#take(event);
    this.#group();
    this.#params.log.setAttribute('aria-busy', String(this.#live !== undefined));
  }

  #group() {
    const loose = [];
    const { lastElementChild } = this.#params.log;
    for (
      let shown = lastElementChild;
      shown !== null && !shown.matches('.part');
      shown = shown.previousElementSibling
    ) {
      loose.push(shown);
    }
    loose.reverse();
    while (loose.length > 2 * GROUP) {
      const moved = loose.splice(0, GROUP);
      if (moved.some((shown) => shown.matches('.question[data-state="open"], .earlier'))) return;
      const part = element('div', { className: 'part' });
      moved[0]?.before(part);
      part.append(...moved);
    }
  }

  /** What was said before the oldest event that is kept, the newest of it at once. @param {Record<string, unknown>[]} messages */
  showTranscript(messages) {
    const unseen = unseenOf(messages, (uuid) => this.#seen.has(uuid), this.#prompts);
    this.#showOlder(unseen, this.#params.log.firstChild ?? undefined);
  }

  /** @param {Record<string, unknown>[]} messages @param {Node | undefined} before */
  #showOlder(messages, before) {
    const { log } = this.#params;
    const older = messages.slice(0, -PART);
    const live = this.#live;
    const part = element('div', { className: 'part' });
    this.#place = (shown) => part.append(shown);
    for (const message of messages.slice(-PART)) {
      const prompt = promptOf(message);
      if (prompt === undefined) this.#message(message);
      else this.#say('user', prompt);
    }
    this.#place = undefined;
    this.#live = live;
    log.insertBefore(part, before ?? null);
    if (older.length === 0) return;
    const more = element('button', { className: 'earlier', text: `Show earlier messages (${older.length})` });
    more.type = 'button';
    more.addEventListener('click', () => {
      more.remove();
      this.#showOlder(older, part);
    });
    part.before(more);
  }

  /** The oldest card that waits for an answer. */
  get waiting() {
    const [first] = this.#open;
    return first;
  }

  endLostTurn() {
    this.isBusy = false;
    this.#closeQuestions();
    this.#tools.leave();
  }

  /** @param {Record<string, unknown>} event */
  #take(event) {
    if (event.type === 'user_message') {
      this.#closeQuestions();
      this.#begin();
      this.#prompts.push(textOf(event.text));
      this.#say('user', textOf(event.text));
    } else if (event.type === 'message') this.#message(recordOf(event.message));
    else if (event.type === 'question') this.#ask(event);
    else if (event.type === 'question_closed')
      this.#questions.get(textOf(event.questionId))?.close(textOf(event.answer));
    else if (event.type === 'approval') this.#askLater(event);
    else if (event.type === 'approval_decided') {
      this.#approvals.get(textOf(event.approvalId))?.decided(textOf(event.behavior));
      this.#begin();
    } else if (event.type === 'approval_closed') {
      this.#approvalClosed(event);
    } else if (event.type === 'wake_up') {
      this.#begin();
      this.#note(`Scheduled: ${textOf(event.prompt)}`);
    } else if (event.type === 'background_ended') {
      for (const task of recordsOf(event.tasks)) this.#note(`Ended before it was done: ${textOf(task.description)}`);
    } else if (event.type === 'turn_ended') this.#end(textOf(event.outcome));
    else if (event.type === 'events_dropped') this.#drop();
  }

  /** What is before the gap is in the transcript, and all that is asked is still open. */
  #drop() {
    const { log } = this.#params;
    const asked = [...log.children].filter((child) => child.matches('.question[data-state="open"]'));
    log.replaceChildren(...asked);
    this.#tools.forgetShown();
    this.#seen.clear();
    this.#prompts = [];
    this.#live = undefined;
    this.#params.onDropped();
  }

  /** @param {Record<string, unknown>} message */
  #message(message) {
    const uuid = textOf(message.uuid);
    if (uuid !== '' && this.#seen.has(uuid)) return;
    this.#seen.add(uuid);
    if (message.type === 'stream_event' && message.parent_tool_use_id === null) this.#stream(recordOf(message.event));
    else if (message.type === 'result' && typeof message.total_cost_usd === 'number') {
      // It counts the whole session.
      this.costUsd = message.total_cost_usd;
    } else if (message.type === 'assistant' || message.type === 'user') {
      for (const block of recordsOf(recordOf(message.message).content)) this.#block(message.type, block);
    }
  }

  /** @param {Record<string, unknown>} event */
  #stream({ type, content_block, delta }) {
    if (type === 'content_block_start' && recordOf(content_block).type === 'text') this.#live = undefined;
    const { type: kind, text } = recordOf(delta);
    if (type !== 'content_block_delta' || kind !== 'text_delta') return;
    this.#live ??= this.#say('assistant live', '');
    this.#live.append(textOf(text));
  }

  /** @param {'assistant' | 'user'} role @param {Record<string, unknown>} block */
  #block(role, block) {
    if (role === 'user') {
      if (block.type === 'tool_result') this.#tools.finish(block);
    } else if (block.type === 'text') {
      const said = this.#live ?? this.#say('assistant', '');
      said.textContent = textOf(block.text);
      this.#settle();
    } else if (block.type === 'tool_use') {
      this.#settle();
      this.#add(this.#tools.begin(textOf(block.id), textOf(block.name), recordOf(block.input)));
    }
  }

  /** @param {Record<string, unknown>} question */
  #ask(question) {
    const questionId = textOf(question.questionId);
    this.#put(this.#questions, questionId, question, (answer) => this.#params.answer(questionId, answer));
  }

  /** A call that waits for longer than a turn. @param {Record<string, unknown>} event */
  #askLater(event) {
    const approvalId = textOf(event.approvalId);
    const question = { ...event, title: `Approve ${textOf(event.toolName)}?` };
    this.#put(this.#approvals, approvalId, question, (answer) => this.#params.decide(approvalId, answer));
  }

  /**
   * @param {Map<string, Asked>} asked
   * @param {string} id
   * @param {Record<string, unknown>} question
   * @param {(answer: object) => Promise<unknown>} answer
   */
  #put(asked, id, question, answer) {
    const { card, close } = questionCard(question, answer);
    const call = textOf(question.toolUseId);
    this.#tools.wait(call);
    /** @param {string} how */
    const decided = (how) => this.#tools.decided(call, how);
    /** @param {string} how */
    const end = (how) => {
      decided(how);
      close(how);
      this.#open.delete(card);
    };
    asked.set(id, { card, decided, close: end });
    this.#open.add(card);
    this.#params.log.append(card);
  }

  #begin() {
    this.turns += 1;
    this.isBusy = true;
  }

  /** @param {string} outcome */
  #end(outcome) {
    this.#settle();
    this.#tools.leave();
    this.isBusy = false;
    if (outcome !== 'completed' && outcome !== 'deferred')
      this.#note(`The turn ended: ${outcome.replaceAll('_', ' ')}`);
  }

  /** A call that was lost beside another one was announced by nothing else. @param {Record<string, unknown>} event */
  #approvalClosed({ approvalId, toolUseId, state }) {
    const approval = this.#approvals.get(textOf(approvalId));
    if (approval === undefined) this.#tools.lost(textOf(toolUseId), textOf(state));
    else approval.close(textOf(state));
  }

  /** @param {string} text */
  #note(text) {
    this.#params.log.append(element('p', { className: 'note', text }));
  }

  #settle() {
    this.#live?.classList.remove('live');
    this.#live = undefined;
  }

  /** Those whose turn was lost with its server. */
  #closeQuestions() {
    for (const [id, { card, close }] of this.#questions) {
      if (card.dataset.state === 'open') close('withdrawn');
      this.#questions.delete(id);
    }
  }

  /** An open question stays at the end, where it is seen. @param {HTMLElement} shown */
  #add(shown) {
    if (this.#place !== undefined) this.#place(shown);
    else this.#params.log.insertBefore(shown, this.waiting ?? null);
  }

  /** @param {string} who @param {string} text */
  #say(who, text) {
    const said = element('p', { className: `said ${who}`, text });
    this.#add(said);
    return said;
  }
}
