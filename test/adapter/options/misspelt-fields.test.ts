import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { PromptValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { readFields } from '../../../src/adapter/options/read-fields.js';
import { MarkdownSection, PromptTemplate } from '../../../src/adapter/prompt/index.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { Section } from '../../../src/adapter/prompt/section.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import { parseValue } from '../../../src/adapter/schema/parse-value.js';
import { InProcessEventBus, Session } from '../../../src/adapter/state/index.js';
import { changedFiles, syncWorkspaceToVfs } from '../../../src/adapter/workspace/workspace-changes.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { thrownBy } from '../support/thrown-by.js';
import { scratch } from '../workspace/scratch.js';

const section = { title: 'T', key: 'intro' };
const tool = { name: 'find', description: 'd' };
const prompt = { ns: 'n', key: 'k' };

/** Whatever a program in JavaScript may pass. */
const any = (value: unknown): never => value as never;

type Build = () => unknown;
const misspelt: readonly (readonly [wrong: string, what: string, build: Build])[] = [
  ['tool', 'MarkdownSection', () => new MarkdownSection(any({ ...section, template: '', tool: [] }))],
  ['template', 'Section "intro"', () => new Section(any({ ...section, template: '' }))],
  ['execute', 'Tool "find"', () => new Tool(any({ ...tool, execute: () => 1 }))],
  ['parms', 'Tool "find"', () => new Tool(any({ ...tool, parms: {} }))],
  ['excludeValue', 'ToolResult', () => new ToolResult(any({ message: 'm', excludeValue: true }))],
  ['outputs', 'Prompt "k"', () => new Prompt(any({ ...prompt, outputs: {} }))],
  ['outputs', 'Prompt "k"', () => new PromptTemplate(any({ ...prompt, outputs: {} }))],
  ['overrides', 'options', () => new Prompt(prompt).render(any({ overrides: {} }))],
  ['tag', 'Session', () => new Session(any({ tag: {} }))],
  ['tag', 'Session', () => new Session().clone(any({ tag: {} }))],
  ['log', 'InProcessEventBus', () => new InProcessEventBus(any({ log: console }))],
  ['maxTokens', 'Budget', () => new Budget(any({ maxTotalTokens: 5, maxTokens: 1 }))],
];

describe('a misspelt field is not ignored', () => {
  test.each(misspelt)('`%s` of %s', (wrong, what, build) => {
    const error = thrownBy(build);
    expect(String(error)).toContain(what);
    expect(String(error)).toContain(`has no \`${wrong}\``);
    expect((error as AdapterConfigError).hint).toMatch(/^It has \w+/);
    const isPart = /Prompt|Section|Tool|options/.test(what);
    expect(error).toBeInstanceOf(isPart ? PromptValidationError : AdapterConfigError);
  });

  test('of a workspace, of a mount, and of what is asked about them', async () => {
    const session = new Session();
    const create = (more: object) => ClaudeAgentWorkspaceSection.create({ session, ...more });
    const tempRoot = scratch();
    await expect(create({ tempRoot, allowedRoots: ['/srv'] })).rejects.toThrow('`allowedRoots`');
    const mount = any({ hostPath: tempRoot, excludeGlobs: ['*.pem'] });
    await expect(create({ tempRoot, mounts: [mount] })).rejects.toThrow('`mounts[0]` has no `excludeGlobs`');
    const workspace = await create({ tempRoot });
    try {
      const of = workspace.workspace;
      await expect(changedFiles(of, any({ diffs: true }))).rejects.toThrow('`diffs`');
      await expect(syncWorkspaceToVfs(session, of, any({ delete: false }))).rejects.toThrow('`delete`');
      const clone = { session: new Session(), eventBus: session.bus };
      expect(String(thrownBy(() => workspace.clone(clone)))).toContain('`eventBus`');
    } finally {
      await workspace.cleanup();
    }
  });

  test('what happens to extra keys is said, or nothing is checked', () => {
    const error = thrownBy(() => parseValue({ type: 'object' }, {}, any({ extraKeys: 'forbid' })));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(String(error)).toContain('`extra`');
  });
});

describe('what is no object or no list has a typed error, not a bare TypeError', () => {
  test.each<[name: string, build: Build, error: unknown]>([
    ['a budget of nothing', () => new Budget(any(undefined)), AdapterConfigError],
    ['a session of null', () => new Session(any(null)), AdapterConfigError],
    ['a prompt of nothing', () => new Prompt(any(undefined)), PromptValidationError],
    ['a tool of nothing', () => new Tool(any(undefined)), PromptValidationError],
    ['a section of nothing', () => new Section(any(undefined)), PromptValidationError],
    ['a result of nothing', () => new ToolResult(any(undefined)), PromptValidationError],
    ['tools', () => new Section(any({ ...section, tools: {} })), PromptValidationError],
    ['children', () => new Section(any({ ...section, children: {} })), PromptValidationError],
    ['sections', () => new Prompt(any({ ...prompt, sections: {} })), PromptValidationError],
    ['examples', () => new Tool(any({ ...tool, examples: ['x'] })), PromptValidationError],
    ['enabled', () => new Section(any({ ...section, enabled: true })), PromptValidationError],
  ])('%s', (_, build, kind) => {
    expect(thrownBy(build)).toBeInstanceOf(kind);
  });

  test('a section is named by its path and in the text', () => {
    const error = thrownBy(() => new MarkdownSection(any({ ...section, template: '', tools: {} })));
    expect(error).toMatchObject({ sectionPath: 'intro' });
    expect(String(error)).toContain('`MarkdownSection "intro".tools` must be an array, got object');
  });
});

describe('a class derived from a section', () => {
  class Open extends MarkdownSection {}
  class Strict extends MarkdownSection {
    constructor(config: ConstructorParameters<typeof MarkdownSection>[0]) {
      super(any(config), ['files']);
    }
  }
  const fields = { ...section, template: '' };

  test('may be given fields of its own', () => {
    expect(new Open(any({ ...fields, files: [] })).key).toBe('intro');
    expect(new Strict(any({ ...fields, files: [] })).key).toBe('intro');
  });

  test('that names them refuses others', () => {
    const error = thrownBy(() => new Strict(any({ ...fields, file: [] })));
    expect(String(error)).toContain('`Strict "intro"` has no `file`');
    expect((error as PromptValidationError).hint).toContain('template, files');
  });
});

test('a field that is there but undefined is no fault', () => {
  expect(() => readFields({ a: undefined, b: undefined }, 'x', ['a'])).not.toThrow();
});
