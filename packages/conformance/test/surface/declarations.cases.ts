/** Made-up declarations, each with an oddity of layout or of syntax, and facts that must be found: `path <kind> type [marks]`. */
export interface DeclarationCase {
  readonly name: string;
  readonly text: string;
  readonly facts: readonly string[];
}

export const DECLARATION_CASES: readonly DeclarationCase[] = [
  {
    name: 'a blank line and a lone carriage return inside of a type do not end it',
    text: 'export declare type Options = {\r    /** One. */\r    model?: string;\n\n    cwd?: string;\r\r    last: number;\r\n};\r\nexport { }',
    facts: [
      'Options <type> {…} [exported]',
      'Options.model <field> string [optional]',
      'Options.cwd <field> string [optional]',
      'Options.last <field> number',
    ],
  },
  {
    name: 'a byte order mark, and comments and texts that look like code',
    text: '\uFEFFexport interface A {\n  /* } */ a: "}; b: 1"; // }\n  /** { c: 2 } */\n  d: 1 /* , e: 2 */;\n}',
    facts: ["A.a <field> '}; b: 1'", 'A.d <field> 1'],
  },
  {
    name: 'members of a union whatever its layout, and a union inside of it',
    text: `type Inner = 'x';\nexport type E =\n  | "b"\n  | ('a' | Inner)\n  // |  'no'\n  | null;\nexport {};`,
    facts: [
      "E <type> 'a' | 'b' | Inner | null [exported]",
      "E | 'a' <member> 'a'",
      "E | 'b' <member> 'b'",
      'E | Inner <member> Inner',
      'E | null <member> null',
      "Inner <type> 'x'",
    ],
  },
  {
    name: 'object types of a union are told apart by what they are',
    text: `type U = { type: 'a'; x: A } | { type: 'b'; x: B } | { z: C; y: D } | { z: E };`,
    facts: [
      "U | {type: 'a'} <member> {…}",
      "U | {type: 'a'}.x <field> A",
      "U | {type: 'b'}.x <field> B",
      'U | {y} <member> {…}',
      'U | {y}.z <field> C',
      'U | {…}.z <field> E',
    ],
  },
  {
    name: 'the only object type of a union has the path of the union',
    text: 'type U = { f?: { a: A } | null };',
    facts: ['U.f <field> null | {…} [optional]', 'U.f | {…} <member> {…}', 'U.f.a <field> A'],
  },
  {
    name: 'fields through arrays, records, index signatures, intersections, promises and type arguments',
    text: `type T = Base & { a: { b: { c: 1 } }[]; d: Record<'k' | 'l', { e: 2 }>; f: { [key: string]: { g: 3 } };
      h: Promise<readonly { i: 4 }[]>; j: Box<1, { k: 5 }>; l: Partial<{ m: 6 }>; n: { [K in 'o' | 'p']?: { q: 7 } } };`,
    facts: [
      'T <type> Base & {…} [exported]',
      'T.a[].b.c <field> 1',
      'T.d[*].e <field> 2',
      "T.d<key> | 'l' <member> 'l'",
      'T.f[*] <field> [string]: {…}',
      'T.f[*].g <field> 3',
      'T.h[].i <field> 4',
      'T.j<1>.k <field> 5',
      'T.l.m <field> 6',
      "T.n<key> | 'o' <member> 'o'",
      'T.n[*].q <field> 7',
    ],
  },
  {
    name: 'methods, overloads, call and construct signatures, getters and setters',
    text: `interface Q { m?(a: string, ...b: number[]): Promise<{ r: 1 }>; o(a: 1): void; o(a: 2, c?: { d: 3 }): void;
      (x: 1): 2; new (y: 1): Q; get g(): 1; get h(): 1; set h(value: 1); set w(value: 1); }`,
    facts: [
      'Q.m() <method> (a: string, ...b: number[]) => Promise<{…}> [optional]',
      'Q.m(a) <parameter> string',
      'Q.m(b) <parameter> number[] [rest]',
      'Q.m().r <field> 1',
      'Q.o() <method> (a: 1) => void',
      'Q.o#2() <method> (a: 2, c?: {…}) => void',
      'Q.o#2(c) <parameter> {…} [optional]',
      'Q.o#2(c).d <field> 3',
      'Q() <method> (x: 1) => 2',
      'Q.new() <method> (y: 1) => Q',
      'Q.g <field> 1 [readonly]',
      'Q.h <field> 1',
      'Q.w <field> 1',
    ],
  },
  {
    name: 'classes without what is private, enums, values, tuples and functions',
    text: `export declare abstract class C<T = string> extends B<T> implements I { private a; #b; protected readonly c: 1; static d?: 2;
        constructor(e: T, private f?: 1); abstract g(): this; }
      export declare const enum E { One = 1, 'two-2' = "x" }
      export declare const LIST: readonly ['p', 'q']; export declare const K: unique symbol, L = 5;
      export declare function f<T extends { n: 1 }>(this: C, { a, b }: { a: 1; b: 2 }): asserts a is T;
      export declare function f(): [first: 1, rest?: { o: 1 }, ...string[]];`,
    facts: [
      'C <class> <T = string> extends B<T> implements I [abstract,exported]',
      'C.c <field> 1 [protected,readonly]',
      'C.d <field> 2 [optional,static]',
      'C.new() <method> (e: T, f?: 1) => any',
      'C.g() <method> () => this [abstract]',
      'E <enum> const [exported]',
      'E.One <member> 1',
      'E.two-2 <member> "x"',
      "LIST <value> readonly ['p', 'q'] [exported,readonly]",
      "LIST | 'q' <member> 'q'",
      'K <value> unique symbol [exported,readonly]',
      'L <value> = 5 [exported,readonly]',
      'f() <function> <T extends {…}>(this: C, arg1: {…}) => asserts a is T [exported]',
      'f<T>.n <field> 1',
      'f(arg1).b <field> 2',
      'f#2() <function> () => [first: 1, rest?: {…}, ...string[]] [exported]',
      'f#2()[rest].o <field> 1',
    ],
  },
  {
    name: 'conditional, mapped, template, indexed, inferred and imported types',
    text: `type M<T> = T extends (infer U extends string)[] ? { a: 1 } : T extends \`x-\${'y' | 'z'}\` ? 2 : never;
      type N = { readonly [K in keyof A as \`get\${K}\`]-?: A[K]['b' | 'c'] }; type P = typeof import("./x.js").y;
      type R = import('zod').infer<{ q: 1 }>; type S = (new (a: 1) => { s: 1 }) | ((b: { t: 1 }) => void);`,
    facts: [
      `M <type> <T> T extends (infer U extends string)[] ? {…} : (T extends \`x-\${'y' | 'z'}\` ? 2 : never) [exported]`,
      'M<then>.a <field> 1',
      "M<else><extends><0> | 'y' <member> 'y'",
      `N <type> { readonly [K in keyof A as \`get\${K}\`]-?: A[K]['b' | 'c'] } [exported]`,
      "N[*]<index> | 'c' <member> 'c'",
      "P <type> typeof import('./x.js').y [exported]",
      'R<0>.q <field> 1',
      'S.new().s <field> 1',
      'S(b).t <field> 1',
    ],
  },
  {
    name: 'names that are no identifiers, and computed ones',
    text: `interface K { 'plain': 1; "with-dash": 2; 3: 4; [Symbol.iterator]: { a: 5 } }`,
    facts: ['K.plain <field> 1', "K['with-dash'] <field> 2", 'K[3] <field> 4', 'K[Symbol.iterator].a <field> 5'],
  },
  {
    name: 'a deprecated option, and one whose neighbour is',
    text: `interface D { /** Old. @deprecated no */ a: 1;
      /**\r       * Long.\r       * @deprecated Use b.\r       */\r      c: 2; /** @deprecated */
      e: 3; /* @deprecated */
      f: 4 }\n/** @deprecated */\nexport declare function g(): void;`,
    facts: [
      'D.a <field> 1',
      'D.c <field> 2 [deprecated]',
      'D.e <field> 3',
      'D.f <field> 4',
      'g() <function> () => void [deprecated,exported]',
    ],
  },
  {
    name: 'merged declarations, namespaces, module blocks and global',
    text: `export interface A { a: 1 } export interface A { b: 2 } export declare namespace A.B { type C = { d: 3 } }
      declare module 'other' { interface E { f: 4 } } declare global { interface G { h: 5 } }
      declare namespace Inner { export { X, Y as Z }; type X = 1; type Y = 2; }`,
    facts: [
      'A.a <field> 1',
      'A.b <field> 2',
      'A.B.C.d <field> 3',
      "module 'other'.E.f <field> 4",
      'global.G.h <field> 5',
      'Inner.X <type> 1 [exported]',
      'Inner.Y <type> 2',
      'Inner exports Z <export> Y',
    ],
  },
  {
    name: 'what is passed on, and what is not exported',
    text: `import type { Q } from './q.js'; export { A as B, type C } from './a.js'; export type { D } from './d.js'; export * from './e.js';
      export * as ns from './f.js'; export { Q, Own as Renamed, Kept }; interface Own { a: 1 } interface Kept {} type Hidden = { b: 2 };
      export default Own;`,
    facts: [
      'made-up.d.ts exports B <export> A',
      'made-up.d.ts exports C <export> type C',
      'made-up.d.ts exports D <export> type D',
      "made-up.d.ts exports * from './e.js' <export> ",
      "made-up.d.ts exports ns <export> * from './f.js'",
      'made-up.d.ts exports Q <export> Q',
      'made-up.d.ts exports Renamed <export> Own',
      'made-up.d.ts exports default <export> Own',
      'Own <interface> ',
      'Own.a <field> 1',
      'Kept <interface>  [exported]',
      'Hidden.b <field> 2',
    ],
  },
];
