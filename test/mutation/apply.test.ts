import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyMutant, SourceIndex } from './apply.mjs';
import {
  type Change,
  prepend,
  remove,
  removeProperty,
  renameProperty,
  replace,
  setBody,
  setCase,
  setProperty,
  setValue,
} from './changes.mjs';

const SOURCE = `
export const LIMIT = 10;

export class Gate {
  #isOpen = false;
  open(): void;
  open(force?: boolean): void {
    if (force === true || (this.#ready(1) && this.#isOpen)) this.#tell({ kind: 'open', at: 2 });
    else this.#tell({ kind: 'shut' });
    const list = [...first('a', 1), ...first('b', 2)];
    void list;
  }
  #ready(n: number): boolean {
    return n > LIMIT;
  }
}

function route(type: string): string {
  switch (type) {
    case 'a':
    case 'b':
      return 'known';
    default:
      return 'unknown';
  }
}

function twice() {
  stop();
  stop();
}
`;

let folder = '';
let index: SourceIndex;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cw-mutation-'));
  writeFileSync(join(folder, 'one.ts'), SOURCE);
  writeFileSync(join(folder, 'two.ts'), 'function twice() {\n  return 1;\n}\nfunction route() {}\n');
  index = new SourceIndex(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function mutated(symbol: string, change: Change): string {
  return applyMutant({ name: 'a-bug', symbol, change }, index).text;
}

describe('a change', () => {
  test.each<[string, string, Change, string, string]>([
    [
      'replaces code, types and layout apart',
      'Gate.#ready',
      replace('$n>LIMIT', '$n >= LIMIT'),
      'n > LIMIT',
      'n >= LIMIT',
    ],
    [
      'replaces a statement',
      'Gate.#ready',
      replace('return $x;', 'return !($x);'),
      'return n > LIMIT;',
      'return !(n > LIMIT);',
    ],
    [
      'captures the rest of a list',
      'Gate.#ready',
      replace('return $$x;', 'return true;'),
      'return n > LIMIT;',
      'return true;',
    ],
    ['removes a branch', 'Gate.open', remove("this.#tell({ kind: 'shut' })"), "this.#tell({ kind: 'shut' });", '{}'],
    [
      'removes one side of a condition',
      'Gate.open',
      remove('this.#ready($n)'),
      '(this.#ready(1) && this.#isOpen)',
      '(this.#isOpen)',
    ],
    ['removes an element that is not the last', 'Gate.open', remove("...first('a', $n)"), "...first('a', 1), ", ''],
    ['removes the last element', 'Gate.open', remove("...first('b', $n)"), ", ...first('b', 2)", ''],
    ['removes a property', 'Gate.open', removeProperty('at'), ', at: 2', ''],
    ['sets a property', 'Gate.open', setProperty('at', '3'), 'at: 2', 'at: 3'],
    ['renames a property', 'Gate.open', renameProperty('at', 'when'), 'at: 2', 'when: 2'],
    [
      'sets a case',
      'route',
      setCase("'b'", "return 'c';"),
      "case 'b':\n      return 'known';",
      "case 'b': { return 'c'; }",
    ],
    [
      'sets the default',
      'route',
      setCase('default', 'throw 1;'),
      "default:\n      return 'unknown';",
      'default: { throw 1; }',
    ],
    ['sets a body', 'Gate.#ready', setBody('return true;'), '{\n    return n > LIMIT;\n  }', '{ return true; }'],
    ['puts code first', 'Gate.#ready', prepend('n += 1'), '{\n    return n', '{ n += 1;\n    return n'],
    ['sets a constant', 'LIMIT', setValue('11'), 'LIMIT = 10', 'LIMIT = 11'],
    ['sets a field', 'Gate.#isOpen', setValue('true'), '#isOpen = false', '#isOpen = true'],
  ])('%s', (_title, symbol, change, from, to) => {
    expect(SOURCE.split(from)).toHaveLength(2);
    expect(mutated(symbol, change)).toBe(SOURCE.replace(from, () => to));
  });

  test('decides between symbols of one name', () => {
    expect(mutated('twice', replace('return 1;', 'return 2;'))).toContain('return 2;');
  });
});

describe('a mutant that no longer fits says what to look at', () => {
  test.each<[string, string, Change, RegExp]>([
    ['the symbol is gone', 'Door.open', setBody(''), /^a-bug: src has no Door\.open\. If it was renamed/],
    ['the member is gone', 'Gate.close', setBody(''), /^a-bug: src has no Gate\.close\./],
    [
      'the place is gone',
      'Gate.#ready',
      remove('stop()'),
      /one\.ts:\d+\): the code stop\(\) is not there\. Fit .*\n#ready/,
    ],
    ['the place is ambiguous', 'twice', remove('stop()'), /the code stop\(\) is there 2 times/],
    [
      'the symbol is ambiguous',
      'route',
      setBody(''),
      /^a-bug: a body is in several symbols route \(.*one\.ts:\d+, .*two\.ts:\d+\)/,
    ],
    ['nothing changes', 'LIMIT', setValue('10'), /the change changes nothing/],
    ['the result does not parse', 'LIMIT', setValue('if'), /Parse failed/],
  ])('%s', (_title, symbol, change, message) => {
    expect(() => mutated(symbol, change)).toThrow(message);
  });
});
