/** The entry point `claudewire/testing`: what users test their own programs with. */

export { LineSplitter } from '../util/lines.js';
export type { NotConverted } from './conversion/cli-lane.js';
export type { ConversionOptions } from './conversion/conversion-options.js';
// Scenarios, recordings, and the programs that play and record: what the conformance suite is made of.
export * from './conversion/convert-recording.js';
export { type Recording, type RecordingLine, readRecording } from './conversion/recording.js';
export { readFlags } from './conversion/spawn-expectation.js';
// Building frames.
export { createFrames, type Frames, type StepBuilders } from './frames/create-frames.js';
export type { ExchangeFrames, ExpectedAnswer } from './frames/exchanges.js';
export { faults } from './frames/faults.js';
export type { MessageFrames } from './frames/messages.js';
export { type OutcomeFrames, outcomeFrames, type ResultFrames } from './frames/results.js';
export type { SessionFacts } from './frames/session.js';
export type { StreamedFrames, StreamedMessage } from './frames/streamed.js';
export type { SubagentBuilder, SubagentDetails, SubagentFrames } from './frames/subagent.js';
// The real CLI, without a key and a network.
export type { LoggedRequest, MessagesApiEvent, MessagesRequest, RequestKind } from './messages-api/requests.js';
export { type CliMessagesApi, type MessagesApiOptions, messagesApi } from './messages-api/server.js';
export type * from './messages-api/turn.js';
export * from './player/launcher.js';
export { type MatchResult, Variables } from './player/patterns.js';
export { PlayerFolder } from './player/player-folder.js';
export { describeVerdict } from './player/verdict.js';
export { type RecordedCli, type RecordOnceOptions, recordOnce } from './record-once.js';
export { createRecorderLauncher, type RecorderLauncherOptions } from './recorder/launcher.js';
export { LineScrubber, type LineScrubberOptions, type LineToScrub } from './recorder/scrub/line-scrubber.js';
export { type ReplayTransport, replayTransport } from './replay-transport.js';
export { cliSections, driverSteps } from './scenario/lanes.js';
export { parseScenario, ScenarioError, scenarioOf } from './scenario/parse-scenario.js';
export type * from './scenario/scenario-types.js';
export { LEVELS } from './scenario/scenario-types.js';
export type { Script } from './script/compile-script.js';
export { ScriptError, type ScriptProblem } from './script/script-error.js';
export type { ExpectedPrompt, PromptExpectation, ScriptItem, SentFrame } from './script/script-item.js';
export type { ScriptedRun } from './scripted/play-host.js';
// What the application sent.
export {
  assertSent,
  type ExpectedSent,
  type Sent,
  SentError,
  type SentHookOutput,
  type SentPermissionAnswer,
  type SentToolResult,
} from './scripted/sent.js';
// Scripts in the CLI's place.
export { type ScriptedCli, type ScriptedCliOptions, scriptedCli } from './scripted-cli.js';
export { holdsSecret, replaceSecrets } from './secrets.js';
// Session stores.
export * from './session-store-contract.js';
export { type VirtualTime, virtualTime } from './virtual-time.js';
