import { isJsonObject } from '../util/json.js';
import type { Area } from './compare-programs.js';
import { differencesOf } from './differences.js';
import type { ObservedProcess } from './observation.js';

/** A difference between a Python program and one in TypeScript, with the Python side named. */
export interface LanguageDifference {
  readonly area: Area;
  readonly path: readonly string[];
  readonly python: unknown;
  readonly typescript: unknown;
  /** The processes it was found in; `undefined` outside of processes. */
  readonly processes: { readonly python: ObservedProcess; readonly typescript: ObservedProcess } | undefined;
}

export interface KnownDifference {
  /** In docs/evidence/differences.md, or the TypeScript SDK's own form. */
  readonly id: string;
  readonly why: string;
  /** It is the program that has to change: it counts as a difference. */
  readonly isToMend?: true;
}

interface Rule extends KnownDifference {
  readonly area: Area;
  /** Of the path, joined with `/`. */
  readonly place: RegExp;
  /** Whether the values differ in this way, and in no other. */
  fits(difference: LanguageDifference): boolean;
}

const same = (a: unknown, b: unknown): boolean => differencesOf(a, b).length === 0;
const initializeOf = (process: ObservedProcess | undefined): Readonly<Record<string, unknown>> => {
  const request = isJsonObject(process?.frames.initialize) ? process.frames.initialize.request : undefined;
  return isJsonObject(request) ? request : {};
};
const flagOf = (process: ObservedProcess | undefined, flag: string): unknown => process?.argv[flag];
/** A text that is a list of one in the other SDK, and nothing when it is empty. */
const promptOf = (value: unknown): string =>
  Array.isArray(value) ? value.join('') : typeof value === 'string' ? value : '';
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isJsonObject(value) && Object.values(value).every(isEmpty));

const PROMPT_FLAGS = { systemPrompt: '--system-prompt', appendSystemPrompt: '--append-system-prompt' } as const;
const IN_PROCESS = /^--mcp-config$/;

function isSamePrompt(field: keyof typeof PROMPT_FLAGS, { processes }: LanguageDifference): boolean {
  const flag = flagOf(processes?.python, PROMPT_FLAGS[field]);
  return promptOf(flag) === promptOf(initializeOf(processes?.typescript)[field]);
}

/** Names of the servers that run in the program itself, as each SDK gives them. */
function serversInProcess(process: ObservedProcess | undefined): readonly string[] {
  const config = flagOf(process, '--mcp-config');
  const servers = isJsonObject(config) && isJsonObject(config.mcpServers) ? config.mcpServers : {};
  const flagged = Object.entries(servers).flatMap(([name, server]) =>
    isJsonObject(server) && server.type === 'sdk' ? [name] : [],
  );
  const told = initializeOf(process).sdkMcpServers;
  return [...flagged, ...(Array.isArray(told) ? told.map(String) : [])].sort();
}

const hasSameServers = ({ processes }: LanguageDifference): boolean =>
  same(serversInProcess(processes?.python), serversInProcess(processes?.typescript));

const MCP_RESULT = 'answer to [^/]*/response/response/mcp_response/result/';
const JSON_SCHEMA_DRAFT = 'http://json-schema.org/draft-07/schema#';

/** What the MCP SDKs of the two languages say of every server and tool. */
function inMcpAnswers(place: string, { id, fits }: Pick<Rule, 'id' | 'fits'>): Rule {
  const why = "in-process servers say what each language's MCP SDK says";
  return { area: 'frames', place: new RegExp(`^${MCP_RESULT}${place}$`), id, why, fits };
}

const RULES: readonly Rule[] = [
  {
    area: 'argv',
    place: /^--(?:append-)?system-prompt$/,
    id: 'D-61',
    why: 'the system prompt goes in initialize, with the same text',
    fits: (each) =>
      each.typescript === undefined &&
      isSamePrompt(each.path[0] === '--system-prompt' ? 'systemPrompt' : 'appendSystemPrompt', each),
  },
  {
    area: 'frames',
    place: /^initialize\/request\/(?:s|appendS)ystemPrompt$/,
    id: 'D-61',
    why: 'the system prompt goes in initialize, with the same text',
    fits: (each) =>
      each.python === undefined &&
      isSamePrompt(each.path[2] === 'systemPrompt' ? 'systemPrompt' : 'appendSystemPrompt', each),
  },
  {
    area: 'argv',
    place: IN_PROCESS,
    id: 'D-64',
    why: 'in-process servers go in initialize, with the same names',
    fits: (each) => each.typescript === undefined && hasSameServers(each),
  },
  {
    area: 'frames',
    place: /^initialize\/request\/sdkMcpServer(?:s|Manifests)$/,
    id: 'D-64',
    why: 'in-process servers go in initialize, with the same names',
    fits: (each) => each.python === undefined && hasSameServers(each),
  },
  {
    area: 'argv',
    place: /^--setting-sources$/,
    id: 'D-67',
    why: 'skills leave the setting sources to the CLI',
    fits: ({ python, typescript }) => typescript === undefined && same(python, ['user', 'project']),
  },
  {
    area: 'environment',
    place: /^CLAUDE_(?:CODE_ENTRYPOINT|AGENT_SDK_VERSION)$/,
    id: 'D-69',
    why: 'each SDK gives its own name and version',
    fits: () => true,
  },
  { area: 'environment', place: /^PWD$/, id: 'D-69', why: 'Python sets it to the working directory', fits: () => true },
  {
    area: 'environment',
    place: /^NoDefaultCurrentDirectoryInExePath$/,
    id: 'D-98',
    why: 'the official TypeScript SDK sets it',
    fits: ({ python, typescript }) => python === undefined && typescript === '1',
  },
  {
    area: 'environment',
    place: /./,
    id: 'D-68',
    why: '`env` replaces the environment in TypeScript: begin it with ...process.env',
    isToMend: true,
    // Without `env` every variable of the program is there.
    fits: ({ typescript, processes }) =>
      typescript === undefined &&
      processes?.typescript.env.PATH === undefined &&
      processes?.typescript.env.HOME === undefined,
  },
  {
    area: 'frames',
    place: /^initialize\/request\/hooks(?:$|\/)/,
    id: 'D-73',
    why: 'hooks and matchers that are not given are left out; Python sends null',
    fits: ({ python, typescript }) => isEmpty(python) && isEmpty(typescript),
  },
  {
    area: 'frames',
    place: /^initialize\/request\/jsonSchema$/,
    id: 'TS-061',
    why: 'the schema goes in initialize beside the flag',
    fits: ({ python, typescript, processes }) =>
      python === undefined && same(typescript, flagOf(processes?.python, '--json-schema')),
  },
  {
    area: 'frames',
    place: /^user message.*\/message\/content$/,
    id: 'TS-081',
    why: 'a text prompt is sent as a text block',
    fits: ({ python, typescript }) => typeof python === 'string' && same(typescript, [{ type: 'text', text: python }]),
  },
  {
    area: 'frames',
    place: /^answer to .*\/response\/response\/toolUseID$/,
    id: 'TS-113',
    why: 'the answer names the tool use',
    fits: ({ python }) => python === undefined,
  },
  {
    area: 'frames',
    place: /^answer to .*\/error_code$/,
    id: 'TS-129',
    why: 'a request that is not supported is refused with a code too',
    fits: ({ python }) => python === undefined,
  },
  inMcpAnswers('capabilities/tools/listChanged', {
    id: 'TS-135',
    fits: ({ python, typescript }) => python === false && typescript === true,
  }),
  inMcpAnswers('tools/\\d+/inputSchema/\\$schema', {
    id: 'TS-135',
    fits: ({ python, typescript }) => python === undefined && typescript === JSON_SCHEMA_DRAFT,
  }),
  inMcpAnswers('tools/\\d+/execution', {
    id: 'TS-135',
    fits: ({ python, typescript }) => python === undefined && same(typescript, { taskSupport: 'forbidden' }),
  }),
  inMcpAnswers('isError', {
    id: 'TS-136',
    fits: ({ python, typescript }) => python === false && typescript === undefined,
  }),
  {
    area: 'frames',
    place: new RegExp(`^${MCP_RESULT}tools/\\d+/inputSchema/.*(?:minimum|maximum)$`),
    id: 'TS-135',
    why: "zod's integers have the range of JavaScript's",
    fits: ({ path, python, typescript }) =>
      python === undefined &&
      typescript === (path.at(-1) === 'minimum' ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER),
  },
];

/** Why a Python program and a TypeScript one are not the same here, whatever their authors do. */
export function knownDifference(difference: LanguageDifference): KnownDifference | undefined {
  const place = difference.path.join('/');
  return RULES.find((rule) => rule.area === difference.area && rule.place.test(place) && rule.fits(difference));
}
