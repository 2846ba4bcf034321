/** Figures of all runs to one row a case, and the rows to a table. */

/**
 * @param figures - Per contender the values of all repetitions.
 * @returns medians, minima, the ratio of the medians (and of the minima, which foreign load disturbs less),
 * and whether the target is met (`undefined`: it could not be told from what was measured).
 */
export function toRow(name, { about, unit }, figures, target) {
  const contenders = {};
  for (const [contender, values] of Object.entries(figures)) {
    if (values.length === 0) continue;
    contenders[contender] = { median: median(values), min: Math.min(...values), values };
  }
  const { raw, claudewire, official } = contenders;
  const ratio = quotient(claudewire, raw);
  const ratioOfMinima = quotient(claudewire, raw, 'min');
  const officialRatio = quotient(claudewire, official);
  const met = isMet(target, { ratio, officialRatio, value: claudewire?.median });
  return { name, about, unit, contenders, ratio, ratioOfMinima, officialRatio, target, met };
}

/** A Markdown table, readable as it is. */
export function toTable(rows) {
  const hasOfficial = rows.some(({ contenders }) => contenders.official !== undefined);
  const header = ['case', 'unit', 'raw', 'claudewire', ...(hasOfficial ? ['official'] : [])];
  const lines = [
    [...header, 'ratio', 'target', 'met?'],
    ...rows.map((row) => [
      `${row.name}: ${row.about}`,
      row.unit,
      figure(row.contenders.raw),
      figure(row.contenders.claudewire),
      ...(hasOfficial ? [figure(row.contenders.official)] : []),
      row.ratio === undefined ? '-' : `${row.ratio.toFixed(2)} (${row.ratioOfMinima.toFixed(2)})`,
      describeTarget(row),
      row.met === undefined ? '?' : row.met ? 'yes' : 'NO',
    ]),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const toLine = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [head, ...body] = lines.map(toLine);
  return [head, rule, ...body].join('\n');
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function quotient(a, b, of = 'median') {
  return a === undefined || b === undefined ? undefined : a[of] / b[of];
}

function isMet(target = {}, measured) {
  const known = Object.entries(target).filter(([key]) => measured[key] !== undefined);
  return known.length === 0 ? undefined : known.every(([key, most]) => measured[key] <= most);
}

function describeTarget({ target = {}, unit, officialRatio }) {
  const parts = [];
  if (target.ratio !== undefined) parts.push(`<= ${target.ratio} x raw`);
  if (target.value !== undefined) parts.push(`<= ${target.value} ${unit}`);
  if (target.officialRatio !== undefined) {
    const is = officialRatio === undefined ? '' : ` (is ${officialRatio.toFixed(2)})`;
    parts.push(`<= ${target.officialRatio} x official${is}`);
  }
  return parts.join(', ');
}

/** Median, and the minimum in brackets where there were several runs. */
function figure(entry) {
  if (entry === undefined) return '-';
  const text = digits(entry.median);
  return entry.values.length === 1 ? text : `${text} (${digits(entry.min)})`;
}

function digits(value) {
  if (value !== 0 && Math.abs(value) < 10) return value.toPrecision(3);
  return value.toFixed(Math.abs(value) < 100 ? 1 : 0);
}
