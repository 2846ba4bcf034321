import { remove, removeProperty, replace, setProperty } from './changes.mjs';

/** One prompt, one turn: launch, first frames, end. */
export default [
  {
    name: 'prompt-waits-for-the-handshake',
    symbol: 'planPolicy',
    change: setProperty('pipelinePrompt', 'false'),
    breaks: 'query() writes the prompt only when initialize was answered.',
  },
  {
    name: 'newest-frame-first',
    symbol: 'FrameWriter.send',
    change: replace('this.#queued += $frame', 'this.#queued = $frame + this.#queued'),
    breaks: 'Frames of one tick are written in reverse: the prompt before initialize.',
  },
  {
    name: 'closes-stdin-before-the-result',
    symbol: 'StdinLifetime.#mayClose',
    change: replace("this.#closeRule === 'stream' || this.#sawResult", 'true'),
    breaks: 'The input of a string prompt ends with the prompt, before its result.',
  },
  {
    name: 'error-result-ends-badly-at-exit-0',
    symbol: 'SessionRecord.toError',
    change: replace('isClean(end.exit)', '(isClean(end.exit) && !this.#lastResult?.is_error)'),
    breaks: 'An error result makes the loop throw although the process ended well.',
  },
  {
    name: 'empty-setting-sources-left-out',
    symbol: 'buildArgv',
    change: replace('o.settingSources === undefined', '!o.settingSources?.length'),
    breaks: 'settingSources: [] sends no flag, so that the CLI loads all settings.',
  },
  {
    name: 'zero-thinking-tokens-left-out',
    symbol: 'thinkingFlags',
    change: replace(
      "maxThinkingTokens === 0 ? ['--thinking=disabled'] : flag('max-thinking-tokens', maxThinkingTokens)",
      "maxThinkingTokens === 0 ? [] : flag('max-thinking-tokens', maxThinkingTokens)",
    ),
    breaks: 'maxThinkingTokens: 0 sends no flag, so that thinking stays as it was.',
  },
  {
    name: 'lists-joined-by-spaces',
    symbol: 'listFlag',
    change: replace("','", "' '"),
    breaks: 'allowedTools, disallowedTools and betas are joined by spaces.',
  },
  {
    name: 'one-flag-for-all-directories',
    symbol: 'buildArgv',
    change: replace(
      '(o.additionalDirectories ?? []).map($toFlag)',
      "flag('add-dir', o.additionalDirectories?.join(','))",
    ),
    breaks: 'Several additional directories become one path.',
  },
  {
    name: 'append-system-prompt-lost',
    symbol: 'buildInitializePayload',
    change: removeProperty('appendSystemPrompt'),
    breaks: 'The text appended to the preset prompt is not sent.',
  },
  {
    name: 'environment-mixed-with-the-hosts',
    symbol: 'buildEnvironment',
    change: replace('options.env ?? host.env', '{ ...host.env, ...options.env }'),
    breaks: 'options.env is added to the environment of the host instead of replacing it.',
  },
  {
    name: 'node-options-inherited',
    symbol: 'buildEnvironment',
    change: remove("$names.delete('NODE_OPTIONS')"),
    breaks: 'NODE_OPTIONS of the host reaches the CLI.',
  },
  {
    name: 'prompt-as-plain-text',
    symbol: 'userFrame',
    change: setProperty('content', 'text'),
    breaks: 'A string prompt is sent as a string instead of a list of blocks.',
  },
];
