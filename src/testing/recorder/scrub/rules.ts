import { EDGE, TOKEN_HINT, TOKENS, tokenKind } from '../../../util/secret-formats.js';
import { COMMAND, COMMAND_HINT, commandSecrets } from './command-rules.js';

/** What to look for in a text, and what replaces it. */
export interface ScrubRule {
  /** Global. */
  readonly pattern: RegExp;
  /** Where this finds nothing, the pattern finds nothing, and it is quicker by far. */
  readonly hint?: Pick<RegExp, 'test'>;
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

/** Short words for a password tell it only behind what it is for: `bypass` and `renderPass` are none. */
const SHORT_NAMES =
  '(?:(?:db|user|ssh|admin|root|sql|redis|smtp|mail|ftp|ldap|bind|login|wifi|key|store)[_-]?(?:pass|pwd?)|(?<![a-z])psk|secret[_-]?string)';
/** How names of secrets end, but for what tells one from another: `TOKEN_1`, `API_KEY_OLD`. */
const NAMES = `(?:(?:api|access|private|secret|auth|signing|encryption|master|account|subscription)[_-]?key|token|secret|password|passwd|passphrase|passcode|credential|bearer|[_-]pass|[_-]pwd|[_-]key[_-](?:data|material|pem|b(?:ase)?64)|${SHORT_NAMES})s?`;
/** Names that end in `_key`, but for those of databases and the like. */
const KEYS =
  '(?<=[a-z\\d])(?<!primary|foreign|public|partition|sort|range|hash|index|unique|composite|cache|group|row|map|hot|idempotency)_keys?';
const SUFFIX = '(?:[_-]?\\d{1,4}|[_-](?:old|new|prev|previous|prod|staging|dev|test|live|backup|base|value)){0,2}';
const HINT = /key|token|secret|pass|credential|bearer|pw|psk/i;
/** Colours of a terminal, as they are and as escapes. */
const COLOURS = '(?:(?:\u001b|\\\\{1,4}(?:u001[bB]|x1[bB]|e|033))\\[[\\d;]{0,20}m){0,3}';
/** Between a name and its value, which may stand in a column; in JSON inside a text the quotes are escaped. */
const ASSIGN = `["'\\\\]{0,8}\\]?${COLOURS}\\s{0,32}${COLOURS}(?:=>|[=:])${COLOURS}[ \\t]{0,37}\\s{0,3}${COLOURS}`;
/** The same in a declaration with a type, and in Go: what follows them is a value only in quotes. */
const DECLARE = `["'\\\\]{0,8}\\s{0,32}(?::=|:\\s?[A-Za-z&][\\w<>|?.&' ]{0,40}=)\\s{0,3}`;
/** Between words on one line or several, as they are and as escapes, also behind line numbers. */
const GAP = '(?:\\s|\\\\{1,4}[nrt]|\\d{1,6}(?:[→|]|\\\\{1,4}t|\\t)){1,16}';
const WORD = '[^\\s"\\\\]{1,128}';
const LINE_END = '(?:\\r?\\n|\\\\{1,4}n)';

/** The end of a value that is a number or code. A password goes on with a letter soon. */
const END =
  '[)\\]}]{0,8}(?:[,;.:{]{0,2}(?:[\\s<\u001b]|$|\\\\[nrt"\'\\\\])|["\'`](?!\\w)|[,;]["\'\\\\{[]|,\\w{1,64}[=:]|&\\w{1,64}=)';
/** What a call gets, up to calls in calls. */
const ARGUMENTS = '\\((?:[^()\\r\\n]|\\([^()\\r\\n]{0,80}\\)){0,120}\\)';
/** In source code, each as a whole: a type `AbortToken;`, a call `read(x),`, a field `this.token`. */
const CODE = [
  '(?<=:\\s{0,40})[A-Z][A-Za-z]{1,64}(?:<[\\w .,|<>[\\]]{1,80}>)?(?:\\|[A-Za-z]{1,64}){0,4}(?:\\[\\])?\\??(?:[;),:{}\\]]{1,4}(?=[\\s"\'`\\\\]|$)|\\s?[|=&}]\\s)',
  `[A-Za-z_$][\\w$.:]{0,63}(?:<[\\w .,|]{1,64}>)?(?:\\(\\S{0,80}(?<=[,({[])(?=\\s|$)|${ARGUMENTS}(?:\\??\\.\\w{1,64}(?:${ARGUMENTS})?){0,6}${END})`,
  `(?:this|self|config|options|opts|props|params|args|req|request|ctx|context|settings|state|var|local|secrets|PropTypes|z)(?:\\??\\.[A-Za-z_]{1,64}){1,6}(?:<[\\w .,]{1,64}>)?${END}`,
].join('|');
/** References such as `$NAME`, `${name}`, `{{ name }}` and `$(command)`. */
const REFERENCE = `\\[scrubbed|\\$[A-Za-z_]{1,64}${END}|\\$?\\{{1,2}\\s?[\\w.]{1,64}\\s?\\}{1,2}(?!\\w)|\\$\\(`;
/** Values that are not secrets: type names and placeholders, counts of at most 11 digits, and references. */
const NO_SECRET = `${REFERENCE}|(?:string|number|boolean|undefined|null|none|true|false|required|optional|expected|missing|invalid|await|process\\.env|os\\.environ)(?![\\w-])|~?-?\\d(?:[.,]?\\d){0,10}[kKmM]?${END}`;
/** A sign of a value without quotes. A quote or backslash in it is followed by more of it, and begins no escape. */
const SIGN =
  '(?:[^\\s"\'\\\\\u001b]|["\'](?![,;:)>])(?=[^\\s\\w"\'\\\\]{0,8}\\w)|\\\\(?![nrt"\'\\\\\\s]|u[\\da-fA-F]{4})|\\\\ )';

/** A value behind a name: in quotes up to their end, else up to a blank, without the signs that end a phrase. */
function assigned(names: string, flags: string): ScrubRule {
  const name = names + SUFFIX;
  const before = name + ASSIGN;
  const beforeQuote = `${name}(?:${ASSIGN}|${DECLARE})`;
  const flag = `--(?!(?:no|use|has|with|without|skip)-)[\\w-]{0,40}${name}`;
  const values = [
    `(?<=${beforeQuote}b?")(?<!\\\\")(?!${REFERENCE})(?:\\\\.|[^"\\\\\\r\\n]){4,}`,
    `(?<=${beforeQuote}b?')(?<!\\\\')(?!${REFERENCE})(?:\\\\.|[^'\\\\\\r\\n]){4,}`,
    `(?<=${before}\\\\{1,7}["'])(?!${REFERENCE})[^"'\\\\\\r\\n]{4,}`,
    // Directly behind `NAME=` it may begin with any sign. A tag of YAML is no value.
    `(?<=[=:>\\sm])(?=[^\\s"'\u001b])(?<=${before})(?!=|(?<==)>|(?<!\\w=)[[{(,;})\\]]|\\\\{1,4}(?:["'\\\\nrt]|(?:u001b|x1b|e|033)\\[)|b["']|[&!][\\w!]{1,40}[ \\t]{1,3}[^\\s#]|${CODE}|${NO_SECRET})${SIGN}{5,}[^\\s"'\\\\\u001b,;:.)}\\]]`,
    `(?<=<[\\w:.-]{0,40}${name}>)(?!\\s*<|[\\d.,]+[kKmM]?<|${CODE}|${NO_SECRET})[^<>]{4,}(?=</)`,
    // A number is a count after `tokens` only, and a password after `password`.
    `(?=\\d)(?<=[=:>\\sm])(?<=(?:password|passwd|passcode|passphrase)${ASSIGN})\\d{4,}`,
    `(?<=${flag}\\s{1,3}")(?!${NO_SECRET})(?:\\\\.|[^"\\\\\\r\\n]){4,}`,
    `(?<=${flag}\\s{1,3}')(?!${NO_SECRET})[^'\\r\\n]{4,}`,
    `(?<=${flag}(?:\\s{1,3}|["']\\s?,\\s{0,3}["']))(?!-|${CODE}|${NO_SECRET})[^\\s"'\\\\]{4,}`,
  ];
  return secret('assigned-secret', new RegExp(values.join('|'), flags), HINT);
}

const AUTHORIZATION = `authorization["'\\\\]{0,8}${COLOURS}\\s{0,3}[=:]${COLOURS}\\s{0,3}${COLOURS}["'\\\\]{0,8}`;
/** A name of any secret, with what may stand before it. */
const ANY_NAME = `[\\w.-]{0,40}(?:${NAMES}|_keys?)${SUFFIX}`;
/** A line of a block. */
const LINE = '(?:[^\\r\\n\\\\]|\\\\(?![n"\'\\\\]))+';
const QUOTE = '\\\\{0,7}"';
const COLON = `${QUOTE}\\s{0,3}:\\s{0,3}${QUOTE}`;
const ANY_QUOTE = '\\\\{0,7}["\'`]';
/** A value in quotes, as one word. */
const HELD = `(?!${NO_SECRET})[^\\s"'\`\\\\<>]{4,}`;
const COMMA = `${QUOTE}\\s{0,3},\\s{0,40}${QUOTE}`;

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
  secret('api-key', new RegExp(`${EDGE}sk-(?:proj-)?(?=[A-Za-z_-]{0,64}\\d)[\\w-]{20,}`, 'g'), /sk-/),
  secret(
    'bearer-token',
    new RegExp(
      [
        `(?<=\\b(?:Bearer|Basic)\\s{1,3}${COLOURS})(?=[^\\s"]*\\d|[^\\s"]{16})[\\w.~+/-]{8,}=*`,
        `(?<=${AUTHORIZATION}(?:bearer|basic|token|digest|negotiate)\\s{1,3}${COLOURS})(?!\\[scrubbed)[^\\s"'\\\\\u001b,;]+`,
        `(?<=${AUTHORIZATION}[a-z-]{1,31}\\s{1,3}${COLOURS})(?!\\[scrubbed)(?=[^\\s"'\\\\]*\\d|[^\\s"'\\\\]{16})[^\\s"'\\\\\u001b]{6,}`,
      ].join('|'),
      'gi',
    ),
    /bearer|basic|authorization/i,
  ),
  secret(
    'bearer-token',
    new RegExp(
      `(?<=${AUTHORIZATION})(?!(?:bearer|basic|token|digest|negotiate)\\b|(?:[a-z-]{1,31}\\s{1,3})?${COLOURS}\\[scrubbed)[^\\s"'\\\\\u001b,;{}][^\\s"'\\\\\u001b]{5,}|(?<=\\bcookie["'\\\\]{0,8}${COLOURS}:\\s{0,3}${COLOURS}["'\\\\]{0,8})(?!\\s|\\[scrubbed)[^"'\\\\\u001b\\r\\n]{4,}`,
      'gi',
    ),
    /authorization|cookie/i,
  ),
  // A password may hold a `/`. What begins with a port, or has no colon, is a path there.
  secret(
    'url-credentials',
    /(?<=[a-zA-Z]:\/\/)(?!git@|\[scrubbed)(?:(?:[^\s/?#"'\\<>]|'(?=[\w%*!~(.@-]))+|[^\s/?#"'\\<>:@[]*:(?!\d{1,5}[/?#,]|\$?\{)(?:[^\s"'\\<>]|'(?=[\w%*!~(.@-])){1,256})(?=@)/g,
    /:\/\//,
  ),
  secret(
    'password',
    new RegExp(
      [
        `(?<=\\bcurl\\b${COMMAND}\\s(?:-[a-zA-Z]{0,8}u|--(?:proxy-)?user)[ =]{0,2}["'\\\\]{0,4}[^\\s:"'\\\\]{1,64}:)(?!\\[scrubbed)[^\\s"'\\\\]{3,}`,
        `(?<=\\b(?:mysql\\w{0,8}|mariadb)\\b${COMMAND}\\s-p["'\\\\]{0,4})(?!\\[scrubbed|(?:ort|assword)\\b)[^\\s"'\\\\]{3,}`,
        `(?<=\\bsshpass\\s{1,3}-p\\s{0,3}["'\\\\]{0,4})(?!\\[scrubbed)[^\\s"'\\\\]{3,}`,
        ...commandSecrets,
      ].join('|'),
      'g',
    ),
    COMMAND_HINT,
  ),
  // `.netrc`, on one line or several, also as a tool shows it with numbers.
  secret(
    'password',
    new RegExp(
      `(?<=(?:\\b|\\\\[nrt])(?:machine${GAP}${WORD}(?:${GAP}(?:login|account)${GAP}${WORD}){0,2}|default(?:${GAP}(?:login|account)${GAP}${WORD}){1,2})${GAP}password${GAP})(?!\\[scrubbed)[^\\s"\\\\]{3,}`,
      'g',
    ),
    /(?:machine|default)[\s\S]{1,1500}password/,
  ),
  // Without quotes `pass` is a word of many meanings: only a line of YAML, and a value of more than letters.
  secret(
    'password',
    /(?<=(?<![\w-])(?:pass|pwd)["'\\]{0,8}\s?[=:]\s?(?:\\{0,7}["']))(?![/~.$]|[A-Z]:\\|\[scrubbed)[^\s"'\\]{4,}|(?<=;\s?pwd\s?=\s?)(?!\[scrubbed)[^\s;"'\\]{3,}|(?=[^\s])(?<=(?:^|[\r\n]|\\n)[ \t-]{0,40}pass:[ \t]{1,40})(?![/~.$[{("'])(?=[^\s"'\\]{0,64}[a-z])(?=[^\s"'\\]{0,64}[\d!@#$%^&*?+=])[^\s"'\\]{6,}/gi,
    /pass|pwd/i,
  ),
  // Pairs of YAML, also behind the line numbers of a tool or the signs of a diff, and of JSON that is part of a text.
  secret(
    'assigned-secret',
    new RegExp(
      [
        `(?=[^\\s"'\\\\])(?<=\\bname:\\s{1,8}["'\\\\]{0,4}${ANY_NAME}["'\\\\]{0,4}(?:[\\r\\n]|\\\\{1,4}[rn]){1,2}(?:[\\s\\d+→|:-]|\\\\{1,4}t){0,40}value:\\s{1,40}["'\\\\]{0,4})(?!\\[scrubbed|\\$\\{)[^\\s"'\\\\]{3,}`,
        `(?<=${QUOTE}(?:name|key)${COLON}${ANY_NAME}${COMMA}value${COLON})(?!\\[scrubbed)(?:[^"\\\\\\r\\n]|\\\\[^"\\\\\\r\\n]){3,}`,
        `(?<=${QUOTE}value${COLON})(?!\\[scrubbed)[^"\\\\\\r\\n]{3,256}(?=${COMMA}(?:name|key)${COLON}${ANY_NAME}${QUOTE})`,
        `(?<=${QUOTE}auth${COLON})[A-Za-z\\d+/]{12,}=*(?=\\\\{0,7}")`,
      ].join('|'),
      'gi',
    ),
    /value["'\\]{0,8}\s?:|auth\\{0,7}"/i,
  ),
  // Names and values in attributes of XML.
  secret(
    'assigned-secret',
    new RegExp(
      [
        `(?<=\\b(?:key|name)=${ANY_QUOTE}${ANY_NAME}${ANY_QUOTE}\\s{1,8}value=${ANY_QUOTE})${HELD}`,
        `(?<=\\bvalue=${ANY_QUOTE})${HELD}(?=${ANY_QUOTE}\\s{1,8}(?:key|name)=${ANY_QUOTE}${ANY_NAME}${ANY_QUOTE})`,
        `(?<=\\b(?:key|name)=${ANY_QUOTE}${ANY_NAME}${ANY_QUOTE}\\s{0,3}>)(?!${NO_SECRET}|\\s)[^<>\\r\\n]{4,}(?=</)`,
      ].join('|'),
      'gi',
    ),
    /<\w[^<>]{0,200}(?:key|name)=/i,
  ),
  // In calls such as `headers.set('X-Api-Key', '…')`.
  secret(
    'assigned-secret',
    new RegExp(
      `(?<=\\b(?:set|add|append|header|put|with)\\w{0,24}\\(\\s{0,8}${ANY_QUOTE}(?:${ANY_NAME}|[\\w-]{0,40}(?<![a-z])auth(?:orization)?)${ANY_QUOTE}\\s{0,3},\\s{0,8}${ANY_QUOTE})${HELD}(?=${ANY_QUOTE})`,
      'gi',
    ),
    /(?:set|add|append|header|put|with)\w{0,24}\(\s{0,8}\\{0,7}["'`]/i,
  ),
  // Without a sign between: a Dockerfile, csh, fish, the command prompt of Windows.
  secret(
    'assigned-secret',
    new RegExp(
      `(?=[^\\s"'])(?<=(?:^|[\\r\\n;&|"'\`]|\\\\n)[ \\t]{0,16}(?:ENV|setenv|setx|set[ \\t]{1,3}-[a-zA-Z]{1,6})[ \\t]{1,4}${ANY_NAME}[ \\t]{1,4}["']?)(?![=-]|${NO_SECRET})[^\\s"'\\\\]{4,}`,
      'gi',
    ),
    /(?:^|[\r\n;&|"'`]|\\n)[ \t]{0,16}(?:ENV|setenv|setx|set[ \t]{1,3}-\w)/im,
  ),
  // Of Base64, or hexadecimal: `google-auth: ^9.1.2` is a version.
  secret(
    'assigned-secret',
    /(?<=[_-]auth["'\\]{0,8}\s{0,3}[=:]\s{0,3}["'\\]{0,8})(?=[A-Za-z+/_=-]{0,64}\d)(?=\d{0,64}[A-Za-z])[\w+/=-]{12,}/gi,
    /[_-]auth["'\\]{0,8}\s{0,3}[=:]/i,
  ),
  // Blocks, anchors and tags of YAML, and texts in three quotes.
  secret(
    'assigned-secret',
    new RegExp(
      [
        `(?=\\S)(?<=${ANY_NAME}["'\\\\]{0,8}:[ \\t]{1,40}[|>][\\d+-]{0,2}[ \\t]{0,3}${LINE_END}(?<indent>[ \\t]{1,40}))(?![ \\t]|\\[scrubbed)${LINE}(?:${LINE_END}\\k<indent>${LINE})*`,
        `(?=\\S)(?<=${ANY_NAME}["'\\\\]{0,8}:[ \\t]{1,40}(?:(?:&[\\w-]{1,40}|!!?\\w{0,40})[ \\t]{1,3}){1,2}["']?)(?![&!"'|>]|${NO_SECRET})[^\\s"'\\\\]{4,}`,
        `(?<=["'\\n])(?<=${ANY_NAME}${ASSIGN}(?<quotes>"""|''')(?:\\r?\\n)?)(?![\\r\\n"']|\\[scrubbed)[\\s\\S]{4,4096}?(?=\\k<quotes>)`,
      ].join('|'),
      'gi',
    ),
    /[:=]\s{0,40}(?:[|>&!]|"""|''')/,
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

const SECRET_NAME = new RegExp(
  `(?:(?:api|access|private|secret|auth|signing|encryption|master|account|subscription)key(?:id)?|(?:client|private|api)keydata|token|secret|password|passwd|passphrase|passcode|credential|authorization|bearer|cookie|${SHORT_NAMES})s?\\d{0,4}$`,
);

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
  if (SECRET_NAME.test(plain(name)) || /[_-](?:pass|pwd)$|^_auth$/i.test(name)) return true;
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
  `(?:"(?:account|auth|-{1,2}[a-z][\\w-]{0,64}|[A-Z0-9_]{0,64}(?:KEYS?|TOKEN|SECRETS?|PASSW|PASSPHRASE|CREDENTIALS?|HEADERS|BEARER|COOKIE|_AUTH|_PAT)[A-Z0-9_]{0,64}|${[...ACCOUNT_FIELDS].join('|')}|organization_\\w{1,64}|account_\\w{1,64}|email_address)|"(?:pass|pwd)(?="\\s*:\\s*")|(?:key|keyid|key_id|key[_-]?data|secret|password|passwd|passphrase|passcode|credential|authorization|bearer|cookie|[_-]pass|[_-]pwd|${SHORT_NAMES})s?[_-]?\\d{0,4}|token[_-]?\\d{0,4}|tokens[_-]?(?="\\s*:\\s*["{[]))"\\s*[:,}]`,
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
  const found = [...joined.matchAll(pattern)].filter(([text]) => replacement(text).text !== text);
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
