import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PromptValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { Prompt, PromptTemplate } from '../../../src/adapter/prompt/prompt.js';
import { Section } from '../../../src/adapter/prompt/section.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { thrownBy } from '../support/thrown-by.js';
import { promptOf, section, tool } from './support.js';

describe('a template is refused', () => {
  test.each([z.array(z.string()), { type: 'array', items: { type: 'string' } }])(
    'whose output is a list, and the error says how to ask for one',
    (output) => {
      const error = thrownBy(() => new PromptTemplate({ ns: 'n', key: 'k', output }));
      expect(error).toBeInstanceOf(PromptValidationError);
      expect(String(error)).toContain("`outputContainer: 'array'` with the type of one element");
    },
  );

  test.each(['ns', 'key', 'name'] as const)('whose %s is blank (AD-015)', (field) => {
    for (const value of ['', ' ', '\n\t', 5 as unknown as string]) {
      const config = { ns: 'n', key: 'k', [field]: value };
      for (const build of [() => new PromptTemplate(config), () => new Prompt(config)]) {
        const error = thrownBy(build);
        expect(error).toBeInstanceOf(PromptValidationError);
        expect(String(error)).toContain(`.${field}\``);
      }
    }
  });

  test.each(['Bad Key', '', '-a', 'ä', 'a/b', 'A', `a${'b'.repeat(64)}`, '__proto__'])(
    'with the section key "%s" (AD-016)',
    (key) => {
      const error = thrownBy(() => new Section({ title: 'T', key }));
      expect(error).toBeInstanceOf(PromptValidationError);
      expect(String(error)).toContain('^[a-z0-9][a-z0-9._-]{0,63}$');
    },
  );

  test('but not for a key of 64 of the allowed characters', () => {
    expect(new Section({ title: 'T', key: `a.b-c_9${'d'.repeat(57)}` }).key).toHaveLength(64);
  });

  test('in which two sections have a tool of one name (AD-027)', () => {
    const sections = [section('a', { tools: [tool('x')] }), section('b', { tools: [tool('x')] })];
    for (const build of [
      () => promptOf(...sections),
      () => new PromptTemplate({ ns: 'n', key: 'k', sections }),
      () => promptOf(section('a', { tools: [tool('x')], children: [section('b', { tools: [tool('x')] })] })),
      () => promptOf(section('a', { tools: [tool('x'), tool('x')] })),
    ]) {
      const error = thrownBy(build);
      expect(error).toBeInstanceOf(PromptValidationError);
      expect(String(error)).toContain('"x"');
    }
  });

  test('and the error names the tool and both sections, wherever they are (AD-027)', () => {
    const sections = [
      section('first', { tools: [tool('get'), tool('search')] }),
      section('between', { tools: [tool('put')] }),
      section('outer', { children: [section('inner', { tools: [tool('list'), tool('search')] })] }),
    ];
    const error = thrownBy(() => promptOf(...sections));
    expect(error).toBeInstanceOf(PromptValidationError);
    expect(error).toMatchObject({
      message: 'The sections "first" and "outer.inner" both have a tool named "search"',
      sectionPath: 'outer.inner',
    });
  });

  test('but not for names that only resemble each other (AD-027)', () => {
    const names = ['get', 'get_all', 'ge', 'get-all', 'all_get', 'g'];
    const { tools } = promptOf(
      section('a', { tools: names.slice(0, 3).map((name) => tool(name)) }),
      section('b', { tools: names.slice(3).map((name) => tool(name)) }),
    ).render();
    expect(tools.map(({ name }) => name)).toEqual(names);
  });

  test('only when it is rendered, where a condition decides whether both are there', () => {
    const either = (isFirst: () => boolean) =>
      promptOf(section('a', { tools: [tool('x')], enabled: isFirst }), section('b', { tools: [tool('x')] }));
    expect(
      either(() => false)
        .render()
        .tools.map(({ name }) => name),
    ).toEqual(['x']);
    expect(thrownBy(() => either(() => true).render())).toBeInstanceOf(PromptValidationError);
  });

  const odd: readonly [string, () => unknown, string][] = [
    ['two sections of one path', () => promptOf(section('a'), section('a')), '"a"'],
    [
      'two paths that only look the same',
      () => promptOf(section('a.b'), section('a', { children: [section('b')] })),
      '"a.b"',
    ],
    ['something that is no section', () => promptOf({ key: 'a' } as unknown as Section<unknown>), 'sections[0]'],
    ['something that is no tool', () => promptOf(section('a', { tools: [{} as Tool<unknown>] })), '"a"'],
    ['a tool named open_sections', () => promptOf(section('a', { tools: [tool('open_sections')] })), 'open_sections'],
    ['a title of two lines', () => section('a', { title: 'a\nb' }), 'title'],
    ['a blank title', () => section('a', { title: ' ' }), 'title'],
    ['no template', () => section('a', { template: 5 as unknown as string }), 'template'],
    ['an array of nothing', () => new Prompt({ ns: 'n', key: 'k', outputContainer: 'array' } as never), 'output'],
    [
      'another container',
      () => new Prompt({ ns: 'n', key: 'k', outputContainer: 'list' as 'object' }),
      'outputContainer',
    ],
    [
      'an output that is no object',
      () => new Prompt({ ns: 'n', key: 'k', output: { type: 'number' } }),
      'root must be an object',
    ],
  ];
  test.each(odd)('with %s', (_, build, says) => {
    const error = thrownBy(build);
    expect(error).toBeInstanceOf(PromptValidationError);
    expect(String(error)).toContain(says);
  });

  test('with a section that contains itself', () => {
    class Round extends Section {
      override readonly children: readonly Section<unknown>[] = [this];
    }
    const round = new Round({ title: 'a', key: 'a' });
    expect(String(thrownBy(() => promptOf(round)))).toContain('contains itself');
  });
});

describe('a tool is refused', () => {
  test.each(['Upper', 'a b', '', 'a.b', 'a'.repeat(65)])('with the name "%s" (AD-028)', (name) => {
    const error = thrownBy(() => new Tool({ name, description: 'd' }));
    expect(error).toBeInstanceOf(PromptValidationError);
    expect(String(error)).toContain('^[a-z0-9_-]{1,64}$');
  });

  test.each(['', '  \n', 'x'.repeat(201), undefined as unknown as string])(
    'with the description "%s" (AD-028)',
    (description) => {
      const error = thrownBy(() => new Tool({ name: 'good', description }));
      expect(error).toBeInstanceOf(PromptValidationError);
      expect(String(error)).toContain('"good"');
    },
  );

  test('but not at the limits', () => {
    const { name, description } = new Tool({ name: 'a'.repeat(64), description: ` ${'x'.repeat(200)}\n` });
    expect([name.length, description.length]).toEqual([64, 200]);
  });

  test('with a handler that is no function', () => {
    const handler = 'run' as unknown as () => never;
    expect(String(thrownBy(() => new Tool({ name: 'a', description: 'd', handler })))).toContain('handler');
  });
});
