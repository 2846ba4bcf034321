import { z } from 'zod';
import {
  type AnyTool,
  defineParams,
  defineSlice,
  defineType,
  MarkdownSection,
  Prompt,
  PromptTemplate,
  parseValue,
  parseValueAsync,
  type RenderedPrompt,
  Section,
  Tool,
  ToolResult,
} from '../../src/adapter/index.js';
import { fits, type Same } from './assignable.js';

/** What the compiler makes of prompts, tools and types. Compiled, not run. */

interface Person {
  readonly name: string;
  readonly age: number;
}
const Zod = z.object({ name: z.string(), age: z.number() });
type ZodPerson = z.infer<typeof Zod>;
type OutputOf<P> = P extends Prompt<infer T> ? T : never;

// Types.
const fromZod = defineType(Zod);
const withJson = defineType(Zod, { type: 'object' });
const asserted = defineType<Person>({ type: 'object' });
fits<Same<NonNullable<(typeof fromZod)['~type']>, ZodPerson>>(true);
fits<Same<NonNullable<(typeof withJson)['~type']>, ZodPerson>>(true);
fits<Same<NonNullable<(typeof asserted)['~type']>, Person>>(true);
const parsed = parseValue(Zod, {}, { extra: 'forbid' });
fits<Same<typeof parsed, ZodPerson>>(true);
const later = parseValueAsync(asserted, {}, { extra: 'ignore' });
fits<Same<typeof later, Promise<Person>>>(true);
// Nobody knows what a bare JSON Schema describes.
const bare = parseValue({ type: 'object' } as const, {}, { extra: 'allow' });
fits<Same<typeof bare, unknown>>(true);

// Outputs.
const none = new Prompt({ ns: 'n', key: 'k' });
fits<Same<OutputOf<typeof none>, null>>(true);
const one = new Prompt({ ns: 'n', key: 'k', output: Zod });
fits<Same<OutputOf<typeof one>, ZodPerson>>(true);
const many = new Prompt({ ns: 'n', key: 'k', output: asserted, outputContainer: 'array' });
fits<Same<OutputOf<typeof many>, Person[]>>(true);
const template = new PromptTemplate({ ns: 'n', key: 'k', output: asserted });
const fromTemplate = new Prompt(template);
fits<Same<OutputOf<typeof fromTemplate>, Person>>(true);
const arrayTemplate = new PromptTemplate({ ns: 'n', key: 'k', output: Zod, outputContainer: 'array' });
const fromArrayTemplate = new Prompt(arrayTemplate);
fits<Same<OutputOf<typeof fromArrayTemplate>, ZodPerson[]>>(true);
fits<Prompt<unknown>>(one);
fits<RenderedPrompt<Person>>(one.render());
const People = defineSlice<Person>('People');
new Prompt({ ns: 'n', key: 'k', output: asserted, outputSlice: People });
new Prompt({ ns: 'n', key: 'k', output: asserted, outputContainer: 'array', outputSlice: People });
// @ts-expect-error the slice holds something else
new Prompt({ ns: 'n', key: 'k', output: asserted, outputSlice: defineSlice<string>('Texts') });

// Tools.
const typed = new Tool({
  name: 't',
  description: 'd',
  params: Zod,
  handler: ({ name, age }, { context }) => {
    fits<string>(name);
    fits<number>(age);
    fits<AbortSignal>(context.signal);
    return ToolResult.ok('m', { name });
  },
  examples: [{ description: 'd', input: { name: 'a', age: 1 }, output: { name: 'a' } }],
});
fits<Same<typeof typed, Tool<ZodPerson, { name: string }>>>(true);
const slow = new Tool({
  name: 't',
  description: 'd',
  handler: async (params) => {
    fits<undefined>(params);
    return new ToolResult({ message: 'm', value: 1 });
  },
});
fits<Same<typeof slow, Tool<undefined, number>>>(true);
const failing = new Tool({
  name: 't',
  description: 'd',
  params: asserted,
  handler: ({ age }) => (age < 0 ? ToolResult.failed('m') : ToolResult.ok('m', age)),
});
fits<Same<Parameters<NonNullable<(typeof failing)['handler']>>[0], Person>>(true);
const list: readonly AnyTool[] = [typed, slow, failing];
// @ts-expect-error a handler gives a ToolResult
new Tool({ name: 't', description: 'd', handler: () => 'text' });

// Sections and parameters.
const who = defineParams<{ name: string }>('who');
const withDefaults = defineParams('p', z.object({ n: z.number().default(1), s: z.string() }));
const sections = [
  new MarkdownSection({ title: 'a', key: 'a', template: '$name', params: who, tools: list }),
  new MarkdownSection({
    title: 'b',
    key: 'b',
    template: '$n',
    params: withDefaults,
    defaultParams: { n: 1, s: '' },
    enabled: ({ n, s }) => {
      fits<number>(n);
      return s !== '';
    },
    visibility: ({ n }) => (n > 1 ? 'summary' : 'full'),
  }),
  new Section({ title: 'c', key: 'c', children: [new Section({ title: 'd', key: 'd' })] }),
];
// Defaults are what could be bound.
const lengthOf = defineParams(
  'l',
  z.string().transform((text) => text.length),
);
new MarkdownSection({ title: 'e', key: 'e', template: '', params: withDefaults, defaultParams: { s: '' } });
new MarkdownSection({ title: 'e', key: 'e', template: '', params: lengthOf, defaultParams: 'four' });
// @ts-expect-error what the type makes of it is not what is bound
new MarkdownSection({ title: 'e', key: 'e', template: '', params: lengthOf, defaultParams: 4 });
class Counting extends Section<{ n: number; s: string }> {}
new Counting({ title: 'e', key: 'e', params: withDefaults, defaultParams: { n: 1, s: '' } });
// @ts-expect-error a field that sections do not have
new MarkdownSection({ title: 'e', key: 'e', template: '', tool: [] });
const bound = new Prompt({ ns: 'n', key: 'k', sections, output: Zod });
// What has a default need not be bound.
fits<Prompt<ZodPerson>>(bound.bind(who, { name: 'x' }).bind(withDefaults, { s: '' }));
// @ts-expect-error not the type of the parameter set
bound.bind(who, { name: 5 });
// @ts-expect-error a parameter that the set does not have
bound.bind(who, { name: 'x', nome: 'y' });
