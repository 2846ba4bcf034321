import { expect, test } from 'vitest';
import { namesOfTool } from '../../../src/adapter/options/tool-names.js';

test.each([
  ['Task', ['Agent', 'Task']],
  ['Agent', ['Agent', 'Task']],
  ['KillBash', ['TaskStop', 'KillShell', 'KillBash']],
  ['Bash', ['Bash']],
  ['constructor', ['constructor']],
])('%s is known as %j', (name, names) => {
  expect(namesOfTool(name)).toEqual(names);
});
