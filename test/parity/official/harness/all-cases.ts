import { endingRows } from '../../../rows/ending.rows.js';
import { flagRows } from '../../../rows/flags.rows.js';
import { inboundRows } from '../../../rows/inbound.rows.js';
import { initializeRows } from '../../../rows/initialize.rows.js';
import type { LaunchRow } from '../../../rows/launch-row.js';
import { mcpRows } from '../../../rows/mcp.rows.js';
import { promptRows } from '../../../rows/prompt.rows.js';
import { readerRows } from '../../../rows/reader.rows.js';
import { requestRows } from '../../../rows/requests.rows.js';
import { setMcpServersRows } from '../../../rows/set-mcp-servers.rows.js';
import { spawnEnvRows } from '../../../rows/spawn-env.rows.js';
import { newCases } from '../cases/index.js';
import type { LaunchCase, ParityCase, ParityRow, SessionCase } from './parity-case.js';

/** Rows over the plan that a real start cannot show here; `cases/` shows what they are about. */
const ONLY_PLANNED: readonly ((row: LaunchRow) => boolean)[] = [
  (row) => row.host?.platform === 'win32',
  // How the executable and the folder are taken: cases/spawn.ts.
  ({ argv, env, initialize, files, warns, throws }) =>
    [argv, env, initialize, files, warns, throws].every((stated) => stated === undefined),
  // The case needs its own executable: cases/spawn.ts.
  ({ name }) => name === 'external servers with the CLI that was found',
];

const session = [
  ...promptRows,
  ...requestRows,
  ...inboundRows,
  ...mcpRows,
  ...setMcpServersRows,
  ...endingRows,
  ...readerRows,
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
  ...[...spawnEnvRows, ...flagRows, ...initializeRows]
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

function launchCase(row: LaunchRow): LaunchCase {
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

function sessionCase(row: ParityRow): SessionCase {
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
