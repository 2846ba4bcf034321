import { recordOf, recordsOf, textOf } from './dom.js';

// Paths are relative to the page, which may be anywhere.

/** @typedef {{ id: string, title: string, state: string, updatedAt: number }} Conversation */

/** A message may wait for a process for `limits.queueMs`. */
const ANSWER_MS = 60_000;
const LATE = 'The server did not answer within a minute. It may have done it: look before you repeat it.';
const UNREACHABLE = 'The server cannot be reached. Try again when the connection is back.';

/** What the server refused, in its words. */
export class Refusal extends Error {
  /** @param {number} status @param {string} detail */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [key] The same one for the same request: it is done once.
 * @returns {Promise<Record<string, unknown>>}
 */
async function call(method, path, body, key) {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const response = await fetch(path, {
    ...{ method, headers, signal: AbortSignal.timeout(ANSWER_MS) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error) => {
    throw new Refusal(0, error instanceof DOMException && error.name === 'TimeoutError' ? LATE : UNREACHABLE);
  });
  if (response.status === 204) return {};
  const answer = recordOf(await response.json().catch(() => ({})));
  if (response.ok) return answer;
  throw new Refusal(response.status, textOf(answer.detail) || `The server answered ${response.status}.`);
}

/** @param {Record<string, unknown>} record @returns {Conversation} */
const conversationOf = ({ id, title, state, updatedAt }) => ({
  id: textOf(id),
  title: textOf(title) || 'Untitled',
  state: textOf(state),
  updatedAt: Number(updatedAt),
});

/** @param {string} id */
const pathOf = (id) => `conversations/${encodeURIComponent(id)}`;

/**
 * A page of the list.
 *
 * @param {string} [after] `next` of the page before.
 * @returns {Promise<{ conversations: Conversation[], next: string }>} `next` is empty at the end.
 */
export async function listConversations(after = '') {
  const from = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
  const { conversations, next } = await call('GET', `conversations?limit=100${from}`);
  return { conversations: recordsOf(conversations).map(conversationOf), next: textOf(next) };
}

/** @param {string} id @returns {Promise<Conversation | undefined>} */
export async function findConversation(id) {
  try {
    return conversationOf(await call('GET', pathOf(id)));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** @param {string} title @param {string} key @returns {Promise<Conversation>} */
export async function createConversation(title, key) {
  return conversationOf(await call('POST', 'conversations', { title }, key));
}

/** @param {string} id @param {string} text @param {string} key */
export const sendMessage = (id, text, key) => call('POST', `${pathOf(id)}/messages`, { text }, key);

/** @param {string} id */
export const interruptTurn = (id) => call('POST', `${pathOf(id)}/interrupt`);

/** @param {string} id @param {string} questionId @param {object} answer */
export const answerQuestion = (id, questionId, answer) =>
  call('POST', `${pathOf(id)}/questions/${encodeURIComponent(questionId)}`, answer);

/** The token is asked for now: it is no event. @param {string} id @param {string} approvalId @param {object} answer */
export async function decideApproval(id, approvalId, answer) {
  const known = recordsOf((await call('GET', `${pathOf(id)}/approvals`)).approvals);
  const token = known.find((approval) => approval.approvalId === approvalId)?.token;
  return await call('POST', `${pathOf(id)}/approvals/${encodeURIComponent(approvalId)}`, {
    token: token ?? '',
    ...answer,
  });
}

/**
 * The newest messages, the oldest of them first.
 *
 * @param {string} id
 * @param {number} skipped So many of the newest are left out.
 * @param {number} limit
 * @returns {Promise<Record<string, unknown>[]>}
 */
export async function readTranscript(id, skipped, limit) {
  return recordsOf((await call('GET', `${pathOf(id)}/transcript?limit=${limit}&fromEnd=${skipped}`)).messages);
}

/** @param {string} id */
export const eventsPath = (id) => `${pathOf(id)}/events?deltas=live`;
