import * as api from './api.js';
import { byId, element } from './dom.js';
import { EndKeeper } from './end-keeper.js';
import { follow, leave } from './stream.js';
import { ConversationView } from './view.js';

const log = byId('log', HTMLElement);
const list = byId('conversations', HTMLUListElement);
const more = byId('more', HTMLButtonElement);
const title = byId('title', HTMLHeadingElement);
const cost = byId('cost', HTMLSpanElement);
const status = byId('status', HTMLSpanElement);
const problem = byId('problem', HTMLParagraphElement);
const composer = byId('composer', HTMLFormElement);
const field = byId('text', HTMLTextAreaElement);
const send = byId('send', HTMLButtonElement);
const stop = byId('stop', HTMLButtonElement);

let current = '';
let isOnline = true;
let wasOnline = false;
let isSending = false;
let isRefreshing = false;
let mustRefresh = false;
/** Of all pages that were loaded, in order. @type {api.Conversation[]} */
let listed = [];
/** Where the next page begins, empty at the end of the list. */
let next = '';

const end = new EndKeeper(log);

const view = new ConversationView({
  log,
  answer: (questionId, answer) =>
    attempt(async () => {
      await api.answerQuestion(current, questionId, answer);
      field.focus();
    }, true),
  decide: (approvalId, answer) =>
    attempt(async () => {
      await api.decideApproval(current, approvalId, answer);
      field.focus();
    }, true),
  onDropped: () => void attempt(loadTranscript),
});

/** The whole, by pages from the newest one on: what was said meanwhile only makes pages overlap. */
async function loadTranscript() {
  const id = current;
  const limit = 1_000;
  /** @type {Map<unknown, Record<string, unknown>>} */
  const known = new Map();
  /** @type {Record<string, unknown>[]} */
  let all = [];
  for (let skipped = 0; ; skipped += limit) {
    const part = await api.readTranscript(id, skipped, limit);
    if (id !== current) return;
    all = [...part.filter(({ uuid }) => !known.has(uuid)), ...all];
    for (const message of part) known.set(message.uuid, message);
    if (part.length < limit) break;
  }
  view.showTranscript(all);
  end.changed();
}

function showState() {
  const { waiting: waits } = view;
  stop.hidden = !view.isBusy;
  const state = !isOnline ? 'reconnecting' : view.isBusy ? 'busy' : 'ready';
  const words = {
    reconnecting: wasOnline ? 'Reconnecting…' : 'Connecting…',
    busy: waits ? 'Waits for you' : 'Working',
    ready: 'Ready',
  };
  status.dataset.state = state;
  const text = current === '' ? '' : words[state];
  // A live region says what is set, also when it is the same.
  if (status.textContent !== text) status.textContent = text;
  cost.textContent = view.costUsd === undefined ? '' : `$${view.costUsd.toFixed(4)}`;
  if (waits !== undefined && isOnline && waits.dataset.shown === undefined) {
    waits.dataset.shown = '';
    // The card, not its button: a key that was meant for the message must not allow anything.
    if (field.value === '') waits.focus();
  }
}

/**
 * @param {() => Promise<unknown>} action
 * @param {boolean} [rethrows]
 */
async function attempt(action, rethrows = false) {
  problem.hidden = true;
  try {
    await action();
  } catch (error) {
    problem.textContent = error instanceof Error ? error.message : String(error);
    problem.hidden = false;
    if (rethrows) throw error;
  }
}

/** Once for all turns that ended meanwhile. */
async function refresh() {
  mustRefresh = true;
  if (isRefreshing) return;
  isRefreshing = true;
  try {
    while (mustRefresh) {
      mustRefresh = false;
      await showList();
    }
  } finally {
    isRefreshing = false;
  }
}

async function showList() {
  const { turns } = view;
  const id = current;
  const page = await api.listConversations();
  const last = page.conversations.at(-1);
  const isFresh = new Set(page.conversations.map((each) => each.id));
  // Pages that were loaded before stay behind the first one.
  const behind = listed.filter(
    (each) => last !== undefined && page.next !== '' && !isFresh.has(each.id) && isBehind(each, last),
  );
  if (behind.length === 0) next = page.next;
  listed = [...page.conversations, ...behind];
  showItems();
  if (id !== current) return;
  const isKnown = (/** @type {api.Conversation} */ each) => each.id === id;
  const open = page.conversations.find(isKnown) ?? (id === '' ? undefined : await api.findConversation(id));
  if (id !== current) return;
  title.textContent = open?.title ?? 'New conversation';
  // A turn that was lost with its server has no end among the events.
  const isOver = open === undefined || open.state === 'cold' || open.state === 'idle';
  if (isOver && view.isBusy && turns === view.turns) view.endLostTurn();
  showState();
}

async function showMore() {
  const count = listed.length;
  more.disabled = true;
  try {
    const page = await api.listConversations(next);
    const isKnown = new Set(listed.map(({ id }) => id));
    listed = [...listed, ...page.conversations.filter(({ id }) => !isKnown.has(id))];
    next = page.next;
    showItems();
  } finally {
    more.disabled = false;
  }
  // The button may be gone, or far below what was asked for.
  const [link] = list.children[count]?.children ?? [];
  if (link instanceof HTMLElement) link.focus();
}

function showItems() {
  list.replaceChildren(...listed.map(itemOf));
  more.hidden = next === '';
}

/** In the order of the list. @param {api.Conversation} one @param {api.Conversation} other */
function isBehind(one, other) {
  return one.updatedAt < other.updatedAt || (one.updatedAt === other.updatedAt && one.id < other.id);
}

/** @param {api.Conversation} conversation */
function itemOf({ id, title: name, updatedAt }) {
  const when = new Date(updatedAt).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const link = element('a', {}, element('span', { text: name }), element('small', { text: when }));
  link.href = `#${encodeURIComponent(id)}`;
  if (id === current) link.setAttribute('aria-current', 'page');
  return element('li', {}, link);
}

/** @param {string} hash @returns {string} none for an address that cannot be read */
function idOf(hash) {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

/** The conversation that the address names: so a reload, and a second tab, show the same one. */
function open() {
  const id = idOf(location.hash);
  if (id === current && id !== '') return;
  current = id;
  isOnline = id === '';
  wasOnline = false;
  view.reset();
  problem.hidden = true;
  if (id === '') leave();
  else {
    follow(id, {
      onEvents: (events) => {
        view.show(events);
        if (events.some(({ type }) => type === 'user_message')) end.toEnd();
        else end.changed();
        showState();
        if (events.some(({ type }) => type === 'turn_ended')) void attempt(refresh);
      },
      onConnection: (isOpen) => {
        const isBack = isOpen && !isOnline && wasOnline;
        isOnline = isOpen;
        wasOnline ||= isOpen;
        showState();
        if (isBack) void attempt(refresh);
      },
      onReset: () => view.reset(),
    });
  }
  end.toEnd();
  showState();
  void attempt(refresh);
  field.focus();
}

/** What was sent last, with the key that makes the server take it once. */
let sent = { to: '', text: '', key: '' };

/** The same key where the same text is sent again because no answer came. @param {string} to @param {string} text */
function keyFor(to, text) {
  // `randomUUID()` is not there on a page without TLS.
  const key = [...crypto.getRandomValues(new Uint32Array(4))].join('-');
  if (sent.to !== to || sent.text !== text) sent = { to, text, key };
  return sent.key;
}

async function submit() {
  const text = field.value;
  if (text.trim() === '' || isSending) return;
  isSending = true;
  send.disabled = true;
  // At once: a question that follows takes the focus only from an empty field.
  field.value = '';
  let isSent = false;
  await attempt(async () => {
    if (current === '') {
      const title = text.trim().split('\n')[0]?.slice(0, 60) ?? 'Untitled';
      const made = await api.createConversation(title, keyFor('', text));
      history.pushState(null, '', `#${made.id}`);
      open();
    }
    await api.sendMessage(current, text, keyFor(current, text));
    sent = { to: '', text: '', key: '' };
    isSent = true;
  });
  if (!isSent && field.value === '') field.value = text;
  isSending = false;
  send.disabled = false;
}

const interrupt = () => void attempt(() => api.interruptTurn(current));

composer.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
field.addEventListener('keydown', (event) => {
  // A key that ends the composition of a character is none of ours.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void submit();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.repeat && view.isBusy && !event.isComposing) interrupt();
});
stop.addEventListener('click', () => {
  interrupt();
  field.focus();
});
more.addEventListener('click', () => void attempt(showMore));
byId('new', HTMLButtonElement).addEventListener('click', () => {
  history.pushState(null, '', location.pathname);
  open();
});
window.addEventListener('hashchange', open);
window.addEventListener('popstate', open);
open();
