import { compareSurfaces, outermost } from '../surface/compare-surfaces.js';
import type { Declared } from '../surface/declared.js';
import { describeSurfaceChange, OPTION } from '../surface/surface-report.js';
import type { ShapeChange } from './compare-shapes.js';

/** One change a name, for lists of what there is to do. The fields of a new type come with it, and an option is named as one. */
export function surfaceChanges(before: readonly Declared[], now: readonly Declared[]): readonly ShapeChange[] {
  return outermost(compareSurfaces(before, now)).map((change) => ({
    area: 'surface',
    where: OPTION.test(change.path) ? change.path.replace(/^\w+\./, '') : change.path,
    what: describeSurfaceChange(change),
  }));
}
