import { byId, el } from './dom.js';
import { formatBytes, formatCount, formatDuration } from './format.js';
import type { Store } from './store.js';
import { visibleLine } from './visible.js';

const KINDS = {
  recording: 'recording',
  transcript: 'transcript',
  'session-log': 'session log',
  'play-log': 'log of a play',
  scenario: 'scenario',
  'conformance-report': 'conformance run',
  verdict: 'verdict',
  lines: 'lines of no known format',
  empty: 'empty',
} as const;

/** What the source is, and how it went. */
export function showHead(store: Store): void {
  const { source, durationMs, faults, exchanges, notes } = store.data;
  byId('name').textContent = visibleLine(source.name);
  const about = source.about === undefined ? '' : `: ${visibleLine(source.about)}`;
  byId('about').textContent = `${KINDS[source.kind]}${about}`;
  byId('about').title = byId('about').textContent;
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  const unanswered = exchanges.filter(({ state }) => state === 'unanswered').length;
  const facts: readonly (readonly [string, string, string?])[] = [
    ...(source.cliVersion === undefined
      ? []
      : ([['CLI', visibleLine(source.cliVersion).replace(/ \(.*\)$/, '')]] as const)),
    ['took', formatDuration(durationMs)],
    ['frames', formatCount(store.frames.length)],
    ['size', formatBytes(source.bytes)],
    ['requests', formatCount(exchanges.length)],
    ['unanswered', formatCount(unanswered), unanswered > 0 ? 'error' : ''],
    ['errors', formatCount(errors), errors > 0 ? 'error' : ''],
    ['warnings', formatCount(faults.length - errors), faults.length > errors ? 'warning' : ''],
  ];
  byId('facts').replaceChildren(
    ...facts.map(([name, value, grade = '']) =>
      el('div', {}, el('dt', { text: name }), el('dd', { text: value, class: grade })),
    ),
  );
  byId('notes').hidden = notes.length === 0;
  byId('notes').textContent = notes.join(' ');
}
