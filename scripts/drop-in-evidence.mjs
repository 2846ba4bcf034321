/** Writes the page about the dependents from what the tests of `test/live/drop-in/matrix` noted. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HEAD = `# Published dependents, over three subjects

Written by \`node scripts/drop-in.mjs --all\` from the results of its tests; not by hand.

Each dependent is unchanged, installed from the registry, and driven as its users drive it, on the real CLI with a
scripted API on loopback. What its users see is compared between the official package, the packed claudewire in its
place by \`overrides\`, and the twin that \`claudewire drop-in\` writes. *same*: all of it is equal. An id stands for a
known difference, explained below the table.
`;

/**
 * @param {{ results: string, folder: string, page: string, subjects: string[] }} places the notes, the installed
 * projects, and the page
 */
export function writeEvidence({ results, folder, page, subjects }) {
  const notes = readdirSync(results)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(results, file), 'utf8')));
  const { official, ours } = versionsOf(join(folder, 'matrix', notes[0].project));
  const lines = [
    HEAD,
    `Run on ${new Date().toISOString().slice(0, 10)}: the official package ${official}, claudewire ${ours}.`,
    '',
    `| dependent | Node | stories | ${subjects.join(' | ')} |`,
    `| --- | --- | --- | ${subjects.map(() => '---').join(' | ')} |`,
    ...[...groupBy(notes, ({ packageName, way }) => `${packageName} ${way ?? ''}`).values()].map((group) =>
      rowOf(group, folder, subjects),
    ),
    '',
    '## What is compared',
    '',
    'In each story: every message, the arguments of every callback, costs, files, standard error, the exit code, the',
    'model calls, and processes left behind. Beside them:',
    '',
    ...unique(notes.map(({ packageName, way, compared }) => `- ${nameOf(packageName, way)}: ${compared}.`)),
    '',
    '## What is equal after normalisation',
    '',
    ...unique(notes.flatMap(({ normalisations }) => normalisations.map((reason) => `- ${reason}`))),
    '',
    '## Known differences',
    '',
    ...orNone(unique(notes.flatMap(({ known }) => known.map(({ id, reason }) => `- **${id}**: ${reason}`)))),
  ];
  writeFileSync(page, `${lines.join('\n')}\n`);
}

/** The twin has the version of the official package that we claim. */
function versionsOf(project) {
  const sdk = ['node_modules', '@anthropic-ai', 'claude-agent-sdk', 'package.json'];
  const versionIn = (subject) => JSON.parse(readFileSync(join(project, subject, ...sdk), 'utf8')).version;
  return { official: versionIn('twin'), ours: versionIn('claudewire') };
}

function rowOf(group, folder, subjects) {
  const [{ packageName, way, project, node }] = group;
  const manifest = join(folder, 'matrix', project, 'official', 'node_modules', packageName, 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const stories = group.map(({ story }) => story);
  const cells = subjects.map((subject) => cellOf(group, subject));
  return `| ${nameOf(packageName, way)} ${version} | ${node} | ${stories.join(', ')} | ${cells.join(' | ')} |`;
}

/** One word when all stories agree, else the stories that say something else. */
function cellOf(group, subject) {
  const byResult = groupBy(group, ({ found }) => found[subject] ?? 'not run');
  if (byResult.size === 1) return [...byResult.keys()][0];
  return [...byResult].map(([result, some]) => `${result} (${some.map(({ story }) => story).join(', ')})`).join('; ');
}

function nameOf(packageName, way) {
  return way === undefined ? `\`${packageName}\`` : `\`${packageName}\`, ${way}`;
}

function unique(lines) {
  return [...new Set(lines)];
}

function orNone(lines) {
  return lines.length === 0 ? ['None.'] : lines;
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
