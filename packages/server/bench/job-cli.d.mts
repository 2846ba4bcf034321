export function writeJobCli(folder: string): string;
