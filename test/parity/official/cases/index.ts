import type { ParityRow } from '../harness/parity-case.js';
import { endingCases } from './ending.js';
import { lifecycleRows } from './lifecycle.js';
import { mcpCases } from './mcp.js';
import { mcpCallRows } from './mcp-calls.js';
import { optionRows } from './options.js';
import { sessionRows } from './sessions.js';
import { spawnRows } from './spawn.js';
import { startupCases } from './startup.js';
import { startupAbortRows } from './startup-abort.js';
import { storeRows } from './store.js';

/** What the tables of `npm test` do not have as rows. */
export const newCases: readonly ParityRow[] = [
  ...spawnRows,
  ...lifecycleRows,
  ...mcpCases,
  ...startupCases,
  ...storeRows,
  ...sessionRows,
  ...endingCases,
  ...optionRows,
  ...mcpCallRows,
  ...startupAbortRows,
];
