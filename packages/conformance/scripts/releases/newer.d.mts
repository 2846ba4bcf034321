export const NEWER: Readonly<Record<string, unknown>>;
