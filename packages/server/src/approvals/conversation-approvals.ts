import { randomUUID } from 'node:crypto';
import {
  type HookInput,
  type HookJSONOutput,
  type PermissionResult,
  type SDKMessage,
  type ToolCallOutcomeKind,
  ToolCallReader,
} from 'claudewire';
import { HostError } from '../errors.js';
import type { ApprovalState, ConversationEvent } from '../events/conversation-event.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { Approval, Decision } from './approval.js';
import type { ApprovalStore } from './approval-store.js';
import { digestOf } from './digest.js';

/** What an approval is asked for. */
export interface ToolCall {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
}

export interface ApprovalRules {
  readonly store: ApprovalStore;
  readonly expiresMs: number;
  readonly needsApproval: (call: ToolCall, key: ConversationKey) => boolean | Promise<boolean>;
}

type PreToolUse = HookInput & { hook_event_name: 'PreToolUse' };

/** The one call that this turn may go on with. */
interface Grant {
  readonly approval: Approval;
  readonly decision: Decision;
  readonly finalDigest: string;
  /** Calls of the same message that Claude Code did not keep, for the model. */
  readonly lost: string | undefined;
  /** Claude Code has asked about it. */
  isUsed: boolean;
  /** What the messages say became of it. */
  readonly calls: ToolCallReader;
}

/**
 * The approvals of one conversation. Answers the PreToolUse hook: what needs an approval is deferred, a call that was
 * deferred before is denied, but for the one that was decided, with exactly the input that was seen.
 */
export class ConversationApprovals {
  readonly #rules: ApprovalRules;
  readonly #key: ConversationKey;
  readonly #report: (event: ConversationEvent) => void;
  /** Deferred in this turn. */
  #deferred: Approval[] = [];
  /** Ids of calls of earlier turns, none of which goes on in this turn. */
  #oldCalls = new Set<string>();
  /** Claude Code has asked about one of them. The model says something about that before it sees the message. */
  #isSettling = false;
  /** Of the newest call. Calls of one message may come in one millisecond, and their order counts. */
  #lastCreatedAt = 0;
  #grant: Grant | undefined;

  constructor(rules: ApprovalRules, key: ConversationKey, report: (event: ConversationEvent) => void) {
    this.#rules = rules;
    this.#key = key;
    this.#report = report;
  }

  /**
   * What the hook answers. Never rejects: a failure denies.
   * @param mayAnswer - Whether this host still has the lease. Asked last, since another one may have taken it meanwhile.
   */
  async hook(input: HookInput, mayAnswer: () => Promise<boolean>): Promise<HookJSONOutput> {
    if (input.hook_event_name !== 'PreToolUse') return {};
    try {
      const made: Approval[] = [];
      const output = await this.#answer(input, made);
      if (await mayAnswer()) return output;
      // Nobody is told of it, and the next turn would find it open.
      for (const { approvalId } of made) {
        await this.#rules.store.change(this.#key, approvalId, 'open', { state: 'withdrawn' });
      }
      return denial('This host does not hold the conversation any more.');
    } catch {
      return denial('The approval of this call could not be looked up or stored.');
    }
  }

  /** Whether Claude Code asks about the call that was decided. `undefined`: it does not. */
  permission(toolUseId: string, input: Record<string, unknown>): PermissionResult | undefined {
    const grant = this.#grant;
    if (grant?.approval.toolUseId !== toolUseId) return undefined;
    const isAllowed = grant.isUsed && grant.decision.behavior === 'allow' && digestOf(input) === grant.finalDigest;
    return isAllowed ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: ALTERED };
  }

  onMessage(message: SDKMessage): void {
    this.#grant?.calls.add(message);
    if (message.type === 'result') this.#isSettling = false;
  }

  /** Whether a message has the result of a call of an earlier turn, which nobody waits for any more. */
  isEndOfOldCall(message: SDKMessage): boolean {
    const content = message.type === 'user' ? message.message.content : undefined;
    if (this.#oldCalls.size === 0 || !Array.isArray(content)) return false;
    return content.some((block) => block.type === 'tool_result' && this.#oldCalls.has(block.tool_use_id));
  }

  /** A call was decided, and Claude Code has not asked about it yet. */
  get isGranting(): boolean {
    return this.#grant?.isUsed === false;
  }

  /** Takes the decision, once. With the lease, and before a process is started. @throws HostError `conflict`. */
  async consume(approval: Approval, decision: Decision): Promise<void> {
    await this.endLost();
    const isAllowed = decision.behavior === 'allow';
    const finalDigest = digestOf((isAllowed ? decision.updatedInput : undefined) ?? approval.input);
    const changes = { state: 'consumed', decision, finalDigest } as const;
    if (!(await this.#rules.store.change(this.#key, approval.approvalId, 'open', changes))) {
      throw new HostError(
        'conflict',
        'This approval is not open any more: it was decided, or the conversation went on.',
      );
    }
    const lost = lostBeside(approval, await this.#rules.store.list(this.#key));
    this.#grant = { approval, decision, finalDigest, lost, isUsed: false, calls: new ToolCallReader() };
  }

  /**
   * The turn that goes on with a call never began, so the call did not run. The decision is spent, and the call waits
   * again, under a new id.
   */
  async abandoned(): Promise<void> {
    const grant = this.#grant;
    this.forget();
    if (grant === undefined) return;
    const isUntouched = !grant.isUsed && resultOf(grant) === undefined;
    await this.#close(grant.approval, 'consumed', outcomeOf(grant));
    if (!isUntouched) return;
    const again: Approval = { ...grant.approval, approvalId: randomUUID(), createdAt: this.#now() };
    await this.#rules.store.create(again);
    this.#report({ type: 'approval', ...shown(again) });
  }

  /** Whether a call with another input than the one that was asked about may go on without an approval. */
  async allows(call: ToolCall): Promise<boolean> {
    return (await this.#rules.needsApproval(call, this.#key)) === false;
  }

  /** The turn is over: what became of the calls in it. Before `turn_ended`. @param last - The result, if it came. */
  async turnEnded(last: SDKMessage | undefined): Promise<void> {
    const deferred = this.#deferred;
    const grant = this.#grant;
    this.forget();
    if (grant !== undefined) await this.#close(grant.approval, 'consumed', outcomeOf(grant));
    // Of several calls in one message Claude Code remembers the last.
    const kept = last?.type === 'result' && last.subtype === 'success' ? last.deferred_tool_use?.id : undefined;
    for (const approval of deferred) {
      if (approval.toolUseId !== kept) await this.#close(approval, 'open', 'lost', callOf(approval));
      else this.#report({ type: 'approval', ...shown(approval) });
    }
  }

  /** What nobody decided is over when the conversation goes on. With the lease. */
  async withdrawOpen(): Promise<void> {
    await this.endLost();
    const now = Date.now();
    const all = await this.#rules.store.list(this.#key);
    this.#oldCalls = new Set(all.map(({ toolUseId }) => toolUseId));
    for (const approval of all) {
      if (approval.state !== 'open') continue;
      await this.#close(approval, 'open', approval.expiresAt <= now ? 'expired' : 'withdrawn');
    }
  }

  /** Whether a call waits for a decision that can still be made. */
  async isWaiting(): Promise<boolean> {
    const now = Date.now();
    return (await this.#rules.store.list(this.#key)).some(
      ({ state, expiresAt }) => state === 'open' && expiresAt > now,
    );
  }

  /** Whether a host was, or is, going on with a call. */
  async hasConsumed(): Promise<boolean> {
    return (await this.#rules.store.list(this.#key)).some(({ state }) => state === 'consumed');
  }

  /**
   * Says of calls that are over, and whose host died before it said so, what became of them. With the lease.
   * @param told - Those that viewers take for open.
   */
  async sayClosed(told: readonly string[]): Promise<void> {
    if (told.length === 0) return;
    for (const { approvalId, toolUseId, state } of await this.#rules.store.list(this.#key)) {
      if (state === 'open' || state === 'consumed' || !told.includes(approvalId)) continue;
      this.#report({ type: 'approval_closed', approvalId, toolUseId, state });
    }
  }

  /** Says of calls whose host died that nobody knows whether they ran. With the lease, and without a turn. */
  async endLost(): Promise<void> {
    for (const approval of await this.#rules.store.list(this.#key)) {
      if (approval.state === 'consumed') await this.#close(approval, 'consumed', 'outcome_unknown');
    }
  }

  /** Another host has the conversation, and says what became of it. */
  forget(): void {
    this.#deferred = [];
    this.#grant = undefined;
    this.#oldCalls.clear();
    this.#isSettling = false;
  }

  /** @param made - Gets the approval that is made for the call. */
  async #answer(
    { tool_name: toolName, tool_input, tool_use_id: toolUseId, agent_id }: PreToolUse,
    made: Approval[],
  ): Promise<HookJSONOutput> {
    const { store, needsApproval, expiresMs } = this.#rules;
    const input = isRecord(tool_input) ? tool_input : {};
    const inputDigest = digestOf(tool_input);
    const grant = this.#grant;
    if (grant?.approval.toolUseId === toolUseId) {
      const { approval, decision } = grant;
      if (grant.isUsed || approval.toolName !== toolName || approval.inputDigest !== inputDigest)
        return denial(ALTERED);
      grant.isUsed = true;
      if (decision.behavior === 'deny') return denial(decision.message ?? 'The user did not allow this.', grant.lost);
      return allowance(decision.updatedInput, grant.lost);
    }
    const known = await store.list(this.#key);
    if (known.some((approval) => approval.toolUseId === toolUseId)) {
      this.#isSettling = this.#oldCalls.has(toolUseId);
      return denial('This call is not approved.');
    }
    // Whatever else a function of plain JavaScript returns keeps the tool waiting.
    if ((await needsApproval({ toolName, input }, this.#key)) === false) return {};
    // What is deferred now would end the process, and the message that waits in it would be lost.
    if (this.#isSettling) return denial('The user has sent a message. Make this call after it, if it is still needed.');
    if (agent_id !== undefined) return denial('A subagent cannot wait for an approval.');
    const createdAt = this.#now();
    const approval: Approval = {
      ...{
        tenant: this.#key.tenant,
        id: this.#key.id,
        approvalId: randomUUID(),
        toolName,
        toolUseId,
        input,
        inputDigest,
      },
      ...{ createdAt, expiresAt: createdAt + expiresMs, state: 'open' },
    };
    await store.create(approval);
    made.push(approval);
    this.#deferred.push(approval);
    return {
      hookSpecificOutput: {
        ...{ hookEventName: 'PreToolUse', permissionDecision: 'defer' },
        permissionDecisionReason: 'Somebody must approve this call.',
      },
    };
  }

  /** @param call - Of one that was not announced as an approval. */
  async #close(approval: Approval, from: ApprovalState, state: ApprovalState, call?: ToolCall): Promise<void> {
    const { approvalId } = approval;
    if (await this.#rules.store.change(this.#key, approvalId, from, { state })) {
      this.#report({ type: 'approval_closed', approvalId, toolUseId: approval.toolUseId, state, ...call });
    }
  }

  #now(): number {
    this.#lastCreatedAt = Math.max(Date.now(), this.#lastCreatedAt + 1);
    return this.#lastCreatedAt;
  }
}

const ALTERED = 'This call is not the one that was approved.';
const MAX_INPUT = 2_000;

/** The calls just before, of the same message: Claude Code has forgotten them, and so has the model. */
function lostBeside(approval: Approval, known: readonly Approval[]): string | undefined {
  // Without earlier tries of this call.
  const others = known.filter(({ approvalId, toolUseId }) => {
    return approvalId === approval.approvalId || toolUseId !== approval.toolUseId;
  });
  const before = others.slice(
    0,
    others.findIndex(({ approvalId }) => approvalId === approval.approvalId),
  );
  const isLost = ({ state, decision }: Approval): boolean => state === 'lost' && decision === undefined;
  const lost = before.slice(before.findLastIndex((each) => !isLost(each)) + 1);
  if (lost.length === 0) return undefined;
  const lines = lost.map(({ toolName, input }) => `- ${toolName} ${shortened(JSON.stringify(input))}`);
  return `These calls were made in the same message. Nobody was asked about them, and they did not run:\n${lines.join('\n')}\nMake each of them again if it is still needed, one in a message.`;
}

function shortened(text: string): string {
  return text.length > MAX_INPUT ? `${text.slice(0, MAX_INPUT)}… (${text.length} characters)` : text;
}

function outcomeOf(grant: Grant): ApprovalState {
  const kind = resultOf(grant);
  // Without a question nothing may run. If something did, it was not what was approved.
  if (!grant.isUsed) return kind === undefined ? 'lost' : 'outcome_unknown';
  if (grant.decision.behavior === 'deny') return 'denied';
  if (kind === 'ran') return 'done';
  // A rule, or another hook, may refuse what was approved. A call that was cut may have run.
  return kind === 'failed' || kind === 'denied' ? kind : 'outcome_unknown';
}

/** `undefined`: there is no result. */
function resultOf({ approval, calls }: Grant): ToolCallOutcomeKind | undefined {
  const outcome = calls.outcomeOf(approval.toolUseId);
  return outcome?.result === 'none' ? undefined : outcome?.kind;
}

function shown({ approvalId, toolName, toolUseId, input, expiresAt }: Approval) {
  return { approvalId, toolName, toolUseId, input, expiresAt };
}

function callOf({ toolName, input }: Approval): ToolCall {
  return { toolName, input };
}

/** What the hook answers to keep a call from running. @param additionalContext - For the model. */
export function denial(permissionDecisionReason: string, additionalContext?: string): HookJSONOutput {
  return {
    hookSpecificOutput: {
      ...{ hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
      ...(additionalContext === undefined ? {} : { additionalContext }),
    },
  };
}

function allowance(updatedInput: Record<string, unknown> | undefined, additionalContext?: string): HookJSONOutput {
  return {
    hookSpecificOutput: {
      ...{ hookEventName: 'PreToolUse', permissionDecision: 'allow' },
      ...(updatedInput === undefined ? {} : { updatedInput }),
      ...(additionalContext === undefined ? {} : { additionalContext }),
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
