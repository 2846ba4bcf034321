import type { Diagnostic, DiagnosticListener } from '../../diagnostics.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';

/** What a release does not do with answers of hooks. */
export interface HookAnswerChanges {
  /** Why the decision to ask is a denial. `undefined`: the CLI asks. */
  readonly askDenied?: string;
  /** Why the decision to defer is a denial. `undefined`: the CLI defers. */
  readonly deferDenied?: string;
  /** Why a new input without a decision is a denial. `undefined`: the CLI uses it. */
  readonly changeDenied?: string;
  /** The release, where only outputs of MCP tools are replaced, and by another field. */
  readonly mcpOutputOnly?: string;
  /** The release, where the model does not get the context that a `PreToolUse` hook gives. */
  readonly contextLost?: string;
}

/** Changes bodies of answers as a release needs them. It answers `undefined` for those that stay. */
export function hookAnswerAdapter(
  { askDenied, deferDenied, changeDenied, mcpOutputOnly, contextLost }: HookAnswerChanges,
  onDiagnostic: DiagnosticListener,
): (body: JsonObject) => JsonObject | undefined {
  const reported = new Set<string>();
  const report = (diagnostic: Diagnostic): void => {
    if (!reported.has(diagnostic.message)) onDiagnostic(diagnostic);
    reported.add(diagnostic.message);
  };
  return (body) => {
    const output = isJsonObject(body.response) ? body.response.hookSpecificOutput : undefined;
    if (!isJsonObject(output)) return undefined;
    const { permissionDecision: decision, updatedInput, updatedToolOutput, additionalContext } = output;
    if (contextLost !== undefined && isPreToolUse(output) && additionalContext !== undefined)
      report(contextNote(contextLost));
    const openDenied = decision === 'ask' ? askDenied : decision === 'defer' ? deferDenied : undefined;
    if (openDenied !== undefined) return withOutput(body, denied(output, openDenied));
    if (changeDenied !== undefined && isPreToolUse(output) && updatedInput !== undefined && decision === undefined)
      return withOutput(body, denied(output, changeDenied));
    if (mcpOutputOnly === undefined || updatedToolOutput === undefined) return undefined;
    report(outputNote(mcpOutputOnly));
    return withOutput(body, { updatedMCPToolOutput: updatedToolOutput, ...output });
  };
}

function isPreToolUse({ hookEventName }: JsonObject): boolean {
  return hookEventName === 'PreToolUse';
}

function denied(output: JsonObject, reason: string): JsonObject {
  const given = output.permissionDecisionReason;
  const reasons = typeof given === 'string' && given !== '' ? `${given} (${reason})` : reason;
  return { ...output, permissionDecision: 'deny', permissionDecisionReason: reasons };
}

function withOutput(body: JsonObject, hookSpecificOutput: JsonObject): JsonObject {
  return { ...body, response: { ...(body.response as JsonObject), hookSpecificOutput } };
}

function contextNote(release: string): Diagnostic {
  return {
    code: 'option_not_honoured',
    message: `Claude Code ${release} does not give the model the \`additionalContext\` of \`PreToolUse\` hooks.`,
    details: { option: 'additionalContext', release },
  };
}

function outputNote(release: string): Diagnostic {
  return {
    code: 'option_not_honoured',
    message: `Claude Code ${release} replaces outputs of MCP tools only. The model sees those of other tools as they are, whatever \`updatedToolOutput\` of a hook says.`,
    details: { option: 'updatedToolOutput', release },
  };
}
