import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { RunReport } from '../../../src/adapter/report/run-report.js';
import { RUN_REPORT_SCHEMA } from '../../../src/adapter/report/run-report.js';

const isReport = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(RUN_REPORT_SCHEMA);

/** Holds the report against its schema, and against itself after a way through JSON. */
export function checkReport(report: RunReport | undefined): RunReport {
  if (report === undefined) throw new Error('there is no report');
  const again: unknown = JSON.parse(JSON.stringify(report));
  expect(again).toEqual(report);
  if (!isReport(again)) throw new Error(JSON.stringify(isReport.errors));
  return report;
}
