/** A prompt with a tool of yours and a typed answer, under a deadline and a budget. */
import {
  Budget,
  ClaudeAgentAdapter,
  Deadline,
  defineType,
  MarkdownSection,
  Prompt,
  Tool,
  ToolResult,
} from 'claudewire/adapter';
import { z } from 'zod';

const lookUp = new Tool({
  name: 'look_up',
  description: 'Where a book stands',
  params: defineType(z.object({ title: z.string() })),
  handler: ({ title }) =>
    title === 'Walden'
      ? ToolResult.ok('Shelf 7', { shelf: 7 })
      : ToolResult.failed(`No book called ${title}`),
});

const prompt = new Prompt({
  ns: 'library',
  key: 'shelf',
  sections: [
    new MarkdownSection({
      title: 'Task',
      key: 'task',
      template: 'Say on which shelf Walden stands. Look it up.',
      tools: [lookUp],
    }),
  ],
  output: defineType(z.object({ title: z.string(), shelf: z.number() })),
});

const adapter = new ClaudeAgentAdapter({
  allowedTools: [],
  clientConfig: { permissionMode: 'default' },
});
const { output, report } = await adapter.evaluate(prompt, {
  deadline: Deadline.fromNow(5 * 60_000),
  budget: new Budget({ maxTotalTokens: 50_000 }),
});

console.log('answer', output);
console.log('tools ', report.tools.used.map(({ name }) => name).join(', '));
console.log('tokens', report.usage.inputTokens, report.usage.outputTokens);
if (output?.shelf !== 7) process.exitCode = 1;
