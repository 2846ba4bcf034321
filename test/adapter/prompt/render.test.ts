import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PromptRenderError, PromptValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { defineParams } from '../../../src/adapter/prompt/params.js';
import { Prompt, PromptTemplate } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection, Section } from '../../../src/adapter/prompt/section.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { defineSlice } from '../../../src/adapter/state/keys.js';
import { Session } from '../../../src/adapter/state/session.js';
import { SetVisibilityOverride, VisibilityOverrides } from '../../../src/adapter/state/slices.js';
import { thrownBy } from '../support/thrown-by.js';
import { promptOf, section, tool } from './support.js';

const names = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);
const headings = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('#'));

describe('sections', () => {
  test('have a numbered heading with title and dotted path, one blank line between them (AD-021)', () => {
    const child = section('inner', { title: 'The Inner', template: 'B' });
    const prompt = promptOf(
      section('outer', { title: 'The Outer', template: 'A', children: [child] }),
      section('last', { title: 'Last' }),
    );
    expect(prompt.render().text).toBe(
      '## 1. The Outer (outer)\n\nA\n\n### 1.1. The Inner (outer.inner)\n\nB\n\n## 2. Last (last)',
    );
  });

  test('that are disabled take children and tools along, and leave their number (AD-022)', () => {
    const grandchild = section('grandchild', { template: 'x', tools: [tool('innermost')] });
    const children = [section('child', { tools: [tool('inner')] }), section('second', { children: [grandchild] })];
    const prompt = promptOf(
      section('a', { tools: [tool('first')] }),
      section('gone', { template: 'x', enabled: () => false, children, tools: [tool('own')] }),
      section('b', { tools: [tool('last')] }),
    );
    const { text, tools, sections } = prompt.render();
    expect(headings(text)).toEqual(['## 1. a (a)', '## 3. b (b)']);
    expect(text).not.toContain('x');
    expect(names(tools)).toEqual(['first', 'last']);
    expect(sections.map(({ path, number }) => [path, number])).toEqual([
      ['a', '1'],
      ['b', '3'],
    ]);
  });

  test('that depend on the session are there only when its state says so (AD-023)', () => {
    const Flag = defineSlice<boolean>('Flag');
    const session = new Session();
    const prompt = promptOf(section('a', { enabled: (_, context) => context.session?.query(Flag).latest() === true }));
    expect(prompt.render({ session }).text).toBe('');
    session.mutate(Flag).seed(true);
    expect(headings(prompt.render({ session }).text)).toEqual(['## 1. a (a)']);
  });

  test('an `enabled` that is asynchronous or throws, and an odd visibility, are errors with the section', () => {
    const boom = new Error('boom');
    for (const config of [
      { enabled: (async () => false) as unknown as () => boolean },
      {
        enabled: () => {
          throw boom;
        },
      },
      { summary: 's', visibility: () => 'none' as 'full' },
      {
        summary: 's',
        visibility: () => {
          throw boom;
        },
      },
    ]) {
      const error = thrownBy(() => promptOf(section('a', config)).render());
      expect(error).toBeInstanceOf(PromptRenderError);
      expect(error).toMatchObject({ sectionPath: 'a' });
      if (String(error).includes('boom')) expect((error as Error).cause).toBe(boom);
    }
  });
});

describe('a section of a class of one’s own', () => {
  class Listing extends Section<readonly string[]> {
    override renderBody(files: readonly string[]): string {
      return files.map((file) => `- ${file}`).join('\n');
    }
  }
  class Late extends Section {
    override renderBody(): string {
      return Promise.resolve('late') as unknown as string;
    }
  }

  test('writes its own text', () => {
    const params = defineParams<readonly string[]>('files');
    const prompt = promptOf(new Listing({ title: 'Files', key: 'files', params }));
    expect(prompt.bind(params, ['a', 'b']).render().text).toBe('## 1. Files (files)\n\n- a\n- b');
  });

  test('must give a string, and what cannot be shown of an example is an error too', () => {
    const example = { description: 'd', input: 5n as unknown as undefined, output: '' };
    for (const prompt of [
      promptOf(new Late({ title: 'a', key: 'a' })),
      promptOf(section('a', { tools: [tool('t', { examples: [example] })] })),
    ]) {
      const error = thrownBy(() => prompt.render());
      expect(error).toBeInstanceOf(PromptRenderError);
      expect(error).toMatchObject({ sectionPath: 'a' });
    }
  });
});

describe('parameters', () => {
  const who = defineParams<{ name: string }>('who');
  const hello = () => section('a', { params: who, template: 'Hello $name' });

  test('bound twice have the later value (AD-024)', () => {
    const prompt = promptOf(hello()).bind(who, { name: 'x' }).bind(who, { name: 'y' });
    expect(prompt.render().text).toContain('Hello y');
    expect(prompt.render().renderInputs).toEqual([{ params: 'who', value: { name: 'y' } }]);
  });

  test('bound twice keep nothing of the earlier value (AD-024)', () => {
    const both = defineParams<{ first?: string; second?: string }>('both');
    const prompt = promptOf(section('a', { params: both, template: 'Hello' }))
      .bind(both, { first: 'x' })
      .bind(both, { second: 'y' });
    expect(prompt.render().renderInputs).toEqual([{ params: 'both', value: { second: 'y' } }]);
  });

  test('that no section uses are an error (AD-025)', () => {
    const other = defineParams<{ name: string }>('other');
    const error = thrownBy(() => promptOf(hello()).bind(other, { name: 'x' }).render());
    expect(error).toBeInstanceOf(PromptValidationError);
    expect(String(error)).toContain('"other"');
  });

  test('that are not bound have the default, which is not changed (AD-026)', () => {
    const defaultParams = Object.freeze({ name: 'nobody' });
    const prompt = promptOf(section('a', { params: who, template: 'Hello $name', defaultParams }));
    expect(prompt.render().text).toContain('Hello nobody');
    expect(prompt.bind(who, { name: 'x' }).render().text).toContain('Hello x');
    expect(defaultParams).toEqual({ name: 'nobody' });
  });

  test('defaults are checked and completed by the type when the section is built', () => {
    const typed = defineParams('typed', z.object({ name: z.string(), times: z.number().default(2) }));
    const config = { params: typed, template: '$name $times' };
    const whole = new MarkdownSection({ ...{ title: 'a', key: 'a', ...config }, defaultParams: { name: 'x' } });
    expect(promptOf(whole).render().text).toContain('x 2');
    for (const defaultParams of [{ name: 5 }, { name: 'x', extra: 1 }, 'x']) {
      const error = thrownBy(() => section('a', { ...config, defaultParams: defaultParams as never }));
      expect(error).toBeInstanceOf(PromptValidationError);
      expect(error).toMatchObject({ sectionPath: 'a', cause: { name: 'ValidationError' } });
      expect(String(error)).toContain('`defaultParams` of section "a"');
    }
  });

  test('with a type are checked when they are bound', () => {
    const typed = defineParams('typed', z.object({ name: z.string(), times: z.number().default(2) }));
    const prompt = promptOf(section('a', { params: typed, template: '$name $times' }));
    expect(prompt.bind(typed, { name: 'x' }).render().text).toContain('x 2');
    expect(thrownBy(() => prompt.bind(typed, { name: 5 } as never))).toMatchObject({
      name: 'ValidationError',
      issues: [{ path: 'name' }],
    });
  });

  test('of one prompt are no other prompt’s, though they share a template', () => {
    const template = new PromptTemplate({ ns: 'n', key: 'k', sections: [hello()] });
    const [one, two] = [new Prompt(template), new Prompt(template)];
    one.bind(who, { name: 'one' });
    two.bind(who, { name: 'two' });
    expect(one.render().text).toContain('Hello one');
    expect(two.render().text).toContain('Hello two');
  });

  test('that are not bound are named when a function of the section fails over them', () => {
    const prompt = promptOf(section('a', { params: who, enabled: ({ name }) => name !== '' }));
    expect(String(thrownBy(() => prompt.render()))).toContain('"who"');
  });
});

describe('tools', () => {
  test('show their examples at the end of the section (AD-029)', () => {
    const lookup = new Tool({
      name: 'lookup',
      description: 'Finds a word.',
      params: z.object({ word: z.string() }),
      examples: [
        { description: 'A known word', input: { word: 'a' }, output: '``` in it' },
        { description: 'Another', input: { word: 'b' }, output: { found: 0 } },
      ],
    });
    const { text } = promptOf(section('a', { template: 'Text.', tools: [lookup] })).render();
    expect(text).toBe(
      [
        '## 1. a (a)',
        '',
        'Text.',
        '',
        'Examples of `lookup`:',
        '',
        '- A known word',
        '  Input:',
        '  ```',
        '  {',
        '    "word": "a"',
        '  }',
        '  ```',
        '  Output:',
        '  ````',
        '  ``` in it',
        '  ````',
        '',
        '- Another',
        '  Input:',
        '  ```',
        '  {',
        '    "word": "b"',
        '  }',
        '  ```',
        '  Output:',
        '  ```',
        '  {"found":0}',
        '  ```',
      ].join('\n'),
    );
  });
});

describe('summaries', () => {
  const inner = section('inner', { template: 'Inner text', tools: [tool('inner-tool')] });
  const hidden = section('hidden', { enabled: () => false });
  const long = () =>
    section('long', {
      template: 'Long text',
      summary: 'Short text',
      visibility: 'summary',
      tools: [tool('own-tool')],
      children: [inner, hidden],
    });

  test('stand for the text, the children and the tools, and tell of open_sections (AD-030)', () => {
    const { text, tools, sections } = promptOf(long(), section('b', { tools: [tool('last')] })).render();
    expect(text).toContain('Short text');
    expect(text).not.toMatch(/Long text|Inner text/);
    expect(headings(text)).toEqual(['## 1. long (long)', '## 2. b (b)']);
    const closing = text.split('\n\n')[2] ?? '';
    expect(closing).toContain('`open_sections`');
    expect(closing).toContain('`long`');
    expect(closing).toContain('`long.inner`');
    expect(closing).not.toContain('hidden');
    expect(names(tools)).toEqual(['last', 'open_sections']);
    expect(sections[0]).toEqual({ path: 'long', number: '1', visibility: 'summary' });
  });

  test('without a summary the text is shown, whatever the visibility (AD-031)', () => {
    const prompt = promptOf(section('a', { template: 'Full text', visibility: 'summary' }));
    const session = new Session();
    session.mutate(VisibilityOverrides).seed({ a: 'summary' });
    for (const rendered of [prompt.render(), prompt.render({ session, visibilityOverrides: { a: 'summary' } })]) {
      expect(rendered.text).toBe('## 1. a (a)\n\nFull text');
      expect(rendered.tools).toEqual([]);
    }
  });

  test('are templates too', () => {
    const params = defineParams<{ n: number }>('p');
    const prompt = promptOf(section('a', { params, summary: '$n words', visibility: 'summary' }));
    expect(prompt.bind(params, { n: 3 }).render().text).toContain('3 words');
  });

  test('may be a matter of the parameters and the session', () => {
    const params = defineParams<{ brief: boolean }>('p');
    const prompt = promptOf(
      section('a', {
        params,
        template: 'long',
        summary: 'short',
        visibility: ({ brief }) => (brief ? 'summary' : 'full'),
      }),
    );
    expect(prompt.bind(params, { brief: true }).render().text).toContain('short');
    expect(prompt.bind(params, { brief: false }).render().text).toContain('long');
  });

  const order: readonly {
    own: 'full' | 'summary';
    session?: 'full' | 'summary';
    argument?: 'full' | 'summary';
    shown: 'full' | 'summary';
  }[] = [
    { own: 'summary', shown: 'summary' },
    { own: 'full', session: 'summary', shown: 'summary' },
    { own: 'summary', session: 'full', shown: 'full' },
    { own: 'full', argument: 'summary', shown: 'summary' },
    { own: 'full', session: 'summary', argument: 'full', shown: 'full' },
    { own: 'summary', session: 'full', argument: 'summary', shown: 'summary' },
  ];
  test.each(order)(
    'the argument goes before the session, the session before the section: %o',
    ({ own, session: set, argument, shown }) => {
      const session = new Session();
      if (set !== undefined)
        session.mutate(VisibilityOverrides).dispatch(SetVisibilityOverride, { path: 'o.a', visibility: set });
      const child = section('a', { template: 'full', summary: 'summary', visibility: own });
      const { text } = promptOf(section('o', { children: [child] })).render({
        session,
        ...(argument === undefined ? {} : { visibilityOverrides: { 'o.a': argument } }),
      });
      expect(text.split('\n')[4]).toBe(shown);
    },
  );

  test('an override for no section, or of another value, is an error; a stale one in the session is not', () => {
    const prompt = promptOf(long());
    const unknown = thrownBy(() => prompt.render({ visibilityOverrides: { lang: 'full' } }));
    expect(unknown).toBeInstanceOf(PromptValidationError);
    expect((unknown as PromptValidationError).hint).toContain('"long"');
    const odd = { long: 'open' } as unknown as { long: 'full' };
    expect(thrownBy(() => prompt.render({ visibilityOverrides: odd }))).toMatchObject({ sectionPath: 'long' });
    const session = new Session();
    session.mutate(VisibilityOverrides).seed({ lang: 'full' });
    expect(prompt.render({ session }).text).toContain('Short text');
  });
});

describe('what is rendered', () => {
  test('says that the output is an array (AD-034)', () => {
    const output = z.object({ a: z.string() });
    const prompt = new Prompt({ ns: 'n', key: 'k', output, outputContainer: 'array' });
    expect(prompt.render().outputContainer).toBe('array');
    expect(new Prompt({ ns: 'n', key: 'k', output }).render().outputContainer).toBe('object');
  });

  test('has no output and no tools by itself', () => {
    expect(promptOf().render()).toEqual({
      text: '',
      tools: [],
      output: undefined,
      outputContainer: 'object',
      allowExtraKeys: false,
      deadline: undefined,
      renderInputs: [],
      sections: [],
    });
  });

  test('bind() takes nothing but a parameter set', () => {
    const error = thrownBy(() => promptOf().bind({ name: 'p' } as never, {} as never));
    expect(error).toBeInstanceOf(PromptValidationError);
  });
});
