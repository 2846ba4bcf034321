/**
 * A consumer that takes 10 messages of 100 KB a second for 5 s and then all it can get, of 300 MB: the growth of the process in MB,
 * or the time as a multiple of that of a plain `query()` without callbacks, which may stop reading meanwhile.
 */
import { CheckFailed, FloodCheck } from '../frames.mjs';
import { nodeCli, sleep, watchGrowth } from './support.mjs';

const KIND = '100k';
const COUNT = 3000;
const SLOW_MS = 5000;
const PAUSE_MS = 100;
/** Kept in the repository's own build. */
const ADAPTER = `${process.env.BENCH_DIST}/adapter/index.js`;

const RUNS = { query: runQuery, evaluate: runEvaluate, agent: runAgent };

export async function measure(contender, { by, what }) {
  await contender.load({ tools: true });
  const adapter = by === 'query' ? undefined : await import(ADAPTER);
  const plainMs = what === 'ratio' ? await timed(() => runQuery(contender, false)) : undefined;
  const growth = watchGrowth();
  const ms = await timed(() => RUNS[by](contender, true, adapter));
  const megabytes = growth.stop();
  return what === 'ratio' ? ms / plainMs : megabytes;
}

async function runQuery(contender, hasCallbacks) {
  const check = new FloodCheck();
  const pace = new Pace();
  let report;
  const session = contender.open({
    cli: flood(),
    prompt: 'Go.',
    ...(hasCallbacks && {
      canUseTool: (_name, input) => ({ behavior: 'allow', updatedInput: input }),
      hook: () => ({}),
      tool: ({ a, b }) => String(a + b),
    }),
    onMessage(message) {
      if (message.type === 'result') report = message.bench;
      return check.see(message) ? pace.next() : undefined;
    },
  });
  await session.done;
  check.finish(KIND, report);
}

/** `onMessage` cannot be waited for: it blocks the process. */
async function runEvaluate(_contender, _hasCallbacks, { ClaudeAgentAdapter, MarkdownSection, Prompt }) {
  const check = new FloodCheck();
  const pace = new Pace();
  let report;
  const { file, script, env } = flood();
  const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' });
  await new ClaudeAgentAdapter({
    allowedTools: [],
    clientConfig: {
      permissionMode: 'default',
      pathToClaudeCodeExecutable: script,
      env: { ...env, PATH: `${file}/..:${env.PATH}` },
    },
  }).evaluate(new Prompt({ ns: 'bench', key: 'flood', sections: [section] }), {
    onMessage(message) {
      if (message.type === 'result') report = message.bench;
      if (check.see(message) && pace.isSlow) block(PAUSE_MS);
    },
  });
  check.finish(KIND, report);
}

async function runAgent(_contender, _hasCallbacks, { ClaudeCodeAdapter }) {
  const pace = new Pace();
  const { script, env } = flood();
  const events = new ClaudeCodeAdapter({ pathToClaudeCodeExecutable: script }).run('Go.', {
    env,
    permissions: { fileWrite: 'ask' },
    onPermissionRequest: () => 'deny',
  });
  let count = 0;
  for await (const { type } of events) {
    if (type !== 'text') continue;
    count += 1;
    await pace.next();
  }
  if (count !== COUNT) throw new CheckFailed(`${count} texts instead of ${COUNT}`);
}

function flood() {
  return nodeCli({ mode: 'flood', kind: KIND, count: COUNT });
}

/** The consumer's speed. */
class Pace {
  #slowUntil = performance.now() + SLOW_MS;

  get isSlow() {
    return performance.now() < this.#slowUntil;
  }

  /** Waited for where it is something. */
  next() {
    return this.isSlow ? sleep(PAUSE_MS) : undefined;
  }
}

async function timed(run) {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function block(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
