import { isJsonObject, type JsonObject, listOf, textAt } from '../model/json.js';
import type { SourceKind } from '../model/view-data.js';
import type { SourceLine } from './source-line.js';

/** A source that is one JSON value: a conformance report, a verdict. */
export interface Document {
  readonly kind: SourceKind;
  readonly about: string;
  readonly lines: readonly SourceLine[];
}

/** `undefined` for JSON that is none of the known documents. */
export function readDocument(value: unknown): Document | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value.format === 1 && Array.isArray(value.drivers)) return readReport(value);
  if (typeof value.passed === 'boolean' && typeof value.scenario === 'string') {
    return {
      kind: 'verdict',
      about: `verdict of ${value.scenario}`,
      lines: [noteAt(0, { event: 'verdict', ...value })],
    };
  }
  return undefined;
}

/** One line a scenario, at the time when it would have begun had they run one after the other. */
function readReport(value: JsonObject): Document {
  const drivers = listOf(value.drivers).filter(isJsonObject);
  const lines = drivers.flatMap(linesOfDriver);
  const names = drivers.map((driver) => textAt(driver, 'name') ?? '').join(', ');
  return { kind: 'conformance-report', about: `conformance of ${names}`, lines };
}

function linesOfDriver(driver: JsonObject): readonly SourceLine[] {
  let t = 0;
  const { scenarios: _scenarios, requirements: _requirements, causes: _causes, ...facts } = driver;
  const scenarios = listOf(driver.scenarios).filter(isJsonObject);
  return [
    noteAt(0, { event: 'driver', ...facts }),
    ...scenarios.map(({ scenario, kept, ...rest }) => {
      const open = typeof kept === 'string' ? { open: `claudewire view ${kept}` } : {};
      const line = noteAt(t, { event: 'scenario', name: scenario, driver: driver.name, ...rest, ...open });
      t += typeof rest.ms === 'number' ? rest.ms : 0;
      return line;
    }),
  ];
}

function noteAt(t: number, note: object): SourceLine {
  return { t, dir: 'meta', proc: 1, text: JSON.stringify(note) };
}
