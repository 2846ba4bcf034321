import type { CliStep } from '../scenario/scenario-types.js';

/**
 * One thing the scripted CLI does: a message to send (an object with `type`, as the builders make it, sent as it
 * is), a step of the scenario format, a prompt to wait for, or a list of these.
 */
export type ScriptItem = CliStep | ExpectedPrompt | SentFrame | readonly ScriptItem[];

/** A frame that goes out as it stands: nothing in it is a variable. */
export interface SentFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Waits for a user message. What is in it is judged when the scripted CLI is closed. */
export interface ExpectedPrompt {
  readonly prompt: PromptExpectation;
}

/** The text of the prompt (its text blocks, joined by newlines), a pattern for it, a test of it, or anything. */
export type PromptExpectation = string | RegExp | ((text: string) => boolean) | undefined;
