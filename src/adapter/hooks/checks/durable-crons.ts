import { type Check, deny } from './check.js';

/** A durable one is kept in the working directory, and a later start of the CLI there would run its prompt outside of every limit. */
export const checkDurableCrons: Check = ({ toolName, toolInput }, { isolation }) =>
  isolation !== undefined &&
  toolName === 'CronCreate' &&
  // Whatever else the CLI may take for true.
  ![undefined, null, false, 'false'].includes(toolInput.durable as undefined)
    ? deny('A durable schedule would outlive the run; create it without durable')
    : undefined;
