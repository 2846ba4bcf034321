import type { SDKMessage } from '../../index.js';
import { RunningTotals } from './running-totals.js';

type UUID = Extract<SDKMessage, { type: 'result' }>['uuid'];

/** What all frames of one session have in common. */
export interface SessionFacts {
  /** @defaultValue '5e551000-0000-4000-8000-000000000001' */
  readonly sessionId?: string;
  /** @defaultValue 'claude-opus-5-5' */
  readonly model?: string;
  /** @defaultValue '/project' */
  readonly cwd?: string;
  /** @defaultValue '2.1.330' */
  readonly cliVersion?: string;
}

/** The facts of one session, and its counters: the same calls give the same ids, so that snapshots hold. */
export class FrameSession {
  readonly sessionId: string;
  readonly model: string;
  readonly cwd: string;
  readonly cliVersion: string;
  /** The call that results, permission requests and hooks belong to unless they say otherwise. */
  lastToolUse: { readonly id: string; readonly name: string; readonly input: unknown } | undefined;
  /** The text that a result repeats unless it says otherwise. */
  lastText = '';
  /** An answer whose stream events are made and whose message is not. */
  lastStreamed: { readonly id: string; readonly text: string } | undefined;
  lastRequestId: string | undefined;
  readonly totals = new RunningTotals();
  readonly #counts = new Map<string, number>();

  constructor(facts: SessionFacts = {}) {
    this.sessionId = facts.sessionId ?? '5e551000-0000-4000-8000-000000000001';
    this.model = facts.model ?? 'claude-opus-5-5';
    this.cwd = facts.cwd ?? '/project';
    this.cliVersion = facts.cliVersion ?? '2.1.330';
  }

  /** `msg_1`, `msg_2` and so on, counted for each prefix. */
  id(prefix: string): string {
    return `${prefix}${this.#next(prefix)}`;
  }

  uuid(): UUID {
    const digits = this.#next('uuid').toString(16).padStart(12, '0');
    return `00000000-0000-4000-8000-${digits}`;
  }

  /** What every frame carries. */
  ids(): { session_id: string; uuid: UUID } {
    return { session_id: this.sessionId, uuid: this.uuid() };
  }

  #next(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }
}
