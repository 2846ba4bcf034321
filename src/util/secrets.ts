import { EDGE, TOKEN_HINT, TOKENS } from './secret-formats.js';

/** Replaces a secret. */
export const REDACTED = '[redacted]';

/** Keys that say by their form what they are, beside those of a list. */
const KNOWN_FORMS = new RegExp(`${EDGE}sk-(?:proj-)?[\\w-]{32,}`, 'g');

/** A private key, also one whose end is missing. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/**
 * What names of credentials hold, as words or at the end of one: `MYTOKEN` and `authToken` do, `TOKENIZERS` and
 * `SECRETARY` do not.
 */
const SECRET_NAME = new RegExp(
  [
    '(?:token|secret|passw(?:or)?d|passphrase|passcode|credential|authorization|(?<!public[_-]?)key|(?<!by|com|ask)pass)(?:s|id)?',
    'o?auth',
    'connection_?string',
    '(?<![a-z])(?:bearer|cookies?|private|dsn|pat|headers?)',
    '[_-]pwd',
  ]
    .map((word) => `${word}(?![a-z])`)
    .join('|'),
  'i',
);

/** What such a name may also lead to: where something is, how much of it there is. */
const PLAIN_NAME =
  /[_-](?:dir|path|sock|home|name|email|count|limit|length|size|ttl|ms|timeout)$|max(?:(?!max)\w)*tokens$/i;

/** True when a variable of this name should be taken for a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/**
 * A password in a URL, which may hold a `/` or an `@`, what follows the scheme in an `Authorization` header, and lines of headers, also in JSON inside
 * a text.
 */
const IN_URL = /(:\/\/[^\s/?#:@]*:)(?!\d{1,5}[/?#,])[^\s"'<>]{1,256}@/g;
const IN_HEADER = /\b(bearer|basic)(\s{1,3})[\w.~+/-]{8,}=*/gi;
const HEADER_LINE =
  /\b((?:proxy-)?authorization|x-api-key|(?:set-)?cookie)(["'\\]{0,8}\s{0,3}[:=]\s{0,3}["'\\]{0,8})[^\s"'\\][^"'\\\r\n]{3,}/gi;

/**
 * The text without credentials that can be told by where they are: in a URL, behind `Bearer` and `Basic`, or in a
 * header.
 */
export function withoutCredentials(text: string): string {
  return text
    .replace(IN_URL, `$1${REDACTED}@`)
    .replace(IN_HEADER, `$1$2${REDACTED}`)
    .replace(HEADER_LINE, `$1$2${REDACTED}`);
}

/** The text without the keys and tokens that can be told by their form. */
export function withoutKnownForms(text: string): string {
  const rest = text.replace(PRIVATE_KEY, REDACTED).replace(KNOWN_FORMS, REDACTED);
  return TOKEN_HINT.test(rest) ? rest.replace(TOKENS, REDACTED) : rest;
}
