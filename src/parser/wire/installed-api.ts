// biome-ignore-all lint/suspicious/noTsIgnore: an error is expected only where the package is not installed
import type { APIAssistantMessage, APIStreamEvent, APIUsage } from './api-message.js';
import type { APIUserMessage } from './api-user-message.js';

/**
 * What the Messages API sends, as programs see it: in the types of `@anthropic-ai/sdk` where that is installed, as in the
 * official package, and in our own otherwise. Types of our own cannot fit: a release requires fields that an older one
 * does not have, so no type is assignable both ways to both.
 */
// In tuples, since the compiler gives up on a condition over a type that could not be found.
type Installed<Theirs, Own> = [0] extends [1 & Theirs] ? Own : Theirs;

/** @ts-ignore `any` where the package is not installed. */
type BetaMessage = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaMessage;
/** @ts-ignore */
type BetaEvent = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaRawMessageStreamEvent;
/** @ts-ignore */
type BetaUsage = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaUsage;
/** @ts-ignore */
type MessageParam = import('@anthropic-ai/sdk/resources').MessageParam;

/** The `message` of an `assistant` frame. */
export type AssistantFrameMessage = Installed<BetaMessage, APIAssistantMessage>;
/** The `message` of a `user` frame. */
export type UserFrameMessage = Installed<MessageParam, APIUserMessage>;
/** The `event` of a `stream_event` frame. */
export type FrameStreamEvent = Installed<BetaEvent, APIStreamEvent>;

type FrameUsage = Installed<BetaUsage, APIUsage>;

/** Token counts of a turn, in a result: numbers throughout. Older releases leave later fields out. */
export type NonNullableUsage = {
  [Field in keyof FrameUsage]: Field extends 'fallback_credit' ? FrameUsage[Field] : NonNullable<FrameUsage[Field]>;
};
