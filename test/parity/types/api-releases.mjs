import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './compile.mjs';

const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
/** The oldest, a middle and the newest release of `@anthropic-ai/sdk` that the official package allows. */
const RELEASES = ['api-sdk-oldest', 'api-sdk-middle', '@anthropic-ai/sdk'];
/** The official types that are made of the API's. */
const NAMES = [
  'NonNullableUsage',
  'SDKAssistantMessage',
  'SDKMessage',
  'SDKPartialAssistantMessage',
  'SDKResultMessage',
  'SDKUserMessage',
  'SDKUserMessageReplay',
];
/** Ours, for programs without that package, which are those of the newest release. */
const OWN = { APIAssistantMessage: 'BetaMessage', APIStreamEvent: 'BetaRawMessageStreamEvent', APIUsage: 'BetaUsage' };

/** Our messages fit whichever release of the API's SDK a program has, both ways, and narrow as the official ones do. */
export function checkApiReleases(context) {
  const program = readFileSync(join(context.suite, 'programs', 'narrowing.ts'), 'utf8');
  for (const release of RELEASES) {
    const { version } = JSON.parse(readFileSync(join(context.suite, 'node_modules', release, 'package.json'), 'utf8'));
    const files = new Map([
      ['both-ways.ts', bothWays(release === RELEASES.at(-1))],
      ['narrowing.ts', program.replaceAll(OFFICIAL, 'claudewire')],
      ['narrowing-official.ts', program],
    ]);
    const { errors } = compile(context, 'api', files, { skipLibCheck: true, paths: pathsTo(release) });
    context.report(
      `with @anthropic-ai/sdk ${version}`,
      errors.length === 0 ? undefined : errors.map(({ file, line, text }) => `${file}:${line} ${text}`).join('\n'),
    );
  }
}

function bothWays(isNewest) {
  const lines = [
    `import type * as Official from '${OFFICIAL}';`,
    "import type * as Ours from 'claudewire';",
    "import type * as Api from '@anthropic-ai/sdk/resources/beta/messages/messages.mjs';",
    'export type Used = Api.BetaMessage;',
    ...NAMES.flatMap((name) => fit(name, `Official.${name}`, `Ours.${name}`)),
    ...Object.entries(isNewest ? OWN : {}).flatMap(([ours, theirs]) => fit(ours, `Api.${theirs}`, `Ours.${ours}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function fit(name, theirs, ours) {
  return [
    `export const in${name} = (value: ${theirs}): ${ours} => value;`,
    `export const out${name} = (value: ${ours}): ${theirs} => value;`,
  ];
}

/** Has every import of the package, those of both SDKs too, end in one release. */
function pathsTo(release) {
  const home = `../../${release}`;
  return { '@anthropic-ai/sdk/resources': [`${home}/resources/index.d.ts`], '@anthropic-ai/sdk/*': [`${home}/*`] };
}
