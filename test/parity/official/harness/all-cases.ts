import { inboundCases } from '../../../control/inbound.cases.js';
import { requestCases } from '../../../control/requests.cases.js';
import { mcpCases } from '../../../mcp/session-mcp.cases.js';
import { setMcpServersCases } from '../../../mcp/set-mcp-servers.cases.js';
import { endingCases } from '../../../query/ending.cases.js';
import { flagCases } from '../../../query/launch/flags.cases.js';
import { initializeCases } from '../../../query/launch/initialize.cases.js';
import type { LaunchCase } from '../../../query/launch/launch-case.js';
import { spawnEnvCases } from '../../../query/launch/spawn-env.cases.js';
import { promptCases } from '../../../query/prompt.cases.js';
import { readerCases } from '../../../query/reader.cases.js';
import { newCases } from '../cases/index.js';
import type { LaunchParity, ParityCase, ParityRow, SessionParity } from './parity-case.js';

/** Rows over the plan that a real start cannot show here; `cases/` shows what they are about. */
const ONLY_PLANNED: readonly ((row: LaunchCase) => boolean)[] = [
  (row) => row.host?.platform === 'win32',
  // How the executable and the folder are taken: cases/spawn.ts.
  ({ argv, env, initialize, files, warns, throws }) =>
    [argv, env, initialize, files, warns, throws].every((stated) => stated === undefined),
  // The case needs its own executable: cases/spawn.ts.
  ({ name }) => name === 'external servers with the CLI that was found',
];

const session = [
  ...promptCases,
  ...requestCases,
  ...inboundCases,
  ...mcpCases,
  ...setMcpServersCases,
  ...endingCases,
  ...readerCases,
  ...newCases,
];

/** Rows that a table makes in a loop may share a name: the second one is `… (2)`. */
function named<T extends ParityCase>(all: readonly T[]): readonly T[] {
  const times = new Map<string, number>();
  return all.map((one) => {
    const time = (times.get(one.key) ?? 0) + 1;
    times.set(one.key, time);
    return time === 1 ? one : { ...one, key: `${one.key} (${time})` };
  });
}

/** Everything that is run beside the official package, in a fixed order. */
export const cases: readonly ParityCase[] = named([
  ...[...spawnEnvCases, ...flagCases, ...initializeCases]
    .filter((row) => row.ids.some(isOfficial) && !ONLY_PLANNED.some((isOnlyPlanned) => isOnlyPlanned(row)))
    .map(launchCase),
  ...session.filter(({ ids }) => ids.some(isOfficial)).map(sessionCase),
]);

function isOfficial(id: string): boolean {
  return id.startsWith('TS-');
}

function keyOf({ ids, name }: { readonly ids: readonly string[]; readonly name: string }): string {
  return `${ids.find(isOfficial) ?? ''}: ${name}`;
}

function launchCase(row: LaunchCase): LaunchParity {
  return {
    kind: 'launch',
    key: keyOf(row),
    ids: row.ids.filter(isOfficial),
    differs: row.differs,
    isFresh: row.warns?.includes('CLAUDE_SDK_MCP_SERVERS_ARGV_DEPRECATED') === true || row.ids.includes('TS-059'),
    hostEnv: {},
    row,
  };
}

function sessionCase(row: ParityRow): SessionParity {
  return {
    kind: 'session',
    key: keyOf(row),
    ids: row.ids.filter(isOfficial),
    // A row of both checklists may differ from the Python SDK only.
    differs: row.ids.every(isOfficial) ? row.differs : undefined,
    isFresh: row.fresh === true || row.hostEnv !== undefined,
    hostEnv: row.hostEnv ?? {},
    row,
  };
}
