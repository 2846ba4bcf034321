/** What `claudewire drop-in` writes: the files of a local package that has the official name and leads to claudewire. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const PLATFORMS = ['darwin-?', 'linux-?', 'linux-?-musl', 'win32-?'].flatMap((name) =>
  ['arm64', 'x64'].map((arch) => name.replace('?', arch)),
);

const README = `# ${OFFICIAL}, made by claudewire

This is not Anthropic's package. \`claudewire drop-in\` made it on this machine. It has the official name, version and
entry files, so that programs, tracers and peer ranges recognise it. Every file leads to the claudewire of the project.

It holds no code and no binary of Anthropic's. Do not publish it. Do not edit it: run \`claudewire drop-in\` again.
`;

/** @returns {Record<string, string>} texts by file name. The same on every machine, as lock files hash them. */
export function twinFiles() {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const own = JSON.parse(read('package.json'));
  const files = { 'README.md': README };
  const exports = {};
  for (const [entry, targets] of Object.entries(own.exports)) {
    // Without what the official package has not, and without `default` of types alone, which it has not either.
    const atRoot = Object.entries(targets).filter(([, file]) => /^\.\/[\w-]+\.(?:d\.ts|m?js)$/.test(file));
    if (atRoot.length > 0) exports[entry] = Object.fromEntries(atRoot);
    for (const [, file] of atRoot) {
      const specifier = `'${own.name}${entry.slice(1).replace('.js', '')}'`;
      files[file.slice(2)] = read(file).replace(/'\.\/dist\/[^']+'/g, specifier);
    }
  }
  for (const file of ['agentSdkTypes.d.ts', 'manifest.json', 'LICENSE']) files[file] = read(file);
  const version = own.claudeAgentSdkVersion;
  const manifest = {
    name: OFFICIAL,
    version,
    description: 'Leads to claudewire. Made by `claudewire drop-in`, not by Anthropic.',
    private: true,
    scripts: { prepublishOnly: 'echo "Made by claudewire drop-in for this project: never publish it." >&2 && exit 1' },
    license: own.license,
    type: own.type,
    main: own.main,
    types: own.types,
    exports,
    files: Object.keys(files),
    engines: own.engines,
    // The claudewire of the project: as a dependency it would need a path or a registry. The others as the official
    // package has them: programs that use what it brings along still find it.
    peerDependencies: {
      [own.name]: `>=${own.version}`,
      '@anthropic-ai/sdk': '>=0.93.0',
      '@modelcontextprotocol/sdk': '^1.29.0',
      zod: '^4.0.0',
    },
    optionalDependencies: Object.fromEntries(PLATFORMS.map((name) => [`${OFFICIAL}-${name}`, version])),
    claudeCodeVersion: own.claudeCodeVersion,
  };
  return { ...files, 'package.json': `${JSON.stringify(manifest, null, 2)}\n` };
}
