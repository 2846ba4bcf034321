/**
 * One run of one case by one contender, in a process of its own:
 *
 *   node one-run.mjs '{"contender":"raw","workload":"reading","params":{...}}'
 *
 * Prints the figure as JSON. Anything that is not as it should be (a lost frame, a wrong answer) ends
 * the process with an error instead. Imports nothing else before the measurement: start-up is measured, too.
 *
 * A contender is a module with `load(needs)`, which imports whatever it needs, and `open(work)`, which
 * starts one session and returns `{ done, setModel(model), abort() }`. `work` holds
 *
 * - `cli`: `{ file, args, script?, env }`; `script` is the script that `file` runs, `args` begins with it;
 * - `prompt`: a string, or an async iterable of user frames;
 * - `onMessage(message)`: for every message; `true` leaves the loop, a promise is waited for (by an SDK);
 * - `canUseTool(name, input)`, `hook(input)`, `tool({ a, b })`: answer the CLI, where a workload needs it;
 * - `viaInstance`: the tool stands on an `McpServer` instance;
 * - `abortController`: shared by sessions, where a workload needs it.
 */
const { contender, workload, params } = JSON.parse(process.argv[2]);
const [contenderModule, { measure }] = await Promise.all([
  import(`./contenders/${contender}.mjs`),
  import(`./workloads/${workload}.mjs`),
]);
const value = await measure(contenderModule, params, contender);
if (!Number.isFinite(value)) throw new Error(`The run gave no figure: ${value}`);
console.log(JSON.stringify({ value, peakRssMb: process.resourceUsage().maxRSS / 1024 }));
// An SDK may leave timers behind; what is measured is over.
process.exit(0);
