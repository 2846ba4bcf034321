import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|copying)/i;
/** Headings that say what the text is: the heading above it does too. */
const TITLE = /^\s*(\(?the mit license\)?( \(mit\))?|mit licen[cs]e)\s*$/i;
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * The licence texts of every package whose code is in a bundle, as Markdown. Packages with the same text share it,
 * below the copyright lines of each.
 *
 * @param {string} root - Directory the metafiles' paths start from.
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @throws Error a bundled package has no licence text.
 */
export function licensesOf(root, metafiles) {
  const folders = new Set(metafiles.flatMap(bundledFolders));
  const packages = [...folders].map((folder) => describePackage(root, folder));
  packages.sort((a, b) => (a.heading < b.heading ? -1 : 1));
  const groups = new Map();
  for (const each of packages) {
    const key = each.terms.toLowerCase().replace(/\W+/g, ' ');
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const sections = [...groups.values()].map(
    (group) =>
      `${group.map(({ heading, notices }) => `## ${heading}\n\n${notices.join('\n')}\n`).join('\n')}\n\`\`\`text\n${group[0].terms}\n\`\`\`\n`,
  );
  return `# Third-party licences\n\nCode of these packages is part of the files in \`dist/\`. A text holds for every package above it, up to the text before.\n\n${sections.join('\n')}`;
}

/** Folders of packages that put at least one byte into an output. */
function bundledFolders({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const folder = PACKAGE.exec(path)?.[1];
      return folder !== undefined && bytesInOutput > 0 ? [folder] : [];
    }),
  );
}

function describePackage(root, folder) {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = existsSync(path)
    ? readdirSync(path).find((entry) => LICENCE_FILE.test(entry))
    : undefined;
  if (file === undefined) throw new Error(`${name} is bundled, but has no licence text`);
  const lines = readFileSync(join(path, file), 'utf8').split(/\r?\n/);
  const isNotice = (line) => /^\s*(copyright (\(c\)|©|\d{4})|\(c\) \d{4})/i.test(line);
  return {
    heading: `${name} ${version} (${license})`,
    notices: lines.filter(isNotice).map((line) => line.trim()),
    terms: lines
      .filter((line) => !isNotice(line) && !TITLE.test(line))
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}
