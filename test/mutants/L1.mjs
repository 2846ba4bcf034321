// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source

/** One prompt, one turn: launch, first frames, end. */
export default [
  {
    name: 'prompt-waits-for-the-handshake',
    file: 'src/query/launch/policy.ts',
    find: "pipelinePrompt: host.front !== 'client' && initializeMustConfirm.length === 0,",
    replace: 'pipelinePrompt: false,',
    breaks: 'query() writes the prompt only when initialize was answered.',
  },
  {
    name: 'newest-frame-first',
    file: 'src/transport/frame-writer.ts',
    find: 'this.#queued += encodeFrame(frame);',
    replace: 'this.#queued = encodeFrame(frame) + this.#queued;',
    breaks: 'Frames of one tick are written in reverse: the prompt before initialize.',
  },
  {
    name: 'closes-stdin-before-the-result',
    file: 'src/control/stdin-lifetime.ts',
    find: "return this.#closeRule === 'stream' || this.#sawResult;",
    replace: 'return true;',
    breaks: 'The input of a string prompt ends with the prompt, before its result.',
  },
  {
    name: 'error-result-ends-badly-at-exit-0',
    file: 'src/query/stream-end.ts',
    find: 'if (end.exit === undefined || isClean(end.exit)) return undefined;',
    replace:
      'if (end.exit === undefined || (isClean(end.exit) && !this.#last?.is_error)) return undefined;',
    breaks: 'An error result makes the loop throw although the process ended well.',
  },
  {
    name: 'empty-setting-sources-left-out',
    file: 'src/query/launch/argv.ts',
    find: 'o.settingSources === undefined ?',
    replace: '!o.settingSources?.length ?',
    breaks: 'settingSources: [] sends no flag, so that the CLI loads all settings.',
  },
  {
    name: 'zero-thinking-tokens-as-a-budget',
    file: 'src/query/launch/argv.ts',
    find: 'return maxThinkingTokens === 0\n',
    replace: 'return maxThinkingTokens === -1\n',
    breaks: 'maxThinkingTokens: 0 is sent as a budget instead of switching thinking off.',
  },
  {
    name: 'lists-joined-by-spaces',
    file: 'src/query/launch/argv.ts',
    find: "[`--${name}=${values.join(',')}`]",
    replace: "[`--${name}=${values.join(' ')}`]",
    breaks: 'allowedTools, disallowedTools and betas are joined by spaces.',
  },
  {
    name: 'one-flag-for-all-directories',
    file: 'src/query/launch/argv.ts',
    find: '...(o.additionalDirectories ?? []).map((path) => `--add-dir=${path}`),',
    replace: "...flag('add-dir', o.additionalDirectories?.join(',')),",
    breaks: 'Several additional directories become one path.',
  },
  {
    name: 'append-system-prompt-lost',
    file: 'src/query/launch/initialize-payload.ts',
    find: 'appendSystemPrompt: prompt.appendSystemPrompt,',
    replace: '',
    breaks: 'The text appended to the preset prompt is not sent.',
  },
  {
    name: 'environment-mixed-with-the-hosts',
    file: 'src/query/launch/environment.ts',
    find: 'copyEnvironment(options.env ?? host.env)',
    replace: 'copyEnvironment({ ...host.env, ...options.env })',
    breaks: 'options.env is added to the environment of the host instead of replacing it.',
  },
  {
    name: 'node-options-inherited',
    file: 'src/query/launch/environment.ts',
    find: "  names.delete('NODE_OPTIONS');\n",
    replace: '',
    breaks: 'NODE_OPTIONS of the host reaches the CLI.',
  },
  {
    name: 'prompt-as-plain-text',
    file: 'src/query/prompt-pump.ts',
    find: "content: [{ type: 'text', text }]",
    replace: 'content: text',
    breaks: 'A string prompt is sent as a string instead of a list of blocks.',
  },
];
