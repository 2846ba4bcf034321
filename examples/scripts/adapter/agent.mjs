export const recordings = ['hook-ask-accept-edits', 'can-use-tool-allow', 'can-use-tool-deny'];

export default ({ assistantText, hook, init, permission, prompt, result, toolResult, toolUse }) => [
  prompt(/build folder/),
  init(),
  toolUse('Bash', { command: 'ls' }),
  hook('PreToolUse', {}, { expect: { hookSpecificOutput: { permissionDecision: 'ask' } } }),
  permission(undefined, undefined, { expect: 'allow' }),
  toolResult('build\nsrc'),
  toolUse('Bash', { command: 'rm -r build' }),
  hook('PreToolUse', {}, { expect: { hookSpecificOutput: { permissionDecision: 'ask' } } }),
  permission(undefined, undefined, { expect: 'deny' }),
  toolResult('Only looking is allowed here.', { isError: true }),
  assistantText('I may only look here, so it is still there.'),
  result(),
];
