import { isSure } from './choose.mjs';
import { NEWER } from './newer.mjs';

const ABOUT = `# Releases of Claude Code

What each release does with options that protect, with other options, and with control requests. Written by \`npm run releases\`
from \`packages/conformance/wire/releases.json\`. Each release was installed, started in a network namespace that has nothing
but loopback, and driven with frames written by hand, so the table shows the CLI and no SDK.

A span names the first and the last release that was run and gave that result. Where two spans do not follow one another
in the list of published releases, the change is somewhere between them.`;

const SECTIONS = [
  {
    title: 'What protects',
    text: 'The model calls a tool that leaves a trace. `runs`: the trace was there. `asked`: the callback was asked, and denied. Hooks and rules are tried in bypass mode, where nothing else would stop the call. The sandbox is tried with a write outside of the working directory and a connection to the loopback of the host. `cannot run`: the sandbox did not start the command.',
    fits: (group, { guards }) => guards.includes(group) || group.startsWith('evaluate-'),
  },
  {
    title: 'What only newer releases honour',
    text: 'Forms of rules, names of tools and answers of hooks that older releases take without an error and do not honour, beside others that every release honours. All but `verbatimPrompts` are tried in bypass mode. `runs`: the tool that a rule forbids ran, or a tool ran with its own input. `the other runs`: it ran with the input that the hook gave. `lost`: nothing changed. `closed`: the limit held. `open`: it did not.',
    fits: (group) => group in NEWER,
  },
  {
    title: 'Other options',
    text: '`honoured`: the request to the API, or a frame, showed the effect. `lost`: the CLI took the option and nothing changed.',
    fits: (group, { guards }) =>
      !['requests', 'flags', ...Object.keys(NEWER)].includes(group) &&
      !guards.includes(group) &&
      !group.startsWith('evaluate-'),
  },
  {
    title: 'Flags',
    text: 'What options become on the command line. An `unknown flag` ends the release at once.',
    fits: (group) => group === 'flags',
  },
  {
    title: 'Control requests',
    text: '`answered`: with success. `error`: the release knows the request and refused this one, which was about nothing. `unknown`: refused as unknown. `never`: no answer within six seconds.',
    fits: (group) => group === 'requests',
  },
];

/**
 * The page of the data.
 *
 * @param {{ published: { date: string, versions: string[] }, runs: Record<string, { words: Record<string, Record<string, string>> }> }} data
 * @param {readonly string[]} guards the groups of probes about what protects
 */
export function releasesPage({ published, runs }, guards) {
  const run = published.versions.filter((version) => runs[version] !== undefined);
  const sections = SECTIONS.flatMap(({ title, text, fits }) => {
    const spans = spansOf(run, runs, (group) => fits(group, { guards }));
    if (spans.size === 0) return [];
    const rows = [...spans].map(
      ([probe, list]) => `| ${probe.replace(/^(?:request|flag) /, '')} | ${list.map(spanText).join('; ')} |`,
    );
    return ['', `## ${title}`, '', text, '', '| probe | result |', '| --- | --- |', ...rows];
  });
  const list = [
    ...['', '## Releases that were run', ''],
    `${run.length} of ${published.versions.length} releases that npm listed on ${published.date}, not all of them with every probe: ${run.join(', ')}.`,
    ...['', 'All pages: [index](../README.md)', ''],
  ];
  return [ABOUT, ...sections, ...list].join('\n');
}

function spansOf(versions, runs, fits) {
  const spans = new Map();
  for (const version of versions) {
    for (const [group, words] of Object.entries(runs[version].words)) {
      if (!fits(group) || !isSure(words)) continue;
      for (const [probe, word] of Object.entries(words)) {
        const list = spans.get(probe) ?? [];
        spans.set(probe, list);
        const last = list.at(-1);
        if (last?.word === word) last.to = version;
        else list.push({ word, from: version, to: version });
      }
    }
  }
  return new Map([...spans].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function spanText({ word, from, to }) {
  return `${from === to ? from : `${from} to ${to}`}: ${word.replaceAll('|', '\\|')}`;
}
