import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerProblem, STEP_KINDS, stepProblem } from '../../../src/testing/scenario/validate-scenario.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const schema = JSON.parse(
  readFileSync(join(root, 'packages/conformance/schemas/scenario.schema.json'), 'utf8'),
) as JsonObject & { $defs: Record<string, JsonObject> };
const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  strictTuples: false,
  strictTypes: false,
  allowUnionTypes: true,
});
ajv.addSchema(schema);
const id = String(schema.$id);
const isHeader = ajv.compile({ $ref: `${id}#/$defs/header` });
const isStep = ajv.compile({ $ref: `${id}#/$defs/step` });

const files = ['packages/conformance/scenarios', 'packages/cli/src/demo/sessions'].flatMap((folder) => {
  const dir = join(root, folder);
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => join(folder, file));
});

const goodSteps: readonly JsonObject[] = [
  { out: { a: 1 }, cut: [1, 5], gapMs: 3 },
  { raw: 'x', cut: 4 },
  { bytes: 'w6kK' },
  { bytes: '' },
  { in: { type: 'control_request' }, answer: {}, timeoutMs: 0 },
  { in: { type: 'control_request' }, error: 'no' },
  { in: {} },
  { inAny: [{ in: { type: 'user' } }, { in: { type: 'control_request' }, answer: {} }], timeoutMs: 5 },
  { stderr: 'x' },
  { delayMs: 1 },
  { grandchildMs: 30_000 },
  { spawn: { configFiles: { 'a.json': { b: '$absent' }, c: '$absent' } } },
  { wait: 'forever' },
  { ignore: ['EOF', 'SIGHUP'] },
  { stdin: 'close' },
  { stdout: 'close' },
  { exit: 255 },
  { kill: 'SIGSEGV' },
  { repeat: 2, as: 'j', steps: [{ out: {} }, { repeat: 1, steps: [{ mark: 'a.b-c_1' }] }] },
  { spawn: {} },
  { spawn: { argv: { '--model': { $like: ['a', 'b'] } }, argvOnly: true } },
  { spawn: { argv: { '--model': 'm', '-p': true, '--tools': ['A'] }, env: { A: 'b' }, cwd: '$cwd' } },
  { mark: 'x' },
  { gate: 'x', timeoutMs: 1 },
  { drive: { command: 'start', mode: 'query', prompt: 'hi', options: {} }, as: 'c1' },
  { drive: { command: 'call', method: 'setModel', args: [], run: 'other' } },
  { drive: { command: 'cue', name: 'go' } },
  { drive: { command: 'sessions', function: 'listSessions' } },
  { drive: { command: 'close' } },
  { reply: 'c1', result: null, timeoutMs: 2 },
  { reply: 'c1', failure: { kind: 'aborted' } },
  { observe: { what: 'message', message: {} }, run: 'main' },
  { count: { what: 'callback', name: 'x' }, is: 0, run: 'main' },
  { reached: 'x' },
  { reached: 'x', not: true, timeoutMs: 5 },
  { open: 'x' },
];

/** What each is, and the step. */
const badSteps: readonly (readonly [name: string, step: unknown])[] = [
  ['null', null],
  ['a list', []],
  ['a text', 'out'],
  ['nothing', {}],
  ['no known kind', { say: 1 }],
  ['two kinds', { out: {}, in: {} }],
  ['two lanes', { out: {}, open: 'x' }],
  ['an unknown field', { out: {}, cuts: 1 }],
  ['a field of another kind', { out: {}, timeoutMs: 1 }],
  ['a cut of nothing', { raw: 'x', cut: 0 }],
  ['cuts at one place', { raw: 'x', cut: [2, 2] }],
  ['half a byte', { raw: 'x', cut: 1.5 }],
  ['bytes that are not base64', { bytes: 'é' }],
  ['base64 without its end', { bytes: 'w6k' }],
  ['base64 with bits that mean nothing', { bytes: 'w6l=' }],
  ['a time-out below 0', { in: {}, timeoutMs: -1 }],
  ['a broken time-out', { gate: 'x', timeoutMs: 0.5 }],
  ['an answer to something else', { in: { type: 'user' }, answer: {} }],
  ['an answer to nobody knows what', { in: {}, error: 'x' }],
  ['an answer and an error', { in: { type: 'control_request' }, answer: {}, error: 'x' }],
  ['a grandchild that stays', { grandchildMs: 30_001 }],
  ['inAny of nothing', { inAny: [] }],
  ['inAny of something else', { inAny: [{ out: {} }] }],
  ['inAny with a time-out inside', { inAny: [{ in: {}, timeoutMs: 1 }] }],
  ['inAny with an answer to something else', { inAny: [{ in: {}, answer: {} }] }],
  ['an unknown wait', { wait: 'SIGKILL' }],
  ['an unknown signal', { ignore: ['SIGKILL'] }],
  ['an exit code too high', { exit: 256 }],
  ['repeat without steps', { repeat: 2 }],
  ['repeat with a bad step', { repeat: 2, steps: [{ x: 1 }] }],
  ['repeat with a bad name', { repeat: 2, as: '1', steps: [] }],
  ['spawn in repeat', { repeat: 1, steps: [{ spawn: {} }] }],
  ['drive in repeat', { repeat: 1, steps: [{ drive: { command: 'close' } }] }],
  ['spawn with an unknown field', { spawn: { args: {} } }],
  ['a flag without its dashes', { spawn: { argv: { model: 'm' } } }],
  ['a number in the environment', { spawn: { env: { A: 1 } } }],
  ['an environment name with =', { spawn: { env: { 'A=': '1' } } }],
  ['argvOnly that is no yes', { spawn: { argvOnly: false } }],
  ['a directory that is none', { spawn: { cwd: null } }],
  ['a mark with a path', { mark: '../x' }],
  ['a gate without a name', { gate: '' }],
  ['a name too long', { mark: 'x'.repeat(65) }],
  ['an unknown command', { drive: { command: 'finish' } }],
  ['no command', { drive: {} }],
  ['a start without mode', { drive: { command: 'start' } }],
  ['a start of another mode', { drive: { command: 'start', mode: 'session' } }],
  ['a call of nothing', { drive: { command: 'call' } }],
  ['a run with a bad name', { drive: { command: 'close', run: 'a b' } }],
  ['a reply with a result and a failure', { reply: 'c', result: 1, failure: {} }],
  ['a failure that is a text', { reply: 'c', failure: 'aborted' }],
  ['not reached without a time', { reached: 'x', not: true }],
  ['reached with a not that is false', { reached: 'x', not: false, timeoutMs: 1 }],
  ['an observation of nothing', { observe: {} }],
  ['an observation of something unknown', { observe: { what: 'messages' } }],
  ['a count without its number', { count: { what: 'end' } }],
  ['a count below 0', { count: { what: 'end' }, is: -1 }],
];

const badHeaders: readonly (readonly [name: string, header: JsonObject])[] = [
  ['no name', { version: 1 }],
  ['an empty name', { scenario: '', version: 1 }],
  ['another version', { scenario: 's', version: 2 }],
  ['an unknown order', { scenario: 's', version: 1, order: 'strict' }],
  ['an unknown rule', { scenario: 's', version: 1, unclaimed: true }],
  ['an unknown level', { scenario: 's', version: 1, level: 'L9' }],
  ['requirements that are no list', { scenario: 's', version: 1, requirements: 'L1-01' }],
  ['a source that is a number', { scenario: 's', version: 1, source: [1] }],
  ['a since that is a number', { scenario: 's', version: 1, since: 2 }],
  ['an answersOnly that is not true', { scenario: 's', version: 1, answersOnly: false }],
  ['an answer that is a text', { scenario: 's', version: 1, answers: { x: '' } }],
  ['a deadline below 0', { scenario: 's', version: 1, deadlineMs: -1 }],
  ...[
    ['files that are no list', {}],
    ['a file that is a text', ['x']],
    ['a file at another place', [{ at: 'root', path: 'x', text: '' }]],
    ['a file without a path', [{ at: 'cwd', text: '' }]],
    ['a file with nothing in it', [{ at: 'cwd', path: 'x' }]],
    ['a file with both', [{ at: 'cwd', path: 'x', text: '', lines: [] }]],
    ['a file with an unknown field', [{ at: 'cwd', path: 'x', text: '', mode: 1 }]],
    ['a line that is a number', [{ at: 'cwd', path: 'x', lines: [1] }]],
    ...['', '/x', '\\x', 'C:x', '..', '../x', 'a/../x', 'a\\..', 'a\n/..', 'a\0b'].map((path) => [
      `a file with the path ${JSON.stringify(path)}`,
      [{ at: 'home', path, text: '' }],
    ]),
  ].map(([name, files]) => [String(name), { scenario: 's', version: 1, files }] as const),
];

describe('schema and hand validator agree', () => {
  test('on every step kind: there is a good example of each', () => {
    const shown = new Set(goodSteps.flatMap((step) => Object.keys(step)));
    expect(Object.keys(STEP_KINDS).filter((kind) => !shown.has(kind))).toEqual([]);
  });

  test.each(goodSteps.map((step) => ({ name: JSON.stringify(step).slice(0, 60), step })))('good: $name', ({ step }) => {
    expect(stepProblem(step)).toBeUndefined();
    expect(isStep(step), JSON.stringify(isStep.errors)).toBe(true);
  });

  test.each(badSteps)('bad: %s', (_, step) => {
    expect(stepProblem(step)).toEqual(expect.any(String));
    expect(isStep(step)).toBe(false);
  });

  test.each(badHeaders)('bad header: %s', (_, header) => {
    expect(headerProblem(header)).toEqual(expect.any(String));
    expect(isHeader(header)).toBe(false);
  });

  test('on every scenario of the repository', () => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const [header, ...steps] = readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as JsonObject);
      expect([file, isHeader(header), headerProblem(header ?? {})]).toEqual([file, true, undefined]);
      for (const step of steps) expect([file, step, isStep(step)]).toEqual([file, step, true]);
      expect(ajv.validate(id, [header, ...steps])).toBe(true);
    }
  });

  test('on steps that were changed at random', () => {
    fc.assert(
      fc.property(changed(fc.constantFrom(...goodSteps)), (step) => {
        expect([step, isStep(step)]).toEqual([step, stepProblem(step) === undefined]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('on headers that were changed at random', () => {
    const good = {
      scenario: 's',
      version: 1,
      level: 'L1',
      order: 'any',
      answers: { a: null },
      features: ['x'],
      about: '',
      files: [
        { at: 'home', path: '.a/b..c/..d', lines: ['x', {}] },
        { at: 'cwd', path: 'x', text: '' },
      ],
    };
    fc.assert(
      fc.property(changed(fc.constant(good)), (header) => {
        expect([header, isHeader(header)]).toEqual([header, headerProblem(header) === undefined]);
      }),
      { numRuns: 500 },
    );
  });
});

/** A good object with one field, at any depth, taken away, replaced or added. */
function changed(good: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const value = fc.oneof(
    fc.constantFrom(null, true, 0, 1, -1, 0.5, 256, '', 'x', 'EOF', 'close', 'control_request', '../x', [], {}),
    fc.constantFrom<unknown>(['x'], [1], { in: {} }, { command: 'start' }, { what: 'end' }),
    fc.constantFrom(...goodSteps),
  );
  const key = fc.constantFrom(
    ...Object.keys(STEP_KINDS),
    ...['timeoutMs', 'cut', 'gapMs', 'answer', 'error', 'as', 'is', 'run', 'steps', 'result', 'x'],
    ...['argv', 'env', 'cwd', 'command', 'mode', 'method', 'name', 'what', 'level', 'type'],
    ...['at', 'path', 'lines', 'text', 'files'],
  );
  return fc
    .tuple(good, fc.array(fc.nat(5), { maxLength: 3 }), key, value, fc.constantFrom('set', 'drop', 'replace'))
    .map(([step, path, name, replacement, how]) => {
      const copy = structuredClone(step);
      let place: JsonObject = copy;
      for (const at of path) {
        const next = Object.values(place)[at];
        if (isJsonObject(next)) place = next;
      }
      const keys = Object.keys(place);
      const existing = keys[(path[0] ?? 0) % Math.max(keys.length, 1)];
      if (how === 'set' || existing === undefined) place[name] = replacement;
      else if (how === 'drop') delete place[existing];
      else place[existing] = replacement;
      return copy;
    });
}
