/** For the vitest recipes alone: `npx vitest run --root examples/testing`. */
export default { test: { include: ['*.vitest.mjs'] } };
