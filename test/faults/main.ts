/**
 * Injects faults into sessions, each drawn by chance from a seed: what the CLI does wrong, what the program does with its session,
 * what its callbacks, its prompt and its store do.
 *
 *   npm run faults -- --seed N --runs N [--from N] [--verbose]
 *
 * `--from N --runs 1` repeats one case. The last line is `N passed, N failed`.
 */
import { parseArgs } from 'node:util';
import { runFaults } from './run-faults.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '5000' },
    from: { type: 'string', default: '0' },
    verbose: { type: 'boolean', default: false },
  },
});
const result = await runFaults({
  seed: Number(values.seed),
  from: Number(values.from),
  runs: Number(values.runs),
  onReport: (index, { name, outcome, violations }) => {
    if (values.verbose || violations.length > 0) console.log(`#${index} ${name}: ${outcome}`);
    for (const violation of violations) console.log(`  ${violation}`);
  },
});
console.log(`seed ${values.seed}: ${result.fired} faults reached the wire`);
console.log(`outcomes: ${JSON.stringify(result.outcomes)}`);
console.log(`${result.passed} passed, ${result.failed} failed`);
// The exit code must not wait for what a case may have left behind.
process.exit(result.failed === 0 ? 0 : 1);
