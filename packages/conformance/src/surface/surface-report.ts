import type { SurfaceChange } from './compare-surfaces.js';
import type { Declared } from './declared.js';

/** A field of the options of a run. */
export const OPTION = /^(?:Options|ClaudeAgentOptions)\.\w+$/;
const LONGEST = 300;

/** What a fact is called: a field of the options is an option. */
export function kindName({ kind, path }: Declared): string {
  return kind === 'field' && OPTION.test(path) ? 'option' : kind;
}

/** What happened, as the end of a sentence about the path: `is new: string, optional`. */
export function describeSurfaceChange(change: SurfaceChange): string {
  switch (change.happened) {
    case 'addition':
      return `${kindName(change.now)} is new${details(change.now)}`;
    case 'removal':
      return `${kindName(change.before)} is gone`;
    case 'change':
      return `${kindName(change.before)}: ${differences(change.before, change.now).join('; ')}`;
  }
}

function details({ path, type, marks }: Declared): string {
  // A member of a union is its own type, and of an object type the fields follow.
  const isSaid = type === '' || type === '{…}' || path.endsWith(` | ${type}`) || path.endsWith(` ${type}`);
  const said = [...(isSaid ? [] : [shortened(type)]), ...marks.filter((mark) => mark !== 'exported')];
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
}

function differences(before: Declared, now: Declared): readonly string[] {
  const [old, young] = before.type === now.type ? [before.ownType, now.ownType] : [before.type, now.type];
  return [
    ...(before.kind === now.kind ? [] : [`is a ${now.kind} now`]),
    ...(before.ownType === now.ownType
      ? []
      : [`${shortened(old) || 'nothing'} is now ${shortened(young) || 'nothing'}`]),
    ...now.marks.filter((mark) => !before.marks.includes(mark)).map((mark) => `is now ${mark}`),
    ...before.marks.filter((mark) => !now.marks.includes(mark)).map((mark) => `is no longer ${mark}`),
  ];
}

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

const TITLES: Record<SurfaceChange['happened'], string> = { addition: 'New', change: 'Changed', removal: 'Gone' };

/** Every change with its path, by what happened and the declaration it is in; the last line counts them. */
export function surfaceText(name: string, changes: readonly SurfaceChange[]): string {
  const sections = (['addition', 'change', 'removal'] as const).flatMap((happened) => {
    const same = changes.filter((each) => each.happened === happened);
    const title = `${TITLES[happened]} (${same.length})`;
    return same.length === 0 ? [] : [title, '='.repeat(title.length), '', ...grouped(same), ''];
  });
  const count = (happened: SurfaceChange['happened']): number =>
    changes.filter((each) => each.happened === happened).length;
  const sum = `${count('addition')} new, ${count('change')} changed, ${count('removal')} gone`;
  return `${[name, '', ...sections, sum].join('\n')}\n`;
}

/** What is inside of a declaration is below it. */
function grouped(changes: readonly SurfaceChange[]): readonly string[] {
  let root = '';
  return changes.flatMap((change) => {
    const line = `${change.path}: ${describeSurfaceChange(change)}`;
    const own = rootOf(change.path);
    if (own === root) return [`  ${line}`];
    root = own;
    return change.path === own ? [line] : [`${own}`, `  ${line}`];
  });
}

/** The declaration that a path begins with. */
function rootOf(path: string): string {
  return /^(?:\S+ (?:exports|gives)(?= )|[^.[<(|#]+?(?=[.[<(#]| \||$))/.exec(path)?.[0] ?? path;
}
