import { invalidArgument } from '../../errors/invalid-option.js';

/** @throws InvalidOptionError it is no executable with its arguments. */
export function requireCommand(call: string, command: unknown): void {
  const isText = (each: unknown): boolean => typeof each === 'string' && !each.includes('\0');
  if (Array.isArray(command) && command.every(isText) && command[0]) return;
  const cure = 'Pass an array such as `["node", "driver.mjs"]`.';
  throw invalidArgument(
    'command',
    `${call}() takes an executable and its arguments`,
    command,
    cure,
  );
}
