import fc from 'fast-check';
import pino from 'pino';
import { describe, expect, test } from 'vitest';
import type { AdapterLogger } from '../../../src/adapter/logging/log.js';
import { createLog, toAdapterLogger } from '../../../src/adapter/logging/log.js';
import { createRedact, isSecretName, REDACTED, secretsOf } from '../../../src/adapter/logging/redact.js';
import { recordingLogger } from '../agent/recording-logger.js';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

describe('a log', () => {
  test('puts its label before the event, at every level', () => {
    const logger = recordingLogger();
    const log = createLog(logger, 'mine');
    for (const level of LEVELS) log[level]('a.b', { n: 1 });
    expect(logger.records).toEqual(
      LEVELS.map((level) => ({ level, message: 'mine.a.b', event: 'a.b', context: { n: 1 } })),
    );
  });

  test('without a logger nothing is written', () => {
    const log = createLog(undefined);
    const wrote: unknown[] = [];
    const streams = [process.stdout, process.stderr];
    const writes = streams.map((stream) => stream.write);
    for (const stream of streams) stream.write = (chunk) => wrote.push(chunk) > 0;
    try {
      for (const level of LEVELS) log[level]('x', {});
    } finally {
      streams.forEach((stream, index) => {
        stream.write = writes[index]!;
      });
    }
    expect(wrote).toEqual([]);
  });

  test('whatever the logger does, nobody notices', async () => {
    const fail = (): never => {
      throw new Error('disk full');
    };
    const broken: AdapterLogger[] = [
      { debug: fail, info: fail, warn: fail, error: fail },
      {} as AdapterLogger,
      null as unknown as AdapterLogger,
    ];
    const reject = async (): Promise<never> => fail();
    broken.push({ debug: reject, info: reject, warn: reject, error: reject });
    for (const logger of broken) {
      const log = createLog(logger);
      for (const level of LEVELS) expect(log[level]('x', {})).toBeUndefined();
    }
    // An unhandled rejection would fail the run here.
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('takes secrets out before the logger sees them', () => {
    const logger = recordingLogger();
    createLog(logger, 'mine', createRedact(['hunter2'])).error('x', {
      error: 'bad hunter2',
      nested: [{ key: 'hunter2' }],
    });
    expect(logger.records[0]?.context).toEqual({ error: `bad ${REDACTED}`, nested: [{ key: REDACTED }] });
  });
});

test('pino gets event and context as fields', () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLog(toAdapterLogger(pino({ level: 'debug', base: null }, stream)), 'mine');
  log.warn('hook.tool_blocked', { toolName: 'Bash' });
  log.debug('hook.stop', {});
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 40,
      time: expect.any(Number),
      msg: 'mine.hook.tool_blocked',
      event: 'hook.tool_blocked',
      context: { toolName: 'Bash' },
    },
    expect.objectContaining({ level: 20, msg: 'mine.hook.stop' }),
  ]);
});

describe('redaction', () => {
  const redact = createRedact(['topsecret', 'top', undefined, 'a "quoted" one', 'line one\nline two']);

  test.each([
    ['a secret', 'is topsecret!', `is ${REDACTED}!`],
    ['twice', 'topsecrettopsecret', REDACTED + REDACTED],
    ['a short one is a word', 'on top', 'on top'],
    ['as it stands in JSON', '{"k":"a \\"quoted\\" one"}', `{"k":"${REDACTED}"}`],
    ['as it stands in a URL', 'q=a+%22quoted%22+one', `q=${REDACTED}`],
    ['one line of it', 'found: line two', `found: ${REDACTED}`],
    ['an API key that nobody named', 'key sk-ant-api03-AbC_d-e.', `key ${REDACTED}.`],
    ['nothing of it', 'plain', 'plain'],
  ])('%s', (_, text, expected) => expect(redact.text(text)).toBe(expected));

  test('plain data keeps its shape; other objects become their text', () => {
    class Holder {
      readonly secret = 'topsecret';
      toString(): string {
        return `Holder of ${this.secret}`;
      }
    }
    const circle: Record<string, unknown> = { name: 'topsecret' };
    circle.self = circle;
    const value = {
      n: 1,
      b: true,
      nothing: null,
      missing: undefined,
      topsecret: ['topsecret'],
      error: new TypeError('topsecret'),
      date: new Date(0),
      holder: new Holder(),
      circle,
    };
    expect(redact.value(value) as object).toEqual({
      n: 1,
      b: true,
      nothing: null,
      missing: undefined,
      topsecret: [REDACTED],
      error: `TypeError: ${REDACTED}`,
      date: '1970-01-01T00:00:00.000Z',
      holder: `Holder of ${REDACTED}`,
      circle: { name: REDACTED, self: '[circular]' },
    });
    expect(value.topsecret, 'the input is left alone').toEqual(['topsecret']);
  });

  test('no secret is left of any data', () => {
    const secret = fc.string({ minLength: 6, maxLength: 12, unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(secret, fc.array(fc.string()), fc.jsonValue(), (known, around, data) => {
        fc.pre(!REDACTED.includes(known.trim()) && known.trim().length >= 6);
        const value = { data, text: around.join(known), list: [{ known }] };
        expect(JSON.stringify(createRedact([known]).value(value))).not.toContain(JSON.stringify(known).slice(1, -1));
      }),
    );
  });

  test('an object that many refer to is redacted once, and a circle ends', () => {
    const shared = { text: 'topsecret' };
    expect(redact.value([shared, shared])).toEqual([{ text: REDACTED }, { text: REDACTED }]);
    const parts = Array.from({ length: 60 }, () => ({ text: 'topsecret', others: {} }));
    for (const part of parts) Object.assign(part.others, parts);
    // Along every path it would take for ever.
    expect(redact.value(parts)[59]).toMatchObject({ text: REDACTED });
  });

  test('fixed words stay', () => {
    const value = { status: 'topsecret', inner: [{ status: 'topsecret', other: 'topsecret' }] };
    expect(redact.value(value, new Set(['status']))).toEqual({
      status: 'topsecret',
      inner: [{ status: 'topsecret', other: REDACTED }],
    });
  });

  test.each([
    'ghp_abcdefghijklmnop0123',
    'github_pat_11ABCDEFG0abcdefghij',
    'xoxb-1234567890-abcdefghij',
    'npm_abcdefghij0123456789abcdefghij012345',
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'Sy0_-'.repeat(7)}`,
    `sk-proj-${'abc123'.repeat(6)}`,
  ])('%s says by its form that it is a secret', (token) => {
    expect(redact.text(`got ${token}.`)).toBe(`got ${REDACTED}.`);
  });

  test.each([
    'claude-opus-4-1-20250805',
    'risk-assessment-of-a-very-long-name-for-a-branch',
    'toolu_01A09q90qw90lq917835lq9',
  ])('%s does not', (text) => expect(redact.text(text)).toBe(text));

  test('what counts as a secret', () => {
    const secrets = secretsOf({
      apiKey: 'the-api-key',
      env: { SOME_TOKEN: 'token-of-config', MY_PWD: 'abc', MODE: 'production' },
      passEnv: ['CI_ID', 'HOME'],
      hostEnv: {
        CI_ID: 'passed-by-name',
        GITHUB_TOKEN: 'host-token',
        HOME: '/home/somebody',
        EDITOR: 'some-editor',
        DB_PASSWORD: undefined,
      },
    });
    expect(secrets.sort()).toEqual(['host-token', 'passed-by-name', 'the-api-key', 'token-of-config']);
    expect(secretsOf({})).toEqual([]);
  });

  // Of secrets, all of them: keys may begin with a slash, passwords may be words or digits.
  const ODD = ['/wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY', '98127398127398', 'production'];
  test.each(ODD)('a secret that looks like %s is one wherever it is named', (value) => {
    expect(secretsOf({ apiKey: value })).toEqual([value]);
    expect(secretsOf({ env: { MY_SECRET: value } })).toEqual([value]);
    expect(secretsOf({ hostEnv: { AWS_SECRET_ACCESS_KEY: value } })).toEqual([value]);
    expect(secretsOf({ passEnv: ['ID'], hostEnv: { ID: value } })).toEqual([value]);
  });

  test('words of the configuration are no secrets for being in `env`', () => {
    const env = { ANTHROPIC_MODEL: 'claude-opus-4-1', STAGE: 'outcome', MODE: 'default' };
    expect(secretsOf({ env, hostEnv: { GIT_AUTHOR_NAME: 'adapter', NODE_ENV: 'test' } })).toEqual([]);
  });

  test('a password in a URL is a secret, whatever the variable is called', () => {
    const env = { DATABASE_URL: 'postgres://app:hunter%2F2%2B@db/x', SITE: 'https://a.example:443/@x' };
    const redactUrls = createRedact(secretsOf({ env, hostEnv: { HTTPS_PROXY: 'http://me:proxypass@p.example:8080' } }));
    expect(redactUrls.text('postgres://app:hunter%2F2%2B@db, or hunter/2+ of proxypass')).toBe(
      `postgres://app:${REDACTED}@db, or ${REDACTED} of ${REDACTED}`,
    );
  });

  test.each([
    ...['ANTHROPIC_API_KEY', 'GH_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'DB_PASSWORD', 'SENTRY_DSN'],
    ...['ANTHROPIC_CUSTOM_HEADERS', 'SESSION_COOKIE', 'GOOGLE_CREDENTIALS', 'NPM_AUTH', 'GH_PAT'],
    ...['npm_config__authToken', 'MYPASSWORD1', 'GITHUB_TOKEN2', 'OPENAI_APIKEY', 'apiKey', 'KEY'],
    ...['DB_PASS', 'SSHPASS', 'DB_PWD', 'TOKENS', 'AWS_ACCESS_KEY_ID', 'BEARER', 'MY_PASSWD'],
    ...['HTTP_AUTHORIZATION', 'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE', 'PG_CONNECTION_STRING'],
  ])('%s is the name of a secret', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    ...['PATH', 'HOME', 'LANG', 'NODE_ENV', 'EDITOR', 'TMPDIR', 'PWD', 'OLDPWD', 'SSH_AUTH_SOCK'],
    ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'AUTHORS', 'KEYBOARD_LAYOUT', 'KEYMAP', 'BYPASS'],
    ...['CLAUDE_CODE_MAX_OUTPUT_TOKENS', 'PASSENGER', 'COMPATIBLE', 'SECRETS_DIR', 'GOPRIVATE'],
  ])('%s is not', (name) => expect(isSecretName(name)).toBe(false));
});
