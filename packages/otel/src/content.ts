import type { CheckedOptions, ContentKind } from './options.js';

/** Words that begin or name a secret. What they match is replaced, whatever `redact` does. */
const SECRETS: readonly RegExp[] = [
  /\b(?:sk-|[rs]k_(?:live|test)_|glpat-|npm_|AIza)[A-Za-z0-9_-]{8,}/g,
  /\b(?:gh[oprsu]|github_pat|xox[abeprs])[_-][A-Za-z0-9_-]{8,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bBearer\s+[A-Za-z0-9._~+/-]{8,}=*/gi,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  // One that was cut ends with the text.
  /-----BEGIN (?:[A-Z0-9 ]{1,40} )?PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z0-9 ]{1,40} )?PRIVATE KEY-----|$)/g,
  /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"']{0,256}:[^\s/@"']{1,256}(?=@)/gi,
  /(?<=(?:^|\s)--?[\w-]{0,40}(?:password|passphrase|secret|token|(?:api|access|private)-?key)\s{1,8})[^\s"'\\]{1,256}/gi,
  /(?<=\bcookie\s{0,8}:\s{0,8})[^"'\\\r\n]{1,4096}/gi,
  /(?<=\bauthorization\\{0,8}["']?\s{0,8}[:=]\s{0,8}\\{0,8}["']?(?:basic\s{1,8})?)[A-Za-z0-9._~+/=-]{8,}/gi,
];

/**
 * A JSON name or an assignment whose value is secret. A value in quotes ends with the same quote: in JSON text inside
 * JSON both have the same backslashes, and one with more is part of the value.
 */
const NAMED = new RegExp(
  [
    String.raw`([\w-]{0,64}(?:password|passwd|passphrase|secret|token|credentials?|(?:api|access|private)[_-]?key)`,
    String.raw`\\{0,8}["']?\s{0,8}[:=]\s{0,8})`,
    String.raw`(?:(?<open>\\{0,8}["'])(?:(?!(?<!\\)\k<open>)[\s\S])*|(?:[^\s"',;&\\]|\\(?![nrt"']))+)`,
  ].join(''),
  'gi',
);

/** Cut before the rules run, so that a tool result of megabytes costs little; and again after them. */
const SCAN_FACTOR = 4;

/** The text of a piece of content as it may be seen; `undefined`: nothing of it. */
export function contentText(value: unknown, kind: ContentKind, options: CheckedOptions): string | undefined {
  if (!options.captureContent || value === undefined) return undefined;
  const { maxContentLength, redact } = options;
  try {
    const whole = typeof value === 'string' ? value : JSON.stringify(value);
    if (whole === undefined) return undefined;
    const scrubbed = scrub(whole.slice(0, maxContentLength * SCAN_FACTOR));
    const seen: unknown = redact === undefined ? scrubbed : redact(scrubbed, kind);
    // An asynchronous one says nothing in time, and its rejection must not end the program.
    if (seen instanceof Promise) seen.catch(() => {});
    if (typeof seen !== 'string') return undefined;
    const rest = whole.length > maxContentLength * SCAN_FACTOR || seen.length > maxContentLength;
    return rest ? `${seen.slice(0, maxContentLength)}… [cut, ${whole.length} in all]` : seen;
  } catch {
    return undefined;
  }
}

function scrub(text: string): string {
  const named = text.replace(NAMED, '$1"[redacted]');
  return SECRETS.reduce((scrubbed, rule) => scrubbed.replace(rule, '[redacted]'), named);
}

/** Longest name or id that goes into a span's name or an attribute. */
const MAX_NAME = 128;

/** A name of the model's or the peer's, without control characters and not longer than a name is. */
export function safeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '').slice(0, MAX_NAME);
}

/** `error.type` of a failure: a word of ours or of the API. Any other text of the peer stays out. */
export function errorType(kind: string): string {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(kind) ? kind : '_OTHER';
}
