import fc from 'fast-check';
import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../../src/adapter/logging/create-log.js';
import type { AdapterLogger } from '../../../src/adapter/logging/log.js';
import {
  createRedact,
  isSecretName,
  REDACTED,
  secretsOf,
} from '../../../src/adapter/logging/redact.js';
import { toAdapterLogger } from '../../../src/adapter/logging/to-adapter-logger.js';
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
    expect(logger.records[0]?.context).toEqual({
      error: `bad ${REDACTED}`,
      nested: [{ key: REDACTED }],
    });
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
  const redact = createRedact([
    'topsecret',
    'top',
    undefined,
    'a "quoted" one',
    'line one\nline two',
  ]);

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
    circle['self'] = circle;
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
      [REDACTED]: [REDACTED],
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
        const value = { data, text: around.join(known), [`k${known}`]: [{ known }] };
        expect(JSON.stringify(createRedact([known]).value(value))).not.toContain(
          JSON.stringify(known).slice(1, -1),
        );
      }),
    );
  });

  test('what counts as a secret', () => {
    const secrets = secretsOf({
      apiKey: 'the-api-key',
      env: { PLAIN: 'value-of-config', SHORT: 'abc', PATHS: '/usr/bin', MODE: 'production' },
      passEnv: ['CI_ID'],
      hostEnv: {
        CI_ID: 'passed-by-name',
        GITHUB_TOKEN: 'host-token',
        HOME: '/home/somebody',
        EDITOR: 'some-editor',
        DB_PASSWORD: undefined,
      },
    });
    expect(secrets.sort()).toEqual([
      'host-token',
      'passed-by-name',
      'the-api-key',
      'value-of-config',
    ]);
    expect(secretsOf({})).toEqual([]);
  });

  test.each([
    ...['ANTHROPIC_API_KEY', 'GH_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'DB_PASSWORD', 'SENTRY_DSN'],
    ...['ANTHROPIC_CUSTOM_HEADERS', 'SSH_AUTH_SOCK', 'SESSION_COOKIE', 'GOOGLE_CREDENTIALS'],
  ])('%s is the name of a secret', (name) => expect(isSecretName(name)).toBe(true));

  test.each(['PATH', 'HOME', 'LANG', 'NODE_ENV', 'EDITOR', 'TMPDIR'])('%s is not', (name) =>
    expect(isSecretName(name)).toBe(false),
  );
});
