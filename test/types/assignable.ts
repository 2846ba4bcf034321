/** Compiles when the argument fits the type; does nothing. */
export function fits<Type>(_value: Type): void {}

/** `true` for two types that are the same, both ways. */
export type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
