import { expect, expectTypeOf, test } from 'vitest';
import * as door from '../../src/index.js';

/** The values themselves are held against the official package by `test/parity/entries`. */
test('the constants (TS-185) have the sizes of release 0.3.330', () => {
  const { BUILTIN_TOOL_NAMES, EXIT_REASONS, LEGACY_TOOL_NAME_ALIASES } = door;
  expect(BUILTIN_TOOL_NAMES.length).toBe(54);
  expect(new Set(BUILTIN_TOOL_NAMES).size).toBe(54);
  expect(EXIT_REASONS).toEqual(['clear', 'resume', 'logout', 'prompt_input_exit', 'other']);
  expect(Object.keys(LEGACY_TOOL_NAME_ALIASES).length).toBe(9);
  expect(door.SYSTEM_PROMPT_DYNAMIC_BOUNDARY).toBe('__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__');
  expect([
    door.USAGE_LIMIT_ERROR_PREFIXES.length,
    door.USAGE_TRANSITION_PREFIXES.length,
    door.USAGE_WARNING_PREFIXES.length,
    door.ORG_POLICY_LIMIT_PREFIXES.length,
  ]).toEqual([12, 7, 2, 1]);
});

test('every former tool name leads to a name of today', () => {
  const names: readonly string[] = door.BUILTIN_TOOL_NAMES;
  expect(Object.values(door.LEGACY_TOOL_NAME_ALIASES).filter((name) => !names.includes(name))).toEqual([]);
});

test('the lists have literal types, so that a program can switch over them', () => {
  expectTypeOf<'Bash'>().toExtend<(typeof door.BUILTIN_TOOL_NAMES)[number]>();
  expectTypeOf<(typeof door.EXIT_REASONS)[number]>().toEqualTypeOf<
    'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other'
  >();
  expectTypeOf<typeof door.SYSTEM_PROMPT_DYNAMIC_BOUNDARY>().toEqualTypeOf<'__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__'>();
});
