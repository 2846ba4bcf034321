/**
 * Compares what the reader of `src/surface` says with what the second reader says: of one release, and of the step from one
 * release to the next.
 */
import { squeezed } from './second-reader.mjs';

/** What is counted. Functions and top-level declarations are judged with them. */
export const GROUPS = { options: isOption, fields: of('field'), members: of('member'), methods: of('method') };
const ALL = { ...GROUPS, functions: of('function'), types: of('type') };
const READ_BY_BOTH = ['field', 'member', 'method', 'function', 'type'];
/** Kinds that the second reader has one name for. */
const TYPES = ['type', 'interface', 'class', 'enum'];
const NAMED = 5;

function of(group) {
  return (each) => each.group === group;
}

function isOption({ group, path }) {
  return group === 'field' && /^Options\.\w+$/.test(path);
}

/**
 * @param {readonly {path: string, kind: string}[]} first
 * @param {ReturnType<typeof import('./second-reader.mjs').readWithCompiler>} second
 * @returns {{counts: Record<string, [number, number]>, faults: string[]}}
 */
export function judgeRelease(first, second) {
  const ours = new Map(judgedOf(first).map((each) => [`${each.group} ${each.path}`, each]));
  const counts = {};
  const faults = [];
  for (const [name, isIn] of Object.entries(ALL)) {
    const [a, b] = [ours, second].map((all) => [...all].filter(([, each]) => isIn(each)).map(([key]) => key));
    counts[name] = [a.length, b.length];
    if (name !== 'options') faults.push(...differences(a, b, name));
  }
  return { counts, faults };
}

/**
 * @param {readonly {happened: string, path: string, now?: {kind: string}, before?: {kind: string}}[]} changes
 * @returns {{counts: Record<string, number>, faults: string[]}}
 */
export function judgeStep(changes, before, now) {
  const theirs = [];
  for (const key of new Set([...before.keys(), ...now.keys()])) {
    const [old, young] = [before.get(key), now.get(key)];
    if (old === undefined) theirs.push(`addition of ${key}`);
    else if (young === undefined) theirs.push(`removal of ${key}`);
    else if ([...old.texts].sort().join('\n') !== [...young.texts].sort().join('\n')) theirs.push(`change of ${key}`);
  }
  const ours = changes.flatMap(({ happened, path, ...facts }) =>
    judgedOf([{ path, kind: (facts.now ?? facts.before).kind }]).map((each) => {
      const key = `${each.group} ${each.path}`;
      // A second fact of the same path: files disagree.
      return `${before.has(key) && now.has(key) ? 'change' : happened} of ${key}`;
    }),
  );
  const counts = { addition: 0, change: 0, removal: 0 };
  for (const { happened } of changes) counts[happened] += 1;
  return { counts, faults: differences([...new Set(ours)], theirs, 'changes') };
}

/** What the second reader reads too. */
function judgedOf(facts) {
  return facts.flatMap(({ path, kind }) => {
    const group = TYPES.includes(kind) ? 'type' : kind;
    return READ_BY_BOTH.includes(group) ? [{ group, path: squeezed(path) }] : [];
  });
}

function differences(ours, theirs, what) {
  const [a, b] = [new Set(ours), new Set(theirs)];
  const only = (side, all, others) => {
    const left = all.filter((each) => !others.has(each));
    const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
    return left.length === 0 ? [] : [`${what}: only ${side}: ${left.slice(0, NAMED).join(', ')}${more}`];
  };
  return [...only('the first reader', ours, b), ...only('the second reader', theirs, a)];
}
