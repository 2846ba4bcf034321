import type { CliShape, Defaults } from './cli-shape.js';
import { compareShapes, type ShapeChange } from './compare-shapes.js';
import { surfaceChanges } from './surface-changes.js';

/** What changed from one release of the CLI to another: frames, fields, orders, exits, flags, defaults, timings, declarations. */
export function compareClis(
  before: CliShape,
  now: CliShape,
  options: { readonly unordered?: readonly string[] } = {},
): readonly ShapeChange[] {
  return [
    ...compareShapes(before, now, options).changes,
    ...mapChanges('flag', before.flags, now.flags),
    ...defaultChanges(before.defaults, now.defaults),
    ...timingChanges(before.timings, now.timings),
    ...(before.surface && now.surface ? surfaceChanges(before.surface, now.surface) : []),
  ];
}

/** Names that came, went, or mean something else. */
export function mapChanges(
  area: ShapeChange['area'],
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly ShapeChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((where): ShapeChange[] => {
    const [old, young] = [before[where], now[where]];
    if (old === young) return [];
    if (old === undefined) return [{ area, where, what: young ? `is new: ${young}` : 'is new' }];
    if (young === undefined) return [{ area, where, what: 'is gone' }];
    return [{ area, where, what: `${old || 'nothing'} is now ${young || 'nothing'}` }];
  });
}

function defaultChanges(before: Defaults, now: Defaults): readonly ShapeChange[] {
  // A side that was not recorded says nothing; a field that came or went is a change of its frame.
  const both = Object.keys(before).filter((name) => name in now);
  return both.flatMap((where): ShapeChange[] => {
    const [old, young] = [before[where] ?? '', now[where] ?? ''];
    if (typeof old === 'string' || typeof young === 'string') {
      return String(old) === String(young) ? [] : [{ area: 'default', where, what: `${old} is now ${young}` }];
    }
    const came = young.filter((name) => !old.includes(name));
    const went = old.filter((name) => !young.includes(name));
    const parts = [came.length > 0 ? `new: ${came.join(', ')}` : '', went.length > 0 ? `gone: ${went.join(', ')}` : ''];
    const what = parts.filter((part) => part !== '').join('; ');
    return what === '' ? [] : [{ area: 'default', where, what }];
  });
}

/** Less is the noise of a busy machine. */
const WORTH_NAMING = { factor: 2, ms: 400 };

function timingChanges(before: CliShape['timings'], now: CliShape['timings']): readonly ShapeChange[] {
  return Object.entries(now).flatMap(([where, ms]): ShapeChange[] => {
    const old = before[where];
    if (old === undefined || Math.abs(ms - old) < WORTH_NAMING.ms) return [];
    if (Math.max(ms, old) < WORTH_NAMING.factor * Math.min(ms, old)) return [];
    return [{ area: 'timing', where, what: `${Math.round(old)} ms is now ${Math.round(ms)} ms` }];
  });
}
