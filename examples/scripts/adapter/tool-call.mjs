/** Parts that the scripts of the stories share. */

/** A tool that runs: the model calls it, the hooks are asked and told. */
export function runs(
  frames,
  name,
  input,
  said,
  response = { stdout: said, stderr: '', interrupted: false, isImage: false },
) {
  return [
    frames.toolUse(name, input),
    frames.hook('PreToolUse'),
    frames.hook('PostToolUse', { tool_response: response }),
    frames.toolResult(said),
  ];
}

/** A call that our hook refuses. */
export function refused(frames, name, input) {
  return [
    frames.toolUse(name, input),
    frames.hook(
      'PreToolUse',
      {},
      { expect: { hookSpecificOutput: { permissionDecision: 'deny' } } },
    ),
    frames.toolResult('Refused by a hook.', { isError: true }),
  ];
}

/** The typed output, which ends the turn. */
export function gives(frames, output) {
  return [
    frames.toolUse('StructuredOutput', output),
    frames.hook('PreToolUse'),
    frames.hook(
      'PostToolUse',
      { tool_response: 'Structured output provided successfully' },
      { expect: { continue: false } },
    ),
    frames.toolResult('Structured output provided successfully'),
    frames.result(JSON.stringify(output), {
      structured_output: output,
      terminal_reason: 'hook_stopped',
      stop_reason: 'tool_use',
    }),
  ];
}
