export function cutCallsPage(data: object, toolCallOutcomes: (...args: never[]) => readonly object[]): string;
