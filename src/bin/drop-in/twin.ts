import { join } from 'node:path';
import { OFFICIAL_VERSION } from '../../version.js';
import { readJson, readText } from '../files.js';

export const OFFICIAL_NAME = '@anthropic-ai/claude-agent-sdk';

const README = `# ${OFFICIAL_NAME}, made by claudewire

This is not Anthropic's package. \`claudewire drop-in\` made it on this machine. It has the official name, version and
entry files, and every one of them leads to claudewire, which is in \`dependencies\`. Programs, tracers and peer ranges
that look for the official package find it.

It holds no code and no binary of Anthropic's. Do not publish it, and do not edit it: run \`claudewire drop-in\` again.
`;

const PLATFORMS = ['darwin', 'linux', 'win32'].flatMap((system) =>
  ['arm64', 'x64'].flatMap((arch) =>
    system === 'linux' ? [`linux-${arch}`, `linux-${arch}-musl`] : [`${system}-${arch}`],
  ),
);

interface Manifest {
  readonly name: string;
  readonly license: string;
  readonly engines: object;
  readonly claudeCodeVersion: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/**
 * The files of the twin, by name: the entry files of this package, which lead to it by its name instead of into `dist`.
 * @param root - This package.
 * @param spec - How package managers find it.
 */
export function twinFiles(root: string, spec: string): ReadonlyMap<string, string> {
  // The cast is true of our own package.json.
  const own = readJson('out', join(root, 'package.json')) as Manifest;
  const read = (file: string): string => readText('out', join(root, file));
  const files = new Map([['README.md', README]]);
  const exports: Record<string, Record<string, string>> = {};
  for (const [entry, targets] of Object.entries(own.exports)) {
    if (typeof targets === 'string' || targets.types.startsWith('./dist/')) continue;
    const atRoot = Object.entries(targets).filter(([, target]) => !target.startsWith('./dist/'));
    exports[entry] = Object.fromEntries(atRoot);
    for (const [, target] of atRoot) {
      const file = target.slice(2);
      if (!files.has(file)) files.set(file, read(file).replace(/'\.\/dist\/[^']+'/g, `'${own.name}${entry.slice(1)}'`));
    }
  }
  for (const file of ['agentSdkTypes.d.ts', 'manifest.json', 'LICENSE']) files.set(file, read(file));
  const manifest = {
    name: OFFICIAL_NAME,
    version: OFFICIAL_VERSION,
    description: `Leads to ${own.name}. Made by \`claudewire drop-in\`, not by Anthropic.`,
    private: true,
    scripts: {
      prepublishOnly: `echo "${OFFICIAL_NAME} made by claudewire drop-in must not be published" >&2 && exit 1`,
    },
    license: own.license,
    type: 'module',
    main: 'sdk.mjs',
    types: 'sdk.d.ts',
    exports,
    files: [...files.keys()],
    engines: own.engines,
    dependencies: { [own.name]: spec },
    // Both as the official package has them: programs that live on what it brings along still find it.
    peerDependencies: { '@anthropic-ai/sdk': '>=0.93.0', '@modelcontextprotocol/sdk': '^1.29.0', zod: '^4.0.0' },
    optionalDependencies: Object.fromEntries(PLATFORMS.map((name) => [`${OFFICIAL_NAME}-${name}`, OFFICIAL_VERSION])),
    claudeCodeVersion: own.claudeCodeVersion,
  };
  return files.set('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}
