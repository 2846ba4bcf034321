/**
 * Runs questions of `port-checks.mjs` on the real CLI: the part of `run-ports.mjs --check` that has no network but
 * loopback.
 *
 *   node port-stage.mjs JOB.json
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKS } from './port-checks.mjs';

const ANSWER_LIMIT_MS = 15_000;
const OVER_LIMIT_MS = 20_000;
const LONGEST_FACT = 300;

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { messagesApi } = await import(pathToFileURL(join(job.sdk, 'testing', 'index.js')).href);
const { DriverProcess, LineChecker } = await import(pathToFileURL(join(job.dist, 'index.js')).href);
const checker = new LineChecker(JSON.parse(readFileSync(job.schema, 'utf8')));

async function runCheck({ turns, play }) {
  const folder = mkdtempSync(join(tmpdir(), 'cw-port-'));
  // The checks look at what was asked.
  const api = await messagesApi({ turns, strict: false });
  const stage = new Stage(folder, api);
  try {
    await stage.open();
    await play(stage);
    await stage.finish();
    return stage.facts;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return [`cannot be asked: ${error.message}`];
  } finally {
    await stage.driver?.kill();
    for (const pid of clisIn(folder)) process.kill(pid, 'SIGKILL');
    await api.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The port has no way to do what the question asks for. */
class Unsupported extends Error {}

/** One driver, one CLI, one scripted API, and folders that are thrown away. */
export class Stage {
  facts = [];
  #events = [];
  #wake = () => {};
  #isFinished = false;

  constructor(folder, api) {
    this.folder = folder;
    this.api = api;
    for (const name of ['home', 'config', 'tmp', 'work']) mkdirSync(join(folder, name));
    this.cwd = join(folder, 'work');
  }

  async open() {
    const env = {
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      HOME: join(this.folder, 'home'),
      CLAUDE_CONFIG_DIR: join(this.folder, 'config'),
      TMPDIR: join(this.folder, 'tmp'),
      ANTHROPIC_API_KEY: 'sk-ant-fake',
      ANTHROPIC_BASE_URL: this.api.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    };
    this.driver = await DriverProcess.start({ command: job.command, checker, env });
    this.driver.faulted.catch((error) => this.tell(`the driver ended: ${error.message}`));
    this.driver.listen((event) => {
      this.#events.push(event);
      this.#wake();
    });
  }

  tell(fact) {
    const short = fact.replaceAll(this.folder, '$folder').replaceAll(/\s+/g, ' ');
    this.facts.push(short.length > LONGEST_FACT ? `${short.slice(0, LONGEST_FACT)}…` : short);
  }

  async start(command) {
    await this.#request('start', {
      options: {},
      callbacks: {},
      ...command,
      command: 'start',
      cli: job.cli,
      cwd: this.cwd,
    });
  }
  async send(content, fields = {}) {
    await this.#request('send', { command: 'send', content, fields }, true);
  }
  async call(method, ...args) {
    await this.#request(`${method}(${args.join(', ')})`, { command: 'call', method, args });
  }
  /** A command without fields. */
  async command(name) {
    await this.#request(name, { command: name }, true);
  }
  async close() {
    await this.#request('close', { command: 'close' });
  }
  async finish() {
    if (this.#isFinished) return;
    this.#isFinished = true;
    await this.#request('finish', { command: 'finish' }, true);
  }
  pause(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  async #request(name, command, isQuiet = false) {
    const began = performance.now();
    const late = this.pause(ANSWER_LIMIT_MS).then(() => undefined);
    const reply = await Promise.race([this.driver.request(command), late]);
    const ms = performance.now() - began;
    if (reply === undefined) this.tell(`${name}: no answer in ${ANSWER_LIMIT_MS / 1000} s`);
    else if (reply.error !== undefined)
      this.tell(`${name}: fails with ${reply.error.class} "${reply.error.message}"${after(ms)}`);
    else if (reply.unsupported !== undefined && command.command === 'start') throw new Unsupported(reply.unsupported);
    else if (reply.unsupported !== undefined) this.tell(`${name}: unsupported, ${reply.unsupported}`);
    else if (!isQuiet) this.tell(`${name}: done${after(ms)}`);
  }

  /** Until the loop is over. */
  async over(limitMs = OVER_LIMIT_MS) {
    const isEnd = ({ what }) => what === 'end' || what === 'error';
    const began = performance.now();
    await this.#until(() => this.#events.some(isEnd), limitMs);
    const end = this.#events.find(isEnd);
    const ms = performance.now() - began;
    if (end === undefined) this.tell(`the loop over the messages is not over ${limitMs / 1000} s later`);
    else if (end.what === 'end') this.tell(`the loop ends without an error${after(ms)}`);
    else this.tell(`the loop fails with ${end.error.class} "${end.error.message}"${after(ms)}`);
  }

  async results(count, limitMs) {
    await this.#until(() => this.#messages('result').length >= count, limitMs);
  }

  async called(name, limitMs) {
    await this.#until(() => this.#events.some((event) => event.what === 'callback' && event.name === name), limitMs);
  }

  async #until(isTrue, limitMs) {
    const late = this.pause(limitMs).then(() => 'late');
    while (!isTrue()) {
      const woken = new Promise((resolve) => {
        this.#wake = resolve;
      });
      if ((await Promise.race([woken, late])) === 'late') return;
    }
  }

  #messages(type) {
    const messages = this.#events.filter(({ what }) => what === 'message').map(({ message }) => message);
    return type === undefined ? messages : messages.filter((message) => message?.type === type);
  }

  tellMessages() {
    const names = this.#messages().map(({ type, subtype, is_error: isError }) => {
      const name = subtype === undefined ? type : `${type}/${subtype}`;
      return isError === true ? `${name} (is_error)` : name;
    });
    this.tell(`messages: ${names.join(', ') || 'none'}`);
  }
  tellFields(type, fields) {
    const [message] = this.#messages(type);
    const has = fields.filter((field) => message?.[field] !== undefined);
    const lacks = fields.filter((field) => message?.[field] === undefined);
    this.tell(`${type}: has ${has.join(', ') || 'none'}; lacks ${lacks.join(', ') || 'none'} of these`);
  }
  tellCalls(name) {
    const count = this.#events.filter((event) => event.what === 'callback' && event.name === name).length;
    this.tell(`the callback was called ${count === 1 ? 'once' : `${count} times`}`);
  }
  tellInput(name) {
    const asked = this.#events.find((event) => event.what === 'callback' && event.name === name);
    this.tell(`the callback got ${asked === undefined ? 'nothing' : JSON.stringify(asked.input)}`);
  }
  /** Processes of the CLI that still run. */
  tellLeft() {
    this.tell(`processes of the CLI that are left: ${clisIn(this.folder).length}`);
  }
  tellFile(name) {
    this.tell(`${name} was ${existsSync(join(this.cwd, name)) ? '' : 'not '}made`);
  }
  tellDenials() {
    const refused = this.#answers().filter((given) => given.is_error === true);
    this.tell(`tool results with is_error that the model got: ${refused.length}`);
  }
  tellAnswerToModel(word) {
    const given = this.#answers().map(({ content }) =>
      typeof content === 'string' ? content : JSON.stringify(content),
    );
    this.tell(
      `the model got ${given.length === 0 ? 'no tool result' : `"${given.join('", "')}"`}${given.some((each) => each.includes(word)) ? '' : `, without "${word}"`}`,
    );
  }

  tellCount(type) {
    this.tell(`messages of the type ${type}: ${this.#messages(type).length}`);
  }
  tellSessionId(wanted) {
    const ids = new Set(this.#messages('result').map((message) => message.session_id));
    this.tell(`the session id of the result is ${ids.has(wanted) ? '' : 'not '}the one that was asked for`);
  }
  tellRequest(field) {
    this.tell(`${field} of the request to the API: ${JSON.stringify(this.#lastRequest()?.[field]) ?? 'none'}`);
  }
  tellRequestHas(word) {
    const has = JSON.stringify(this.#lastRequest()?.messages ?? []).includes(word);
    this.tell(`the last request to the API ${has ? 'has' : 'does not have'} "${word}"`);
  }
  tellSystemPrompt() {
    const { system = '' } = this.#lastRequest() ?? {};
    const length = typeof system === 'string' ? system.length : system.reduce((sum, each) => sum + each.text.length, 0);
    this.tell(`characters of the system prompt in the request to the API: ${length}`);
  }

  #lastRequest() {
    return this.api.requests.filter(({ kind }) => kind === 'main').at(-1)?.body;
  }

  /** Tool results in the requests that the CLI made to the API. */
  #answers() {
    const blocks = (this.#lastRequest()?.messages ?? []).flatMap(({ content }) =>
      Array.isArray(content) ? content : [],
    );
    return blocks.filter(({ type }) => type === 'tool_result');
  }

  tellTranscript(word) {
    const files = readdirSync(join(this.folder, 'config'), { recursive: true }).filter((file) =>
      file.endsWith('.jsonl'),
    );
    const has = files.some((file) => readFileSync(join(this.folder, 'config', file), 'utf8').includes(word));
    this.tell(`the transcript ${has ? 'has' : 'does not have'} the answer`);
  }

  killCli(signal) {
    const pids = clisIn(this.folder);
    for (const pid of pids) process.kill(pid, signal);
    this.tell(`${signal} to ${pids.length} process(es)`);
  }
}

const after = (ms) => (ms < 1000 ? '' : ` after ${Math.round(ms / 1000)} s`);

/** Processes that run the CLI in a folder below this one. */
function clisIn(folder) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) && readlinkSync(`/proc/${pid}/exe`) === job.cli;
      } catch {
        return false;
      }
    })
    .map(Number);
}

const seen = {};
for (const name of job.checks) {
  seen[name] = await runCheck(CHECKS[name]).catch((error) => [`the check itself failed: ${error.message}`]);
  console.log(`  ${job.port} ${name}`);
  for (const fact of seen[name]) console.log(`    ${fact}`);
}
writeFileSync(job.out, `${JSON.stringify(seen)}\n`);
