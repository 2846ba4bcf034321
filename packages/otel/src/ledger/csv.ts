import type { LedgerEntry } from './entry.js';

const COLUMNS: readonly (readonly [string, (entry: LedgerEntry) => string | number | boolean | undefined])[] = [
  ['kind', (entry) => entry.kind],
  ['tenant', (entry) => entry.tenant],
  ['run', (entry) => entry.run],
  ['session_id', (entry) => entry.sessionId],
  ['turn', (entry) => entry.turn],
  ['model', (entry) => entry.model],
  ['tool_use_id', (entry) => entry.toolUseId],
  ['input_tokens', (entry) => entry.tokens.input],
  ['output_tokens', (entry) => entry.tokens.output],
  ['cache_read_tokens', (entry) => entry.tokens.cacheRead],
  ['cache_write_tokens', (entry) => entry.tokens.cacheWrite],
  ['is_estimate', (entry) => entry.isEstimate],
  ['reported_usd', (entry) => entry.reportedUsd],
  ['computed_usd', (entry) => entry.computedUsd],
  ['difference_usd', (entry) => entry.differenceUsd],
  ['difference', (entry) => entry.difference],
];

/** RFC 4180, with a header. Text that a spreadsheet would run as a formula begins with an apostrophe. */
export function toCsv(entries: readonly LedgerEntry[]): string {
  const lines = [COLUMNS.map(([name]) => name), ...entries.map((entry) => COLUMNS.map(([, of]) => cell(of(entry))))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

/** Decimal places of an amount. More are noise of the sums. */
const PLACES = 10;

function cell(value: string | number | boolean | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : amount(value);
  const text = String(value);
  const safe = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function amount(value: number): string {
  const text = value.toFixed(PLACES).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}
