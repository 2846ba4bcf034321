export function proseIn(source: string): { line: number; text: string }[];
export function wordsOf(text: string): string[];
