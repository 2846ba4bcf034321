import { describeValue } from '../../util/describe-value.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { OPEN_SECTIONS } from './open-sections-tool.js';
import type { AnySection, SectionPlace } from './prompt-types.js';
import { Section } from './section.js';
import { Tool } from './tool.js';

/** All sections in the order of the text. */
export function placeSections(sections: readonly AnySection[]): readonly SectionPlace[] {
  const all: SectionPlace[] = [];
  const roots = place(sections, undefined, []);
  const add = (each: SectionPlace): void => {
    all.push(each);
    each.children.forEach(add);
  };
  roots.forEach(add);
  // Not only siblings: a key may contain dots.
  const paths = new Set<string>();
  for (const { path } of all) {
    if (paths.has(path)) throw new PromptValidationError(`Two sections have the path "${path}"`, { sectionPath: path });
    paths.add(path);
  }
  return all;
}

function place(
  sections: readonly AnySection[],
  parent: SectionPlace | undefined,
  around: readonly AnySection[],
): SectionPlace[] {
  return sections.map((section, index) => {
    if (!(section instanceof Section)) {
      const path = parent === undefined ? `sections[${index}]` : `"${parent.path}".children[${index}]`;
      throw new PromptValidationError(`${path} must be a Section, got ${describeValue(section)}`);
    }
    const path = parent === undefined ? section.key : `${parent.path}.${section.key}`;
    if (around.includes(section)) {
      throw new PromptValidationError(`Section "${path}" contains itself`, { sectionPath: path });
    }
    checkTools(section, path);
    const own = {
      section,
      path,
      number: parent === undefined ? `${index + 1}` : `${parent.number}.${index + 1}`,
      depth: around.length,
      isAlwaysThere: section.isAlwaysEnabled && parent?.isAlwaysThere !== false,
      children: [] as readonly SectionPlace[],
    };
    own.children = place(section.children, own, [...around, section]);
    return own;
  });
}

function checkTools({ tools }: AnySection, sectionPath: string): void {
  for (const tool of tools) {
    if (!(tool instanceof Tool)) {
      throw new PromptValidationError(
        `Each tool of section "${sectionPath}" must be a Tool, got ${describeValue(tool)}`,
        { sectionPath },
      );
    }
    if (tool.name === OPEN_SECTIONS) {
      throw new PromptValidationError(
        `Section "${sectionPath}" has a tool named "${OPEN_SECTIONS}", the name of the tool that opens sections`,
        { sectionPath },
      );
    }
  }
}

/** @throws {@link PromptValidationError} two of the sections contribute tools of one name. */
export function refuseSharedToolNames(places: readonly Pick<SectionPlace, 'section' | 'path'>[]): void {
  const paths = new Map<string, string>();
  for (const { section, path } of places) {
    for (const { name } of section.tools) {
      const other = paths.get(name);
      if (other !== undefined) {
        throw new PromptValidationError(`The sections "${other}" and "${path}" both have a tool named "${name}"`, {
          sectionPath: path,
        });
      }
      paths.set(name, path);
    }
  }
}
