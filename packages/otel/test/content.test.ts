import { describe, expect, test, vi } from 'vitest';
import { contentText, errorType } from '../src/content.js';
import { checkOptions, type InstrumentOptions } from '../src/options.js';

const seen = (value: unknown, options: InstrumentOptions = {}): string | undefined =>
  contentText(value, 'tool_output', checkOptions({ captureContent: true, ...options }));

const KEY = 'MIIEowIBAAKCAQEA7bq0';
/** The dashes are apart so that no scanner takes this file for a leak. */
const DASHES = '-'.repeat(5);
const pem = (head: string, end = `\n${DASHES}END RSA PRIVATE KEY${DASHES}`) =>
  `${DASHES}BEGIN RSA PRIVATE KEY${DASHES}\n${head}${KEY}${end}`;

describe('content that is captured loses', () => {
  test.each([
    ['a value with a quote in it', { password: `ab"${KEY}` }],
    ['a value with an apostrophe in it', { password: `ab'${KEY}` }],
    ['a value with a backslash in it', { password: `ab\\${KEY}` }],
    ['a value of JSON text in JSON', { text: JSON.stringify({ password: `a'b"${KEY}`, rest: 1 }) }],
    ['an assignment with a backslash', `password=ab\\${KEY}`],
    ['a long value', { token: 'x'.repeat(5_000) + KEY }],
    ['a name of AWS', `AWS_SECRET_ACCESS_KEY=${KEY}`],
    ['a name in camel case', { secretAccessKey: KEY, privateKey: KEY }],
    ['a password in a URL', `git clone https://user:${KEY}@example.com/a.git`],
    ['a header', `Authorization: Basic ${KEY}`],
    ['a header in JSON', { authorization: `Basic ${KEY}` }],
    ['a token of three parts', `cookie eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.${KEY}`],
    ['the value of a flag', `mysql --password ${KEY} --host db`],
    ['a cookie', `Cookie: session=${KEY}; theme=dark`],
    ['what an assignment calls credentials', `DB_CREDENTIALS=${KEY}`],
    ['a token that begins with glpat-', `glpat-${KEY}`],
    ['a token that begins with npm_', `npm_${KEY}`],
    ['a token that begins with sk_live_', `sk_live_${KEY}`],
    ['a token that begins with xoxs-', `xoxs-${KEY}`],
    ['a token that begins with ghr_', `ghr_${KEY}`],
    ['a key', pem('')],
    ['a key with lines about its encryption', pem('Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n')],
    ['a key that was cut', pem('', '')],
  ])('%s', (_what, value) => {
    expect(seen(value)).not.toContain(KEY);
    expect(seen(value)).toContain('[redacted]');
  });

  test('nothing of what is beside it', () => {
    expect(seen({ password: 'a"b', file: 'b.txt' })).toBe('{"password":"[redacted]","file":"b.txt"}');
    expect(seen('token=abc next=def')).toBe('token="[redacted] next=def');
    expect(seen('sort --key 2 --host db')).toBe('sort --key 2 --host db');
    expect(seen({ max_tokens: 100, url: 'https://example.com:8080/a@b' })).toBe(
      '{"max_tokens":100,"url":"https://example.com:8080/a@b"}',
    );
  });

  test('a key that is longer than what is looked at', () => {
    expect(seen(pem('', 'A'.repeat(1_000)), { maxContentLength: 60 })).not.toContain(KEY);
  });
});

test('a `redact` that is asynchronous leaves content out, and its rejection ends nothing', async () => {
  const onRejection = vi.fn();
  process.on('unhandledRejection', onRejection);
  try {
    // What a caller without types may pass.
    const redact = (async () => {
      throw new Error('not now');
    }) as unknown as (text: string) => string;
    expect(seen('text', { redact })).toBeUndefined();
    // Rejections are told once the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve));
    expect(onRejection).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', onRejection);
  }
});

test('a kind of failure that is no word does not become an attribute', () => {
  expect(errorType('rate_limit')).toBe('rate_limit');
  expect(errorType('Could not read /home/me/secret.txt')).toBe('_OTHER');
  expect(errorType('x'.repeat(65))).toBe('_OTHER');
});

describe('instrumentClaudewire() refuses', () => {
  test.each([
    ['tracerProvider', {}, 'a provider with a method getTracer'],
    ['meterProvider', { getTracer: () => undefined }, 'a provider with a method getMeter'],
    ['constructor', true, 'Unknown option'],
  ])('%s of a wrong shape', (name, value, message) => {
    expect(() => checkOptions({ [name]: value })).toThrow(message);
  });
});
