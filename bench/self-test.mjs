/**
 * Proves that the checks work: runs a contender with one fault each and expects every run to fail, and
 * one without a fault that must pass.
 *
 *   node bench/self-test.mjs
 */
import { runOnce } from './runner.mjs';

const READING = { workload: 'reading', params: { kind: 'small', count: 5000, warmUp: 500 } };
const ASKING = { workload: 'asking', params: { question: 'permission', count: 300, warmUp: 10, inFlight: 4 } };

const EXPECTATIONS = [
  { fault: 'none', run: READING, error: undefined },
  { fault: 'none', run: ASKING, error: undefined },
  { fault: 'lost', run: READING, error: /CheckFailed: frame \d+ was due/ },
  { fault: 'doubled', run: READING, error: /CheckFailed: frame \d+ was due/ },
  { fault: 'swapped', run: READING, error: /CheckFailed: frame \d+ was due/ },
  { fault: 'cut', run: READING, error: /CheckFailed: UTF-16 units of text/ },
  { fault: 'answer', run: ASKING, error: /CheckFailed: wrong answers: 1 instead of 0/ },
];

let failures = 0;
for (const { fault, run, error } of EXPECTATIONS) {
  const outcome = await runOnce('broken', run, { env: { BENCH_FAULT: fault } });
  const isAsExpected = error === undefined ? outcome.error === undefined : error.test(outcome.error ?? '');
  if (!isAsExpected) failures += 1;
  const expected = error === undefined ? 'passes' : 'is caught';
  console.log(`${isAsExpected ? 'ok' : 'NOT OK'}  ${run.workload}, fault ${fault}: ${expected}`);
  if (!isAsExpected) console.log(outcome.error ?? `it passed with ${outcome.value}`);
}
process.exitCode = failures === 0 ? 0 : 1;
