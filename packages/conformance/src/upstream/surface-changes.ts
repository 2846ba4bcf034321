import type { ShapeChange } from '../drift/compare-shapes.js';
import type { SdkSurface } from '../drift/sdk-surface.js';

/** One change a name: each of them is something to do. */
export function surfaceChanges(before: SdkSurface, now: SdkSurface): readonly ShapeChange[] {
  return (['options', 'exports', 'types', 'fields'] as const).flatMap((list) => {
    const isNew = (name: string): boolean => !before[list].includes(name);
    const isGone = (name: string): boolean => !now[list].includes(name);
    // The fields of a new type come with it, and an option is named as one.
    const isOwn = (name: string, surface: SdkSurface): boolean => {
      if (list !== 'fields') return true;
      const [type = ''] = name.split('.');
      return !/^(?:Options|ClaudeAgentOptions)$/.test(type) && [...surface.types, ...surface.exports].includes(type);
    };
    const what = list.slice(0, -1);
    return [
      ...now[list].filter((name) => isNew(name) && isOwn(name, before)).map((name) => change(what, name, 'is new')),
      ...before[list].filter((name) => isGone(name) && isOwn(name, now)).map((name) => change(what, name, 'is gone')),
    ];
  });
}

function change(what: string, name: string, happened: string): ShapeChange {
  return { area: 'surface', where: name, what: `${what} ${happened}` };
}
