/**
 * The text of one check file for one exported name. Every statement is one question to the compiler; the line it
 * stands on says which one was answered with no:
 *
 * - `missing`: we export the name;
 * - `official`: the official type was understood at all, since `any` would fit everything;
 * - `in`: what users pass for the official type fits ours;
 * - `out`: what users read as the official type is what ours gives;
 * - `calls`: the same with methods as strict as functions: methods that users call take what the official ones take;
 * - `called`: methods that users write are called with what the official package calls them with;
 * - `keys`: every field that can be read there can be read here, optional ones too, which assignability does not see;
 * - `record`: what is a `Record<string, unknown>` there, at any depth, is one here (an interface is not);
 * - `shape`: members of unions, and lists and properties that can be written, are the same;
 * - `flaws`: ours is not `any`, `unknown` or `never`, and has no property that is `any`.
 *
 * @typedef {'in' | 'out' | 'both' | 'name'} Direction `name`: it exists, nothing more.
 *
 * @param {object} options
 * @param {string} options.name
 * @param {'type' | 'value' | 'class' | 'class-type'} options.kind `class-type`: a class of which only the type is exported.
 * @param {Direction} options.direction
 * @param {string} [options.args] Type arguments, for generic types.
 * @param {string} options.official Module specifiers.
 * @param {string} options.ours
 * @returns {{ text: string, questions: Record<number, string> }}
 */
export function checkFile({ name, kind, direction, args = '', official, ours }) {
  const lines = [
    `import type * as Official from '${official}';`,
    `import type * as Ours from '${ours}';`,
    "import type { Closed, Constructor, Flaws, Known, Missing, Public, Shape, Strict, ZodShape } from '../../../../probe.ts';",
    'export type Uses = [Closed<0, 0>, Constructor<typeof Date>, Flaws<0>, Known<0>, Missing<0, 0>, Public<0>, Shape<0, 0>, Strict<0>, ZodShape];',
  ];
  /** @type {Record<number, string>} */
  const questions = {};
  const ask = (question, line) => {
    lines.push(line);
    questions[lines.length] = question;
  };
  for (const { suffix, of, isValue } of sidesOf(kind)) {
    const theirs = of(`Official.${name}${args}`);
    const mine = of(`Ours.${name}${args}`);
    if (direction === 'name') {
      ask('name', `export type Exists${suffix} = ${mine};`);
      continue;
    }
    ask('official', `export const known${suffix}: Known<${theirs}> = true;`);
    // A function of ours is called, never given.
    if (!isValue && direction !== 'out') {
      ask('in', `export const accepted = (value: ${theirs}): ${mine} => value;`);
      ask('called', `export const called = (value: Strict<${theirs}>): Strict<${mine}> => value;`);
    }
    if (isValue || direction !== 'in') {
      ask('out', `export const read${suffix} = (value: ${mine}): ${theirs} => value;`);
      ask('calls', `export const calls${suffix} = (value: Strict<${mine}>): Strict<${theirs}> => value;`);
    }
    const missing = `Missing<${theirs}, ${mine}>`;
    ask(
      'keys',
      // The template makes the compiler write the paths out.
      `export const keys${suffix}: ${missing} extends never ? true : \`no \${${missing}}\` = true;`,
    );
    const closed = `Closed<${theirs}, ${mine}>`;
    ask('record', `export const records${suffix}: ${closed} extends never ? true : \`not \${${closed}}\` = true;`);
    const shape = `Shape<${theirs}, ${mine}>`;
    ask('shape', `export const shape${suffix}: ${shape} extends never ? true : \`here \${${shape}}\` = true;`);
    const flaws = `Flaws<${mine}>`;
    ask('flaws', `export const flaws${suffix}: ${flaws} extends never ? true : ${flaws} = true;`);
  }
  return { text: `${lines.join('\n')}\n`, questions };
}

/** Private members of a class make it unlike every other: what is public counts. */
function sidesOf(kind) {
  const asType = { suffix: '', isValue: false, of: (name) => name };
  const asValue = { suffix: '', isValue: true, of: (name) => `typeof ${name}` };
  const asInstance = { suffix: '', isValue: false, of: (name) => `Public<${name}>` };
  const asClass = { suffix: 'Value', isValue: true, of: (name) => `Constructor<typeof ${name}>` };
  if (kind === 'type') return [asType];
  if (kind === 'value') return [asValue];
  return kind === 'class' ? [asInstance, asClass] : [asInstance];
}
