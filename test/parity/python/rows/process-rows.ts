import type { ProcessProgram } from '../harness/program.js';
import type { Row } from '../harness/row.js';
import { argvRows } from './argv.rows.js';
import { controlRows } from './control.rows.js';
import { hookRows } from './hooks.rows.js';
import { lifetimeRows } from './lifetime.rows.js';
import { mcpRows } from './mcp.rows.js';
import { mirrorRows } from './mirror.rows.js';
import { permissionRows } from './permissions.rows.js';
import { releaseRows } from './release.rows.js';
import { transportRows } from './transport.rows.js';

/** Rows that are shown by running both SDKs beside a scripted CLI. */
export const processRows: readonly Row<ProcessProgram>[] = [
  ...argvRows,
  ...transportRows,
  ...controlRows,
  ...lifetimeRows,
  ...mirrorRows,
  ...mcpRows,
  ...hookRows,
  ...permissionRows,
  ...releaseRows,
];
