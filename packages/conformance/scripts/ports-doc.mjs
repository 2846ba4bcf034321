/**
 * `docs/evidence/ports.md` from `ports/*.json`. A failed scenario is published only with a group that says what it is and
 * which question on the real CLI showed it; the others are listed as not judged.
 */
const PORTS = ['claude-agent-sdk-rs', 'claude-codes', 'cc-sdk', 'python-before', 'python'];
const LEVELS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8'];

/** @param {(name: string) => any} read a file of `ports/`, or nothing when it is not there */
export function portsPage(read) {
  const ports = PORTS.map((name) => read(`${name}.json`)).filter((port) => port !== undefined);
  const groups = read('groups.json') ?? {};
  const checks = read('checks.json')?.ports ?? {};
  const judged = ports.map((port) => judge(port, groups[port.port] ?? [], checks[port.port]));
  return `${[intro(), table(judged), ...judged.map((each) => section(each, checks[each.port.port]))].join('\n\n')}\n`;
}

/** Every failed scenario goes to the first group that fits it. */
export function judge(port, groups, checked) {
  const failed = Object.entries(port.scenarios).filter(
    ([, { status }]) => status === 'failed' || status === 'driver_error',
  );
  const sorted = groups.map((group) => ({ ...group, pattern: group.scenarios, scenarios: [] }));
  const unjudged = [];
  for (const [scenario, { cause = '' }] of failed) {
    const group = sorted.find((each) => fits(each, scenario, cause));
    if (group === undefined) unjudged.push([scenario, cause]);
    else group.scenarios.push(scenario);
  }
  for (const group of sorted) {
    const missing = (group.checks ?? []).filter((name) => checked?.seen?.[name] === undefined);
    const isPublished = group.notJudged === undefined;
    if (isPublished && (missing.length > 0 || !group.checks?.length)) {
      throw new Error(
        `${port.port}: the group "${group.what}" has no check on the real CLI${missing.length > 0 ? `: ${missing.join(', ')}` : ''}`,
      );
    }
  }
  return {
    port,
    groups: sorted.filter(({ scenarios, isSeenOnlyThere }) => isSeenOnlyThere || scenarios.length > 0),
    unjudged,
  };
}

function fits({ pattern = '', cause = '' }, name, text) {
  return new RegExp(pattern).test(name) && new RegExp(cause).test(text);
}

function intro() {
  return `# Ports that nobody here wrote

<!-- Written by packages/conformance/scripts/run-ports.mjs from packages/conformance/ports. Do not edit. -->

The [conformance suite](../conformance.md) over three Rust crates and two releases of the official Python SDK. The drivers
are ours, the SDKs are as published. A crate without a query of its own kind is driven through its client. This page is
about one release on one date, and says nothing about others.

A failure stands here only with what was seen on the real CLI, which talks to a scripted Messages API on loopback. How to
see it again: the command under each heading, with \`--check\` for the real CLI. Failures for which no such question was
asked, or whose input the real CLI does not write, are counted as not judged.`;
}

function table(judged) {
  const head = ['port', ...LEVELS, 'all', 'published failures', 'not judged'];
  const rows = judged.map(({ port, groups, unjudged }) => {
    const published = count(groups.filter(({ notJudged }) => notJudged === undefined));
    const open = count(groups.filter(({ notJudged }) => notJudged !== undefined)) + unjudged.length;
    const failed = new Set(groups.flatMap(({ notJudged, scenarios }) => (notJudged === undefined ? scenarios : [])));
    const cells = [...LEVELS, undefined].map((level) => share(port, failed, level));
    return [`[${port.sdk} ${port.version}](#${anchor(port)})`, ...cells, published, open];
  });
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return `Scenarios that passed, of those that passed or failed. What needs something that the SDK does not have, and what is not\njudged, is left out.\n\n${lines.join('\n')}`;
}

const count = (groups) => groups.reduce((sum, { scenarios }) => sum + scenarios.length, 0);

/** What is not judged counts for nobody. */
function share(port, failed, level) {
  const names = Object.keys(port.scenarios).filter(
    (name) => level === undefined || port.scenarios[name].level === level,
  );
  const passed = names.filter((name) => port.scenarios[name].status === 'passed').length;
  const all = passed + names.filter((name) => failed.has(name)).length;
  return all === 0 ? '-' : `${passed}/${all}`;
}

function heading({ sdk, version, language }) {
  return `${sdk} ${version} (${language})`;
}

function anchor(port) {
  return heading(port)
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function section({ port, groups, unjudged }, checked) {
  const published = groups.filter(({ notJudged }) => notJudged === undefined);
  const open = groups.filter(({ notJudged }) => notJudged !== undefined);
  const lines = [
    `## ${heading(port)}`,
    `${port.date}, CLI ${port.cli}: \`${port.command}\`${again(port)}${checked === undefined ? '' : `; real CLI ${checked.cli}, ${checked.date}: \`${checked.command}\``}`,
    ...published.map((group) => groupText(group, checked)),
  ];
  if (open.length > 0 || unjudged.length > 0) {
    lines.push('### Not judged');
    lines.push(open.map((group) => `- ${group.notJudged} (${named(group.scenarios)})`).join('\n'));
    if (unjudged.length > 0) lines.push(`No question was asked about: ${named(unjudged.map(([name]) => name))}.`);
  }
  return lines.filter((line) => line !== '').join('\n\n');
}

/** Scenarios that were played another time, on what they were later. */
function again({ playedAgain = {} }) {
  const names = Object.keys(playedAgain);
  return names.length === 0 ? '' : `, and again with \`--filter\`: ${named(names)}`;
}

function groupText({ what, where, checks, scenarios }, checked) {
  const facts = checks.map((name) => `- \`--checks ${name}\`: ${checked.seen[name].map(escaped).join('; ')}`);
  return [
    `### ${what}`,
    ...(where === undefined ? [] : [where]),
    facts.join('\n'),
    scenarios.length > 0
      ? `Scenarios: ${named(scenarios)}.`
      : 'No scenario fails for this: it was seen on the real CLI alone.',
  ].join('\n\n');
}

const escaped = (fact) => fact.replaceAll('<', '&lt;').replaceAll('|', '\\|').replaceAll('*', '\\*');

function named(scenarios) {
  return scenarios.map((name) => `\`${name}\``).join(', ');
}
