import { type Check, deny } from './check.js';

/** The CLI ignores the flag where it is not allowed; the denial tells the model why its command is confined. */
export const checkSandboxEscape: Check = ({ toolName, toolInput }, { isolation }) =>
  isolation !== undefined &&
  !isolation.allowUnsandboxedCommands &&
  // Bash, and whatever other tool of the CLI runs commands.
  !toolName.startsWith('mcp__') &&
  // A model may write it as text, and the CLI may take that.
  [true, 'true'].includes(toolInput.dangerouslyDisableSandbox as boolean)
    ? deny('Commands outside the sandbox are not allowed; run it without dangerouslyDisableSandbox')
    : undefined;
