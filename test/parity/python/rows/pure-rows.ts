import type { Row } from '../harness/row.js';
import type { PureProgram } from '../pure/program.js';
import { clientRows } from './client.rows.js';
import { defectRows } from './defects.rows.js';
import { endRows } from './ends.rows.js';
import { errorClassRows } from './errors.rows.js';
import { parserRows } from './parser.rows.js';
import { releasePureRows } from './release-pure.rows.js';
import { sessionRows } from './sessions.rows.js';
import { storeRows } from './stores.rows.js';

/** Rows that are shown by making the same calls in both SDKs. */
export const pureRows: readonly Row<PureProgram>[] = [
  ...parserRows,
  ...clientRows,
  ...sessionRows,
  ...storeRows,
  ...endRows,
  ...errorClassRows,
  ...defectRows,
  ...releasePureRows,
];
