import type { ParityRow } from '../harness/parity-case.js';
import { endingRows } from './ending.js';
import { lifecycleRows } from './lifecycle.js';
import { mcpRows } from './mcp.js';
import { mcpCallRows } from './mcp-calls.js';
import { optionRows } from './options.js';
import { sessionRows } from './sessions.js';
import { spawnRows } from './spawn.js';
import { startupRows } from './startup.js';
import { startupAbortRows } from './startup-abort.js';
import { storeRows } from './store.js';

/** What the tables of `npm test` do not have as rows. */
export const newCases: readonly ParityRow[] = [
  ...spawnRows,
  ...lifecycleRows,
  ...mcpRows,
  ...startupRows,
  ...storeRows,
  ...sessionRows,
  ...endingRows,
  ...optionRows,
  ...mcpCallRows,
  ...startupAbortRows,
];
