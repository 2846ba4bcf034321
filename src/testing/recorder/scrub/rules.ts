import { EDGE, TOKEN_HINT, TOKENS, tokenKind } from '../../../util/secret-formats.js';

/** What to look for in a text, and what replaces it. */
export interface ScrubRule {
  /** Global. */
  readonly pattern: RegExp;
  /** Where this finds nothing, the pattern finds nothing, and it is quicker by far. */
  readonly hint?: RegExp;
  replacement(found: string): Replacement;
}

export interface Replacement {
  readonly kind: string;
  readonly text: string;
}

export const placeholder = (kind: string): string => `[scrubbed:${kind}]`;

function secret(kind: string, pattern: RegExp, hint: RegExp): ScrubRule {
  const by = { kind, text: placeholder(kind) };
  return { pattern, hint, replacement: () => by };
}

/** How names of secrets end, but for what tells one from another: `TOKEN_1`, `API_KEY_OLD`. */
const NAMES =
  '(?:(?:api|access|private|secret|auth|signing|encryption|master|account)[_-]?key|token|secret|password|passwd|passphrase|passcode|credential|bearer|[_-]pass|[_-]pwd)s?';
/** Names that end in `_key`, but for those of databases and the like. */
const KEYS =
  '(?<=[a-z\\d])(?<!primary|foreign|public|partition|sort|range|hash|index|unique|composite|cache|group|row|map|hot|idempotency)_keys?';
const SUFFIX = '(?:[_-]?\\d{1,4}|[_-](?:old|new|prev|previous|prod|staging|dev|test|live|backup|base|value)){0,2}';
const HINT = /key|token|secret|pass|credential|bearer|pwd/i;
/** Between a name and its value; in JSON inside a text the quotes are escaped. */
const ASSIGN = '["\'\\\\]{0,8}\\]?\\s{0,32}(?:=>|[=:])\\s{0,3}';
/** In source code: the type `token: AbortToken;`, the call `token: read()`, the field `token: this.token`. */
const CODE =
  '(?<=:\\s{0,3})[A-Z][A-Za-z]{1,64}(?:[;<[|)?]|,\\s|\\s[|=])|[A-Za-z_.]{1,64}\\(|(?:this|self|config|options|opts|props|params|args|req|request|ctx|context)\\.[A-Za-z_.]{1,64}(?=[\\s;,)}]|$)';
/** Values that are not secrets: type names and placeholders, counts, and references such as `${name}`. */
const NO_SECRET =
  `${CODE}|` +
  '\\[scrubbed|(?:string|number|boolean|undefined|null|none|true|false|required|optional|expected|missing|invalid|await|process\\.env|os\\.environ)(?![\\w-])|~?-?\\d[\\d.,]*[kKmM]?(?![^\\s"\'\\\\,;&{})\\]])|\\$\\{\\w{1,64}\\}(?!\\w)';

/** The rest of a command, also of one that goes on in the next line. */
const COMMAND = '(?:[^\\n|;&]|\\\\\\n|&(?![&\\s])){0,400}';

/** A value behind a name: in quotes up to their end, else up to a blank, without the signs that end a phrase. */
function assigned(names: string, flags: string): ScrubRule {
  const name = names + SUFFIX;
  const before = name + ASSIGN;
  const values = [
    `(?<=${before}")(?<!\\\\")(?!\\[scrubbed)(?:\\\\.|[^"\\\\\\r\\n]){4,}`,
    `(?<=${before}')(?<!\\\\')(?!\\[scrubbed)(?:\\\\.|[^'\\\\\\r\\n]){4,}`,
    `(?<=${before}\\\\{1,7}["'])(?!\\[scrubbed)[^"'\\\\\\r\\n]{4,}`,
    `(?<=${before})(?![=[{(,;})\\]]|${NO_SECRET})(?:[^\\s"'\\\\]|\\\\ ){5,}[^\\s"'\\\\,;:.)}\\]]`,
    `(?<=<[\\w:.-]{0,40}${name}>)(?!\\s*<|[\\d.,]+[kKmM]?<|${NO_SECRET})[^<>]{4,}(?=</)`,
    // A number is a count after `tokens` only, and a password after `password`.
    `(?<=(?:password|passwd|passcode|passphrase)${ASSIGN})\\d{4,}`,
    `(?<=--(?!(?:no|use|has|with|without|skip)-)[\\w-]{0,40}${name}(?:\\s{1,3}["']?|["']\\s?,\\s{0,3}["']))(?!-|${NO_SECRET})[^\\s"'\\\\]{4,}`,
  ];
  return secret('assigned-secret', new RegExp(values.join('|'), flags), HINT);
}

/** Secrets that are recognized by their form. */
export const PATTERNS: readonly ScrubRule[] = [
  secret(
    'private-key',
    /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
    /PRIVATE KEY/,
  ),
  {
    pattern: TOKENS,
    hint: TOKEN_HINT,
    replacement: (found) => {
      const kind = tokenKind(found);
      return { kind, text: placeholder(kind) };
    },
  },
  secret('api-key', new RegExp(`${EDGE}sk-(?:proj-)?[A-Za-z0-9_-]{20,}`, 'g'), /sk-/),
  secret(
    'bearer-token',
    /(?<=\b(?:Bearer|Basic)\s{1,3})(?=[^\s"]*\d|[^\s"]{16})[\w.~+/-]{8,}=*|(?<=authorization["'\\]{0,8}\s{0,3}[=:]\s{0,3}["'\\]{0,8}(?:bearer|basic|token|digest|negotiate)\s{1,3})(?!\[scrubbed)[^\s"'\\,;]+|(?<=authorization["'\\]{0,8}\s{0,3}[=:]\s{0,3}["'\\]{0,8}[a-z-]{1,31}\s{1,3})(?!\[scrubbed)(?=[^\s"'\\]*\d|[^\s"'\\]{16})[^\s"'\\]{6,}/gi,
    /bearer|basic|authorization/i,
  ),
  secret(
    'bearer-token',
    /(?<=authorization["'\\]{0,8}\s{0,3}[=:]\s{0,3}["'\\]{0,8})(?!(?:bearer|basic|token|digest|negotiate)\b|(?:[a-z-]{1,31}\s{1,3})?\[scrubbed)[^\s"'\\,;{}][^\s"'\\]{5,}|(?<=\bcookie["'\\]{0,8}:\s{0,3}["'\\]{0,8})(?!\s|\[scrubbed)[^"'\\\r\n]{4,}/gi,
    /authorization|cookie/i,
  ),
  // A password may hold a `/`. What begins with a port, or has no colon, is a path there.
  secret(
    'url-credentials',
    /(?<=[a-zA-Z]:\/\/)(?!git@|\[scrubbed)(?:[^\s/?#"'\\<>]+|[^\s/?#"'\\<>:@[]*:(?!\d{1,5}[/?#,]|\$?\{)[^\s"'\\<>]{1,256})(?=@)/g,
    /:\/\//,
  ),
  secret(
    'password',
    new RegExp(
      [
        `(?<=\\bcurl\\b${COMMAND}\\s(?:-[a-zA-Z]{0,8}u|--(?:proxy-)?user)[ =]{0,2}["'\\\\]{0,4}[^\\s:"'\\\\]{1,64}:)(?!\\[scrubbed)[^\\s"'\\\\]{3,}`,
        `(?<=\\b(?:mysql\\w{0,8}|mariadb)\\b${COMMAND}\\s-p["'\\\\]{0,4})(?!\\[scrubbed|(?:ort|assword)\\b)[^\\s"'\\\\]{3,}`,
        `(?<=\\bsshpass\\s{1,3}-p\\s{0,3}["'\\\\]{0,4})(?!\\[scrubbed)[^\\s"'\\\\]{3,}`,
        '(?<=\\bmachine\\s{1,8}[^\\s"]{1,256}\\s{1,8}login\\s{1,8}[^\\s"]{1,128}\\s{1,8}password\\s{1,8})(?!\\[scrubbed)[^\\s"\\\\]{3,}',
      ].join('|'),
      'g',
    ),
    /curl|mysql|mariadb|sshpass|machine/,
  ),
  secret(
    'password',
    /(?<=(?<![\w-])(?:pass|pwd)["'\\]{0,8}\s?[=:]\s?(?:\\{0,7}["']))(?![/~.$]|[A-Z]:\\|\[scrubbed)[^\s"'\\]{4,}|(?<=;\s?pwd\s?=\s?)(?!\[scrubbed)[^\s;"'\\]{3,}/gi,
    /pass|pwd/i,
  ),
  secret(
    'assigned-secret',
    new RegExp(
      `(?<=\\bname:\\s{1,8}["'\\\\]{0,4}[\\w.-]{0,40}(?:${NAMES}|_keys?)${SUFFIX}["'\\\\]{0,4}(?:[\\r\\n]|\\\\{1,4}[rn]){1,2}\\s{0,40}value:\\s{1,8}["'\\\\]{0,4})(?!\\[scrubbed|\\$\\{)[^\\s"'\\\\]{3,}`,
      'gi',
    ),
    /value:/i,
  ),
  secret(
    'url-parameter',
    /(?<=[?&](?:key|sig|signature|auth|access_token|x-(?:amz|goog)-(?:signature|security-token|credential))=)(?=[^&\s"'#]{0,64}\d|[^&\s"'#]{16})[\w.~%+/=-]{8,}/gi,
    /[?&][\w-]{3,24}=/,
  ),
  assigned(NAMES, 'gi'),
  assigned(KEYS, 'gi'),
  assigned('\\bKEYS?', 'g'),
];

const SECRET_NAME =
  /(?:(?:api|access|private|secret|auth|signing|encryption|master|account)key(?:id)?|token|secret|password|passwd|passphrase|passcode|credential|authorization|bearer|cookie)s?\d{0,4}$/;

const SECRET_VARIABLE =
  /(?:KEYS?|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|HEADERS|BEARER|COOKIE)(?:_|$)|_(?:AUTH|PAT|PASS|PWD)$/;

/** Fields that name a person or an organization, wherever they stand. */
const ACCOUNT_FIELDS = new Set(
  'email emailaddress organizationuuid accountuuid organizationname organizationid accountid'.split(' '),
);

/** Of `account` in the answer to `initialize`, these say how one is logged in, not who. */
const OPEN_ACCOUNT_FIELDS = new Set(['tokenSource', 'apiKeySource', 'apiProvider', 'subscriptionType']);

/** What a test came to, or a folder, may stand in such a field too. */
const SHORT_NAME = /^(?:pass|pwd)$/i;
const NO_PASSWORD = /^(?:[/~.]|[A-Za-z]:[\\/]|\w{0,4}$)/;

/** Whether a text in a field `pass` or `pwd` is a password. */
export function isPassword(key: string, value: string): boolean {
  return SHORT_NAME.test(key) && !NO_PASSWORD.test(value);
}

/** The kind of secret that a field's text is by the field's name alone. */
export function fieldKind(key: string): string | undefined {
  if (isSecretName(key)) return 'secret-field';
  return ACCOUNT_FIELDS.has(plain(key)) ? `account-${key}` : undefined;
}

/** The same in account data, where everything counts but how one is logged in. */
export function accountKind(key: string): string | undefined {
  return OPEN_ACCOUNT_FIELDS.has(key) ? undefined : `account-${key}`;
}

/** Whether a field, flag or variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  if (SECRET_NAME.test(plain(name)) || /[_-](?:pass|pwd)$/i.test(name)) return true;
  return /^[A-Z][A-Z0-9_]*$/.test(name) && SECRET_VARIABLE.test(name);
}

/** Whether a number may stand in a field of this name: `max_output_tokens` counts. */
export function isCount(name: string, source: string): boolean {
  const key = plain(name);
  return key.endsWith('tokens') || (key.endsWith('token') && !/^\d{6,}$/.test(source));
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** Names in a line whose values must go, in front of `:` or in a pair. A number of tokens is none. */
export const FIELD_HINT = new RegExp(
  `(?:"(?:account|auth|-{1,2}[a-z][\\w-]{0,64}|[A-Z0-9_]{0,64}(?:KEYS?|TOKEN|SECRETS?|PASSW|PASSPHRASE|CREDENTIALS?|HEADERS|BEARER|COOKIE|_AUTH|_PAT)[A-Z0-9_]{0,64}|${[...ACCOUNT_FIELDS].join('|')}|organization_\\w{1,64}|account_\\w{1,64}|email_address)|"(?:pass|pwd)(?="\\s*:\\s*")|(?:key|keyid|key_id|secret|password|passwd|passphrase|passcode|credential|authorization|bearer|cookie|[_-]pass|[_-]pwd)s?[_-]?\\d{0,4}|token[_-]?\\d{0,4}|tokens[_-]?(?="\\s*:\\s*["{[]))"\\s*[:,}]`,
  'i',
);

/** Told of a replacement: its kind, and the index of the piece that got it. */
type OnFound = (kind: string, piece: number) => void;
type Pieces = readonly string[];

/**
 * Replaces in texts that follow one another, as if they were one. What begins in one piece and ends in another is
 * replaced in the first and cut from the others.
 */
export function replaceAll(pieces: Pieces, rules: readonly ScrubRule[], onFound: OnFound): Pieces {
  return rules.reduce((current, rule) => replaceOne(current, rule, onFound), pieces);
}

function replaceOne(pieces: Pieces, { pattern, hint, replacement }: ScrubRule, onFound: OnFound): Pieces {
  const joined = pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('');
  if (hint?.test(joined) === false) return pieces;
  const found = [...joined.matchAll(pattern)];
  if (found.length === 0) return pieces;
  let offset = 0;
  return pieces.map((piece, index) => {
    const [start, end] = [offset, offset + piece.length];
    offset = end;
    let text = '';
    let at = start;
    for (const match of found) {
      const [from, to] = [match.index, match.index + match[0].length];
      if (to <= at || from >= end) continue;
      text += joined.slice(at, Math.max(at, from));
      at = Math.min(to, end);
      if (from < start) continue;
      const by = replacement(match[0]);
      onFound(by.kind, index);
      text += by.text;
    }
    return text + joined.slice(at, end);
  });
}
