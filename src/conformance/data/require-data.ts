import { requireObject } from '../../errors/invalid-option.js';
import type { ConformanceData } from './data-types.js';

/** @throws InvalidOptionError it is no data package. */
export function requireData(call: string, data: ConformanceData): void {
  const takes = `${call}() takes the data of the suite`;
  const fields = {
    requirements: 'list',
    scenarios: 'list',
    levels: 'map',
    driverSchema: 'object',
  } as const;
  requireObject('data', takes, data, 'Pass what `loadData(findData({}))` gives.', fields);
}
