import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeRelease, judgeStep } from '../../scripts/upstream/judge.mjs';
import { readWithCompiler } from '../../scripts/upstream/second-reader.mjs';
import { compareSurfaces } from '../../src/surface/compare-surfaces.js';
import { readDeclarations } from '../../src/surface/read-declarations.js';

type Kind = 'plain' | 'union' | 'object' | 'list' | 'map' | 'callback';

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isReadonly: boolean;
  readonly kind: Kind;
  readonly members: readonly string[];
  readonly fields: readonly Field[];
}

const NAME = fc.constantFrom(
  'alpha',
  'beta',
  'gamma',
  'delta',
  'type',
  'readonly',
  'get',
  'declare',
  'with-dash',
  '$x',
);
const WORD = fc.constantFrom('a', 'b c', '}', '/* x */', "it's", '// y', '|', '');

const { fields: FIELDS } = fc.letrec<{ fields: readonly Field[]; field: Field }>((tie) => ({
  fields: fc.uniqueArray(tie('field'), { selector: ({ name }) => name, maxLength: 4, depthIdentifier: 'type' }),
  field: fc.record({
    name: NAME,
    isOptional: fc.boolean(),
    isReadonly: fc.boolean(),
    kind: fc.constantFrom<Kind>('plain', 'union', 'object', 'list', 'map', 'callback'),
    members: fc.uniqueArray(WORD, { minLength: 2, maxLength: 4 }),
    fields: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant([]), tie('fields')),
  }),
}));

/** Whatever a layout may have between two tokens, and choices of its own. */
interface Layout {
  readonly gaps: readonly string[];
  readonly separators: readonly string[];
  readonly isBracketed: boolean;
  readonly quote: '"' | "'";
}

const LAYOUT: fc.Arbitrary<Layout> = fc.record({
  gaps: fc.array(
    fc.constantFrom(' ', '\n', '\r', '\r\n', '\r\n\r\n', '\t', '\n\n\n', ' /* } */ ', '\n// { ;\n', ' /** a: 1; */\r'),
    { minLength: 3, maxLength: 9 },
  ),
  separators: fc.array(fc.constantFrom(';', ',', '\n', '\r\n'), { minLength: 1, maxLength: 4 }),
  isBracketed: fc.boolean(),
  quote: fc.constantFrom('"', "'"),
});

/** Prints a type in a layout: each gap and separator of it in turn. */
class Printer {
  readonly #layout: Layout;
  #count = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  object(fields: readonly Field[]): string {
    return `{${this.#gap()}${fields.map((each) => this.#field(each)).join(this.#gap())}${this.#gap()}}`;
  }

  #field({ name, isOptional, isReadonly, ...type }: Field): string {
    const key = name === 'with-dash' ? this.#text(name) : name;
    const mark = isReadonly ? `readonly${this.#inline()}` : '';
    return `${mark}${key}${isOptional ? '?' : ''}${this.#inline()}:${this.#gap()}${this.#type(type)}${this.#separator()}`;
  }

  #type({ kind, members, fields }: Pick<Field, 'kind' | 'members' | 'fields'>): string {
    const text = this.#bare(kind, members, fields);
    return this.#layout.isBracketed ? `(${this.#gap()}${text})` : text;
  }

  #bare(kind: Kind, members: readonly string[], fields: readonly Field[]): string {
    switch (kind) {
      case 'plain':
        return 'Other';
      case 'union':
        return `|${this.#gap()}${members.map((each) => this.#text(each)).join(`${this.#gap()}|${this.#gap()}`)}`;
      case 'object':
        return this.object(fields);
      case 'list':
        return `${this.object(fields)}[]`;
      case 'map':
        return `Record<${this.#gap()}string,${this.#gap()}${this.object(fields)}>`;
      case 'callback':
        return `(input${this.#gap()}:${this.#gap()}${this.object(fields)})${this.#inline()}=>${this.#gap()}void`;
    }
  }

  #text(value: string): string {
    const { quote } = this.#layout;
    return `${quote}${value.replaceAll(quote, `\\${quote}`)}${quote}`;
  }

  #gap(): string {
    this.#count += 1;
    return this.#layout.gaps[this.#count % this.#layout.gaps.length] ?? ' ';
  }

  /** Where an end of line would end the declaration. */
  #inline(): string {
    return this.#gap().includes('*') ? ' /* : */ ' : ' ';
  }

  #separator(): string {
    this.#count += 1;
    return this.#layout.separators[this.#count % this.#layout.separators.length] ?? ';';
  }
}

/** The paths of fields and of members of unions that a type has. */
function pathsOf(fields: readonly Field[], path: string): readonly string[] {
  const suffix: Record<Kind, string> = {
    plain: '',
    union: '',
    object: '',
    list: '[]',
    map: '[*]',
    callback: '(input)',
  };
  return fields.flatMap(({ name, kind, members, fields: inner }) => {
    const own = name === 'with-dash' ? `${path}['with-dash']` : `${path}.${name}`;
    if (kind === 'plain') return [own];
    if (kind === 'union') return [own, ...members.map((each) => `${own} | '${each.replace("'", "\\'")}'`)];
    return [own, ...pathsOf(inner, own + suffix[kind])];
  });
}

const print = (name: string, fields: readonly Field[], layout: Layout): string =>
  `export declare type ${name} =${new Printer(layout).object(fields)};\nexport {};\n`;

const printed: { readonly name: string; readonly text: string }[] = [];

test('a generated type is read back whole, whatever its layout', () => {
  fc.assert(
    fc.property(FIELDS, LAYOUT, (fields, layout) => {
      const name = `T${printed.length}`;
      const text = print(name, fields, layout);
      printed.push({ name: `${name}.d.ts`, text });
      const facts = readDeclarations([{ name: 'made-up.d.ts', text }]);
      const found = facts.filter(({ kind }) => kind === 'field' || kind === 'member').map(({ path }) => path);
      expect(found).toEqual([...pathsOf(fields, name)].sort());
    }),
    { numRuns: 300 },
  );
});

test("TypeScript's own parser reads the same out of all of them", () => {
  const { counts, faults } = judgeRelease(readDeclarations(printed), readWithCompiler(printed));
  expect(faults).toEqual([]);
  expect(counts.fields?.[0]).toBeGreaterThan(printed.length);
});

test('another layout is no change', () => {
  fc.assert(
    fc.property(FIELDS, LAYOUT, LAYOUT, (fields, one, other) => {
      const [before, now] = [one, other].map((layout) =>
        readDeclarations([{ name: 'a.d.ts', text: print('T', fields, layout) }]),
      );
      expect(compareSurfaces(before ?? [], now ?? [])).toEqual([]);
    }),
  );
});

test('both readers name the same changes from one generated release to the next', () => {
  const before: typeof printed = [];
  const now: typeof printed = [];
  fc.assert(
    fc.property(FIELDS, FIELDS, LAYOUT, LAYOUT, (old, young, one, other) => {
      const name = `T${before.length}`;
      before.push({ name: `${name}.d.ts`, text: print(name, old, one) });
      now.push({ name: `${name}.d.ts`, text: print(name, young, other) });
    }),
  );
  const changes = compareSurfaces(readDeclarations(before), readDeclarations(now));
  expect(judgeStep(changes, readWithCompiler(before), readWithCompiler(now)).faults).toEqual([]);
  expect(new Set(changes.map(({ happened }) => happened))).toEqual(new Set(['addition', 'change', 'removal']));
});
