import { defineEvent, defineSlice } from './keys.js';

/** By dotted path of a section. */
export interface VisibilityOverrides {
  readonly [path: string]: 'full' | 'summary';
}
/** The latest item decides, after the argument of `evaluate()` and before the section's own setting. */
export const VisibilityOverrides = defineSlice<VisibilityOverrides>('VisibilityOverrides');

export interface SetVisibilityOverride {
  readonly path: string;
  readonly visibility: 'full' | 'summary';
}
export const SetVisibilityOverride = defineEvent<SetVisibilityOverride>('SetVisibilityOverride');

export interface ClearVisibilityOverride {
  readonly path: string;
}
export const ClearVisibilityOverride = defineEvent<ClearVisibilityOverride>('ClearVisibilityOverride');

export type ClearAllVisibilityOverrides = Readonly<Record<string, never>>;
export const ClearAllVisibilityOverrides = defineEvent<ClearAllVisibilityOverrides>('ClearAllVisibilityOverrides');

/** Where the model's files are. */
export interface Workspace {
  /** Absolute. */
  readonly root: string;
}
export const Workspace = defineSlice<Workspace>('Workspace');

/** Tools that the session refuses, whatever the CLI would allow. Written by the caller. */
export interface ToolPermissions {
  /**
   * `Bash`, `mcp__server__tool`, or `mcp__server` for all tools of a server. A rule such as `Bash(rm:*)` blocks its
   * whole tool, and `*` blocks every tool.
   */
  readonly blocked: readonly string[];
}
export const ToolPermissions = defineSlice<ToolPermissions>('ToolPermissions');

export interface ModifiedFile {
  readonly path: string;
  /** Names of the tools that changed it, in order of their first change. */
  readonly tools: readonly string[];
  readonly count: number;
}
/** One item: the files that tools changed, in order of the first change. */
export interface ModifiedFiles {
  readonly files: readonly ModifiedFile[];
}
export const ModifiedFiles = defineSlice<ModifiedFiles>('ModifiedFiles');

/** A tool changed a file. */
export interface FileModified {
  readonly path: string;
  readonly tool: string;
}
export const FileModified = defineEvent<FileModified>('FileModified');

export interface PlanStep {
  readonly id?: string;
  readonly description: string;
  /** `pending`, `in_progress`, `completed`, or another word of the CLI. */
  readonly status: string;
  /** The description while the step is in progress. */
  readonly activeForm?: string;
}
/** One item: the model's plan. */
export interface Plan {
  readonly steps: readonly PlanStep[];
}
export const Plan = defineSlice<Plan>('Plan');

/** A step as the CLI sends it. */
export interface Todo {
  readonly id?: string;
  readonly content: string;
  readonly status: string;
  readonly activeForm?: string;
}
/** Replaces the whole plan. */
export interface PlanUpdated {
  readonly todos: readonly Todo[];
}
export const PlanUpdated = defineEvent<PlanUpdated>('PlanUpdated');

/** What an auxiliary hook said: a sub-agent that started or ended, a compaction, a notification. */
export interface Notification {
  /** Name of the hook event. */
  readonly source: string;
  readonly payload: unknown;
  readonly promptName: string;
  readonly adapter: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
export const Notification = defineSlice<Notification>('Notification');
