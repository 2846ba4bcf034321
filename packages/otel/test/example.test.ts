import { expect, test } from 'vitest';

test('the example prints the tree of its run and what it cost', async () => {
  const lines: string[] = [];
  const { main }: { main: (print: (line: string) => void) => Promise<void> } = await import(
    // Plain JavaScript, as a reader runs it.
    // @ts-expect-error: it has no declarations
    '../examples/tracing.mjs'
  );
  await main((line) => lines.push(line));
  expect(lines.slice(0, -1)).toEqual([
    'invoke_agent claude-code (completed)',
    '  turn (completed)',
    '    chat claude-opus-5-5',
    '      execute_tool Bash (denied)',
    '        * claudewire.permission deny',
    '    chat claude-opus-5-5',
  ]);
  expect(lines.at(-1)).toMatch(/^kind,tenant,run.*\r\nturn,,\w+,/);
});
