// What a scenario may not ask of a port unless it is about just that. Each line was once demanded by scenarios about
// something else, and failed ports that work with the real CLI, or whose API does not show the thing.

/**
 * @typedef {object} OverFit
 * @property {string} place - of the step, as `placesOf()` names it
 * @property {RegExp} path - of the field in there
 * @property {(value: unknown) => boolean} [when] - @defaultValue any value but `"$absent"`
 * @property {readonly string[]} [unless] - features of a scenario that is about it; one is enough
 * @property {string} why
 */

const isText = (value) => typeof value === 'string' && !value.startsWith('$');

/** @type {readonly OverFit[]} */
const OVER_FIT = [
  // What the CLI (2.1.330, tried) takes otherwise too.
  {
    place: 'in user',
    path: /^parent_tool_use_id$/,
    when: (value) => value === null,
    why: 'the CLI takes a message without it',
  },
  {
    place: 'in user',
    path: /^message\.content$/,
    when: isText,
    unless: ['prompt:text'],
    why: 'the CLI takes a list of one text block too',
  },
  {
    place: 'in control_request',
    path: /^request$/,
    when: (value) => value?.subtype === 'initialize' && Object.keys(value).length === 1,
    unless: ['initialize', 'initialize:pipelined', 'initialize:awaited'],
    why: 'a host need not send `initialize` when nothing travels in it',
  },
  {
    place: 'in control_request',
    path: /^request\.agents$/,
    unless: ['agents:initialize'],
    why: 'the CLI takes --agents too',
  },
  { place: 'argv', path: /^--agents$/, unless: ['agents:flag'], why: 'agents may travel in `initialize`' },
  {
    place: 'in control_response',
    path: /\.protocolVersion$/,
    when: isText,
    unless: ['mcp:protocol-versions'],
    why: 'the CLI takes each version that MCP has',
  },
  // What only the SDK's name or API decides.
  {
    place: 'in control_response',
    path: /\.serverInfo\.(?:name|version)$/,
    when: isText,
    unless: ['mcp:server-version'],
    why: 'any name and version will do',
  },
  {
    place: 'in control_response',
    path: /\.annotations$/,
    unless: ['mcp:annotations'],
    why: 'not every SDK lets its user give hints',
  },
  { place: 'env', path: /^CLAUDE_AGENT_SDK_VERSION$/, unless: ['environment:version'], why: 'the CLI does without it' },
  {
    place: 'observe message',
    path: /^(?:uuid|session_id|message\.id)$/,
    unless: ['messages:ids'],
    why: 'not every SDK shows ids',
  },
  {
    place: 'observe message',
    path: /^(?:num_turns|duration_ms|duration_api_ms|total_cost_usd|usage|modelUsage|permission_denials|stop_reason|api_error_status)$/,
    unless: ['messages:figures'],
    why: 'not every SDK shows the figures of a result',
  },
  {
    place: 'observe callback',
    path: /^(?:input\.)?tool_use_id$/,
    unless: ['callback:tool-use-id'],
    why: 'not every SDK gives its callbacks the id of the tool call',
  },
  {
    place: 'observe callback',
    path: /^input\.(?:suggestions|blocked_path|decision_reason|display_name)$/,
    unless: ['callback:permission-context'],
    why: 'not every SDK gives its callback the context of a question',
  },
  {
    place: 'observe callback',
    path: /^input\.(?:next_year|session_id|transcript_path|permission_mode)$/,
    unless: ['callback:unknown-fields'],
    why: 'a hook may get the fields of its own event alone',
  },
  {
    place: 'observe error',
    path: /^error\.(?:kind|exit_code|signal)$/,
    unless: ['error:kinds'],
    why: 'not every SDK has classes of errors: let the text do',
  },
  {
    place: 'failure',
    path: /^(?:kind|exit_code|signal)$/,
    unless: ['error:kinds'],
    why: 'not every SDK has classes of errors: let the text do',
  },
  { place: 'observe error', path: /^error\.message$/, when: isText, why: 'an SDK may put words around it: $contains' },
  { place: 'failure', path: /^message$/, when: isText, why: 'an SDK may put words around it: $contains' },
];

/** What the lines of a scenario ask that is not fair, as `[line, what]`. The header comes first. */
export function unfairDemands([header, ...steps]) {
  const features = header.features ?? [];
  return steps.flatMap((step, index) =>
    placesOf(step).flatMap(([place, pattern]) =>
      fieldsOf(pattern).flatMap(([path, value]) =>
        OVER_FIT.filter((rule) => rule.place === place && rule.path.test(path))
          .filter(({ when = (found) => found !== '$absent' }) => when(value))
          .filter(({ unless = [] }) => !unless.some((feature) => features.includes(feature)))
          .map(({ why, unless }) => [
            index + 2,
            `${place} asks for ${path}: ${why}${unless === undefined ? '' : ` (a matter of the feature ${unless[0]})`}`,
          ]),
      ),
    ),
  );
}

/** The patterns of a step, by what they look at. */
function placesOf(step) {
  const { in: frame, inAny = [], steps = [], observe, count, failure, spawn } = step;
  const seen = observe ?? count;
  return [
    ...(frame === undefined ? [] : [[`in ${frame.type}`, frame]]),
    ...[...inAny, ...steps].flatMap(placesOf),
    ...(seen === undefined ? [] : [[`observe ${seen.what}`, seen.what === 'message' ? (seen.message ?? {}) : seen]]),
    ...(failure === undefined ? [] : [['failure', failure]]),
    ...(spawn === undefined
      ? []
      : [
          ['argv', spawn.argv ?? {}],
          ['env', spawn.env ?? {}],
        ]),
  ];
}

/** Every field of a pattern with its path. One of several ways (`$oneOf`) is no demand. */
function fieldsOf(pattern, under = '') {
  if (Array.isArray(pattern)) return pattern.flatMap((entry) => fieldsOf(entry, `${under}[]`));
  if (typeof pattern !== 'object' || pattern === null) return [];
  return Object.entries(pattern).flatMap(([key, value]) => {
    if (key.startsWith('$')) return [];
    const path = under === '' ? key : `${under}.${key}`;
    return [[path, value], ...fieldsOf(value, path)];
  });
}
