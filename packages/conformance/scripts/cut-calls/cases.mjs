/*
 * What may become of a tool call, each as one case: the calls of the model's message, how the turn ends, and what really
 * happened to each call.
 */

const REJECT_TEXT = "The user doesn't want to proceed with this tool use.";
const INTERRUPT_TEXT = '[Request interrupted by user for tool use]';

/** @typedef {{ tool: 'Bash' | 'stdio' | 'sdk' | 'agent', script: string }} Call */

/** Runs until it is ended, and says so. */
const slow = (tool) => ({ tool, script: 'slow' });
const quick = (tool) => ({ tool, script: 'quick' });
const prints = (tool, text, code) => ({ tool, script: 'prints', text, code });

const CUTS = ['interrupt', 'SIGTERM', 'SIGKILL'];
const TOOLS = ['Bash', 'stdio', 'sdk', 'agent'];

const cut = CUTS.flatMap((how) =>
  TOOLS.map((tool) => ({ name: `${tool}, cut by ${how}`, calls: [slow(tool)], how, truth: ['unknown'] })),
);

/** The CLI waits for its tools, but for those that only its host can answer. */
const stdin = TOOLS.map((tool) => ({
  ...{ name: `${tool}, while stdin ends`, calls: [slow(tool)], how: 'stdin' },
  truth: [tool === 'sdk' ? 'unknown' : 'ran'],
}));

const second = ['interrupt', 'SIGTERM', 'SIGKILL'].flatMap((how) =>
  ['Bash', 'stdio'].map((tool) => ({
    ...{ name: `two of ${tool} in a message, the first cut by ${how}`, calls: [slow(tool), slow(tool)], how },
    truth: ['unknown', 'not started'],
  })),
);

const notStarted = [
  { name: 'denied by a rule', calls: [quick('Bash')], rule: true, truth: ['denied'] },
  { name: 'denied by a hook', calls: [quick('Bash')], hook: 'deny', truth: ['denied'] },
  { name: 'denied by the mode dontAsk', calls: [quick('Bash')], mode: 'dontAsk', truth: ['denied'] },
  { name: 'denied by canUseTool', calls: [quick('Bash')], ask: 'deny', truth: ['denied'] },
  { name: 'denied by canUseTool, MCP', calls: [quick('stdio')], ask: 'deny', truth: ['denied'] },
  { name: 'denied by canUseTool with interrupt', calls: [quick('Bash')], ask: 'deny and interrupt', truth: ['denied'] },
  {
    name: 'interrupted while canUseTool is asked',
    calls: [quick('Bash')],
    ask: 'never',
    how: 'interrupt',
    truth: ['not started'],
  },
  {
    name: 'SIGTERM while canUseTool is asked',
    calls: [quick('Bash')],
    ask: 'never',
    how: 'SIGTERM',
    truth: ['not started'],
  },
  {
    name: 'interrupted while a hook is asked',
    calls: [quick('Bash')],
    hook: 'never',
    how: 'interrupt',
    truth: ['not started'],
  },
];

const ended = [
  { name: 'Bash ran', calls: [quick('Bash')], truth: ['ran'] },
  { name: 'Bash exits with 1', calls: [prints('Bash', 'no', 1)], truth: ['failed'] },
  { name: 'Bash prints the reject text, exits with 137', calls: [prints('Bash', REJECT_TEXT, 137)], truth: ['failed'] },
  {
    name: 'Bash prints the interrupt text, exits with 137',
    calls: [prints('Bash', INTERRUPT_TEXT, 137)],
    truth: ['failed'],
  },
  { name: 'Bash prints the interrupt text, exits with 0', calls: [prints('Bash', INTERRUPT_TEXT, 0)], truth: ['ran'] },
  { name: 'Bash prints nothing, exits with 137', calls: [prints('Bash', '', 137)], truth: ['failed'] },
  { name: 'Bash kills itself', calls: [{ tool: 'Bash', script: 'suicide' }], truth: ['failed'] },
  {
    name: 'Bash runs into its time limit, and on in the background',
    calls: [{ tool: 'Bash', script: 'timeout' }],
    truth: ['ran'],
  },
  { name: 'stdio ran', calls: [quick('stdio')], truth: ['ran'] },
  { name: 'stdio fails with the interrupt text', calls: [prints('stdio', INTERRUPT_TEXT, 1)], truth: ['failed'] },
  { name: 'stdio fails with the reject text', calls: [prints('stdio', REJECT_TEXT, 1)], truth: ['failed'] },
  {
    name: 'stdio fails with an abort text',
    calls: [prints('stdio', 'AbortError: The operation was aborted', 1)],
    truth: ['failed'],
  },
  { name: 'sdk ran', calls: [quick('sdk')], truth: ['ran'] },
  { name: 'sdk fails with the interrupt text', calls: [prints('sdk', INTERRUPT_TEXT, 1)], truth: ['failed'] },
  { name: 'no such tool', calls: [{ tool: 'none', script: 'quick' }], truth: ['failed'] },
  { name: 'input that the tool does not take', calls: [{ tool: 'Bash', script: 'invalid' }], truth: ['failed'] },
];

export const CASES = [...cut, ...stdin, ...second, ...notStarted, ...ended];
