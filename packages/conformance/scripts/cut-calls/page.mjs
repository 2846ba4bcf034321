const ABOUT = `# Tool calls that are cut

What releases of the CLI write about a tool call that was cut while it ran, was denied, or never started, and what
\`toolCallOutcomes()\` makes of it. Written by \`npm run cut-calls\` from \`packages/conformance/wire/cut-calls.json\`: real
releases in a network namespace that has nothing but loopback, driven with frames written by hand against a scripted
Messages API. \`test/parser/tool-calls\` reads the same data.`;

const HEAD = `"Fields" are \`toolDenialKind\` of the transcript, with \`before run\` or \`after run\` where \`toolDenialBeforeRun\` or
\`toolDenialAfterRun\` is set. "Frame" is \`tool_result_meta[].non_execution_kind\`. "Text" is the begin of the result.
"Hooks" are those that were called with this call's id. The last three columns are the outcome by the transcript alone, by the
live frames alone, and by transcript and hooks. Where the two differ from what happened they say \`unknown\`, but for calls
that did not run: those may be \`denied\` or \`never_started\`. A sub-agent's own call has a row with \`inside\`.`;

/**
 * @param {{ releases: Record<string, string>, cases: Record<string, { truth: string[], records: object[] }> }} data
 * @param {Function} toolCallOutcomes of the built package
 */
export function cutCallsPage({ releases, cases }, toolCallOutcomes) {
  const dates = Object.entries(releases).map(([version, date]) => `| ${version} | ${date} |`);
  const sections = Object.entries(cases).flatMap(([name, { truth, records }]) => {
    const rows = records.flatMap((record) => rowsOf(record, truth, toolCallOutcomes));
    return ['', `### ${name}`, '', `What happened: ${truth.join(', ')}.`, '', ...TABLE, ...rows];
  });
  return `${[ABOUT, '', ...ROLLING, '', '| release | run |', '| --- | --- |', ...dates, '', '## Cases', '', HEAD, ...sections].join('\n')}\n`;
}

const ROLLING = [
  'What the queue makes of it: `ROLLING_JOBS=200 npm run test:live -- test/live/rolling-restarts.live.test.ts`, 2026-11-30,',
  'Claude Code 2.1.330, seed 35, tools of 4 s and a grace of 20 ms. After every few tools that started, a worker was ended by',
  'SIGTERM (50 times) or Redis was away for longer than its lease (17 times). Of 200 jobs 99 completed and 101 were unknown,',
  'with 198 tools started. No tool started twice, and each job that completed had started its tool.',
];

const TABLE = [
  '| releases | call | fields | frame | text | hooks | transcript | frames | with hooks |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

export const ALL_HOOKS = { hookEvents: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] };

function rowsOf({ releases, hooks, entries, frames, afterResume = [] }, truth, toolCallOutcomes) {
  const ids = [...truth.map((_, index) => `call-${index}`), 'inner-0'];
  const kinds = [
    toolCallOutcomes([...entries, ...afterResume]),
    toolCallOutcomes(frames),
    toolCallOutcomes([...entries, ...afterResume], { ...ALL_HOOKS, hooks }),
  ].map((outcomes) => (id) => outcomes.find((each) => each.id === id)?.kind ?? '');
  return ids.flatMap((id) => {
    const found = [entryOf(entries, id), entryOf(afterResume, id)].filter((each) => each !== undefined);
    const frame = entryOf(frames, id);
    if (kinds.every((kind) => kind(id) === '')) return [];
    const fields = found.map(({ line }) => fieldsText(line));
    const texts = found.map(({ block }) => (block.is_error ? block.content : "the tool's own"));
    const meta = frame?.line.tool_result_meta?.find((each) => each.id === id);
    const called = hooks
      .filter(({ tool_use_id }) => tool_use_id === id)
      .map(({ hook_event_name: name, is_interrupt }) => (is_interrupt ? `${name} (is_interrupt)` : name));
    const cells = [
      ...[
        releases.join(', '),
        id.replace(/^call-(\d)$/, (_, index) => String(Number(index) + 1)).replace('inner-0', 'inside'),
      ],
      ...[perResume(fields), meta?.non_execution_kind ?? '', perResume(texts), called.join(', ')],
      ...kinds.map((kind) => kind(id)),
    ];
    return [`| ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', '\\|')).join(' | ')} |`];
  });
}

function perResume(texts) {
  if (texts.length === 0) return 'no result';
  return [...new Set(texts)].filter((text) => text !== '').join(', then ');
}

function entryOf(lines, id) {
  for (const line of lines) {
    const block = line.message?.content.find((each) => each.type === 'tool_result' && each.tool_use_id === id);
    if (block !== undefined) return { line, block };
  }
  return undefined;
}

function fieldsText({ toolDenialKind, toolDenialBeforeRun, toolDenialAfterRun }) {
  if (toolDenialKind === undefined) return '';
  return [toolDenialKind, toolDenialBeforeRun ? 'before run' : '', toolDenialAfterRun ? 'after run' : '']
    .filter((word) => word !== '')
    .join(', ');
}
