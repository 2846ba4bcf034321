import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseMessage } from '../../src/parser/parse-message.js';
import { NdjsonReader } from '../../src/transport/ndjson.js';
import type { JsonObject } from '../../src/util/json.js';
import { plan, sdkServer } from '../query/launch/launch-case.js';
import { argvMap } from './argv-map.js';

const FOLDER = fileURLToPath(new URL('../../packages/conformance/', import.meta.url));

function vectorsOf<T>(kind: string): readonly T[] {
  return JSON.parse(readFileSync(`${FOLDER}vectors/${kind}.json`, 'utf8')).vectors;
}

/** JSON, as another language would see it: no `undefined`, no frame beside the message. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

interface BytesVector {
  readonly id: string;
  readonly chunks: readonly ({ text: string } | { base64: string })[];
  readonly frames: readonly JsonObject[];
  readonly skipped?: readonly string[];
  readonly limitBytes?: number;
  readonly error?: string;
}

const SKIPPED: Readonly<Record<string, string>> = {
  line_not_json: 'not_json',
  line_not_object: 'not_object',
  line_incomplete: 'incomplete',
};

describe.each(vectorsOf<BytesVector>('bytes-to-frames'))('bytes to frames: $id', (vector) => {
  test('our reader', () => {
    const frames: JsonObject[] = [];
    const skipped: string[] = [];
    let error: string | undefined;
    const reader = new NdjsonReader(
      {
        onFrame: (frame) => frames.push(frame),
        onDiagnostic: ({ code }) => skipped.push(SKIPPED[code] ?? code),
        onError: () => {
          error = 'too_large';
        },
      },
      vector.limitBytes ?? 1024 * 1024,
    );
    for (const chunk of vector.chunks) {
      reader.push('text' in chunk ? Buffer.from(chunk.text) : Buffer.from(chunk.base64, 'base64'));
    }
    reader.end();
    expect({ frames, skipped, error }).toEqual({
      frames: vector.frames,
      skipped: vector.skipped ?? [],
      error: vector.error,
    });
  });
});

interface MessageVector {
  readonly id: string;
  readonly frame: unknown;
  readonly message?: JsonObject;
  readonly issues?: readonly JsonObject[];
}

describe.each(vectorsOf<MessageVector>('frame-to-message'))('frame to message: $id', (vector) => {
  test('our parser', () => {
    const result = parseMessage(vector.frame);
    if (!result.ok) {
      expect(asJson(result.issues)).toEqual(vector.issues);
      return;
    }
    const { raw: _, data: __, ...message } = result.message as unknown as JsonObject;
    expect(asJson(message)).toEqual(vector.message);
  });
});

interface LaunchVector {
  readonly id: string;
  readonly options: JsonObject;
  readonly argv: JsonObject;
  readonly env: JsonObject;
  readonly initialize: JsonObject;
}

/** Puts a function, a server or a store where the vector has a word for it. */
function live(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(live);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as JsonObject;
  if ('$callback' in fields) return async () => ({});
  if ('$store' in fields) {
    return { append: async () => {}, load: async () => null, listSessions: async () => [] };
  }
  if ('$server' in fields) {
    const { name, ...rest } = fields.$server as JsonObject & { name: string };
    return sdkServer(name, rest);
  }
  return Object.fromEntries(Object.entries(fields).map(([key, inner]) => [key, live(inner)]));
}

describe.each(vectorsOf<LaunchVector>('options-to-launch'))('options to launch: $id', (vector) => {
  test('our plan', () => {
    const { args, files, env, initialize } = plan(live(vector.options));
    const tokens = [...args];
    // A value with secrets in it travels in a private file; what it says is the same.
    for (const { argIndex, content } of files) tokens[argIndex] = content;
    expect(argvMap(tokens)).toEqual(vector.argv);
    expect(env).toMatchObject(vector.env);
    expect(asJson(initialize)).toEqual(vector.initialize);
  });
});

test('there are enough of each, and every one has a name of its own', () => {
  const all = ['bytes-to-frames', 'frame-to-message', 'options-to-launch'].map((kind) =>
    vectorsOf<{ id: string }>(kind).map(({ id }) => id),
  );
  for (const ids of all) expect(new Set(ids).size).toBe(ids.length);
  expect(all.map((ids) => ids.length >= 30)).toEqual([true, true, true]);
});

const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);

test.skipIf(python === undefined)(
  'the reader on the README passes the vectors, and can fail (skipped where there is no Python)',
  () => {
    const [, program = ''] = /```python\n([\s\S]*?)```/.exec(readFileSync(`${FOLDER}README.md`, 'utf8')) ?? [];
    const file = `${FOLDER}vectors/bytes-to-frames.json`;
    expect(existsSync(file)).toBe(true);
    const run = (text: string) => spawnSync(python ?? '', ['-c', text, file], { encoding: 'utf8', timeout: 10_000 });
    expect(run(program)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const broken = run(program.replace('.replace(b"\\r", b"\\n")', ''));
    expect(broken.status).toBe(0);
    expect(run(program.replace('isinstance(value, dict)', 'True')).stdout).toContain('not-objects');
  },
);
