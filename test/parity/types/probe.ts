/** Questions about types, asked by the generated check files. */
import type * as z from 'zod/v4';

export type ZodShape = { text: z.ZodString; count: z.ZodOptional<z.ZodNumber> };

/** What can be seen of an instance from outside. */
export type Public<T> = { [K in keyof T]: T[K] };

/** A class as a function that makes such instances. */
export type Constructor<T extends abstract new (...args: never) => unknown> = (
  ...args: ConstructorParameters<T>
) => Public<InstanceType<T>>;

type IsAny<T> = 0 extends 1 & T ? true : false;
type IsUnknown<T> = IsAny<T> extends true ? false : unknown extends T ? true : false;

/** `true` for a type that says something. */
export type Known<T> = IsAny<T> extends true ? false : [T] extends [never] ? false : true;

/** Keys of any member of a union. */
type AnyKeys<T> = T extends object ? { [K in keyof T]-?: IsAny<T[K]> extends true ? K : never }[keyof T] : never;

/** What is wrong with a type: it says nothing as a whole, or has properties that are `any`. `never`: nothing. */
export type Flaws<T> =
  IsAny<T> extends true
    ? 'any'
    : IsUnknown<T> extends true
      ? 'unknown'
      : [T] extends [never]
        ? 'never'
        : T extends readonly unknown[] | ((...args: never) => unknown)
          ? never
          : AnyKeys<T>;

// biome-ignore lint/suspicious/noConfusingVoidType: a callback that returns nothing
type Primitive = string | number | boolean | bigint | symbol | null | undefined | void;
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What can be read from a value: of lists and promises what is in them, of functions their arguments and results. */
type Readable<T> = T extends Primitive | ZodLike
  ? never
  : T extends readonly (infer Item)[]
    ? Readable<Item>
    : T extends PromiseLike<infer Value>
      ? Readable<Value>
      : T extends (...args: infer Args) => infer Result
        ? { args: Args[number]; result: Result }
        : T;
/** Schemas and the MCP SDK's servers are handed over whole; their own types have members in the hundreds. */
type ZodLike = { _def: unknown } | { _zod: unknown };
type Opaque = 'instance';
type KeysOf<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/**
 * Paths that can be read from `Theirs` and not from `Mine`. Assignability does not see them where they are
 * optional. Members of a union are taken together.
 */
export type Missing<Theirs, Mine, Depth extends unknown[] = []> = Depth['length'] extends 7
  ? never
  : IsSame<Theirs, Mine> extends true
    ? never
    : IsAny<Theirs> extends true
      ? never
      : IsAny<Mine> extends true
        ? never
        : MissingKeys<Readable<Theirs>, Readable<Mine>, Depth>;
type MissingKeys<Theirs, Mine, Depth extends unknown[]> = {
  [K in KeysOf<Theirs> & string]: K extends KeysOf<Mine>
    ? K extends Opaque
      ? never
      : Missing<At<Theirs, K>, At<Mine, K>, [...Depth, 0]> extends infer Path extends string
        ? `${K}.${Path}`
        : never
    : `${K}`;
}[KeysOf<Theirs> & string];

/**
 * Paths of values that are a `Record<string, unknown>` in `Theirs` and not in `Mine`: an interface is none, a type alias
 * of the same shape is, and programs write `message as Record<string, unknown>`.
 */
export type Closed<Theirs, Mine, Depth extends unknown[] = []> = Depth['length'] extends 6
  ? never
  : IsAny<Theirs> extends true
    ? never
    : IsAny<Mine> extends true
      ? never
      : ClosedHere<Readable<Theirs>, Readable<Mine>> | ClosedInside<Readable<Theirs>, Readable<Mine>, Depth>;
type ClosedHere<Theirs, Mine> = [Theirs] extends [never]
  ? never
  : [Theirs] extends [Record<string, unknown>]
    ? [Mine] extends [Record<string, unknown>]
      ? never
      : 'itself'
    : never;
type ClosedInside<Theirs, Mine, Depth extends unknown[]> = {
  [K in KeysOf<Theirs> & KeysOf<Mine> & string]: K extends Opaque
    ? never
    : Closed<At<Theirs, K>, At<Mine, K>, [...Depth, 0]> extends infer Path extends string
      ? `${K}.${Path}`
      : never;
}[KeysOf<Theirs> & KeysOf<Mine> & string];

/**
 * Paths at which a type is built otherwise, though values fit both ways: a list or property is `readonly` in `Mine` and not
 * in `Theirs`, so that `push` or an assignment fails; or several literals share one member of a union, so that
 * `Extract<Mine, { type: 'a' }>` is `never`, and `find`, `filter` and `switch` narrow to less.
 */
export type Shape<Theirs, Mine, Depth extends unknown[] = []> = Depth['length'] extends 6
  ? never
  : IsSame<Theirs, Mine> extends true
    ? never
    : IsAny<Theirs> extends true
      ? never
      : IsAny<Mine> extends true
        ? never
        :
            | FrozenList<Lists<Theirs>, Lists<Mine>>
            | FrozenKeys<Readable<Theirs>, Readable<Mine>>
            | Merged<Readable<Theirs>, Readable<Mine>>
            | ShapeInside<Readable<Theirs>, Readable<Mine>, Depth>;
type Lists<T> = T extends readonly unknown[] ? (T extends unknown[] ? 'mutable' : 'readonly') : never;
type FrozenList<Theirs, Mine> = [Theirs] extends ['mutable']
  ? [Theirs] extends [never]
    ? never
    : 'readonly' extends Mine
      ? 'a readonly list'
      : never
  : never;
type Unlocked<T> = { -readonly [K in keyof T]: T[K] };
type LockedKeys<T> = T extends object
  ? { [K in keyof T]-?: IsSame<Pick<T, K>, Unlocked<Pick<T, K>>> extends true ? never : K }[keyof T]
  : never;
type FrozenKeys<Theirs, Mine> = Exclude<LockedKeys<Mine>, LockedKeys<Theirs> | Exclude<KeysOf<Mine>, KeysOf<Theirs>>> &
  string extends infer Key extends string
  ? [Key] extends [never]
    ? never
    : `readonly ${Key}`
  : never;
/** Members of a union that can be taken out by a literal there, and not here. */
type Merged<Theirs, Mine> = true extends IsNever<Theirs> | IsNever<Mine>
  ? never
  : {
      [K in keyof Theirs & string]: Theirs[K] extends string ? MergedBy<Theirs, Mine, K, Theirs[K]> : never;
    }[keyof Theirs & string];
type IsNever<T> = [T] extends [never] ? true : false;
type MergedBy<Theirs, Mine, K extends string, Literal> = string extends Literal
  ? never
  : Literal extends string
    ? [Extract<Theirs, Record<K, Literal>>] extends [never]
      ? never
      : [Extract<Mine, Record<K, Literal>>] extends [never]
        ? `no member ${K} '${Literal}'`
        : never
    : never;
type ShapeInside<Theirs, Mine, Depth extends unknown[]> = {
  [K in KeysOf<Theirs> & KeysOf<Mine> & string]: K extends Opaque
    ? never
    : Shape<At<Theirs, K>, At<Mine, K>, [...Depth, 0]> extends infer Path extends string
      ? `${K}.${Path}`
      : never;
}[KeysOf<Theirs> & KeysOf<Mine> & string];

/** Values that are handed over whole, and whose types are Node's own. */
type Platform = AbortSignal | Date | Error | RegExp | Uint8Array | URL | NodeJS.EventEmitter;

/**
 * The same type with every method as a function in a property, at any depth: the compiler compares parameters of methods
 * in either direction, and of functions in the one that is right.
 */
export type Strict<T> =
  // A mapped type makes {} of unknown.
  unknown extends T
    ? T
    : T extends Primitive | ZodLike | Platform
      ? T
      : T extends (...args: infer Args) => infer Result
        ? (...args: Strict<Args> extends infer Given extends unknown[] ? Given : Args) => Strict<Result>
        : T extends Promise<infer Value>
          ? Promise<Strict<Value>>
          : { [K in keyof T]: K extends Opaque ? T[K] : Strict<T[K]> };
