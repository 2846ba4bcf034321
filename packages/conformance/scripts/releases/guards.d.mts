export const GUARDS: Readonly<Record<string, unknown>>;
