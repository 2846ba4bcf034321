import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|copying)/i;
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * The licence texts of every package whose code is in a bundle, as Markdown.
 *
 * @param {string} root - Directory the metafiles' paths start from.
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @throws Error a bundled package has no licence text.
 */
export function licensesOf(root, metafiles) {
  const folders = new Set(metafiles.flatMap(bundledFolders));
  const sections = [...folders].map((folder) => describePackage(root, folder)).sort();
  return `# Third-party licences\n\nCode of these packages is part of the files in \`dist/\`.\n\n${sections.join('\n')}`;
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
  const text = readFileSync(join(path, file), 'utf8').trim();
  return `## ${name} ${version} (${license})\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}
