import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RawSession } from './raw-session.mjs';

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/** A place of its own for one probe: folders, a Messages API on loopback, and runs of the CLI. */
export class Stage {
  #root;

  /** @param {{ cli: string, root: string, messagesApi: Function, privateEnvironment: Function, adapter: Function }} tools */
  constructor(tools) {
    this.tools = tools;
    this.#root = mkdtempSync(join(tools.root, 'probe-'));
    this.work = join(this.#root, 'work');
    mkdirSync(this.work);
    this.env = tools.privateEnvironment(this.#root);
    this.config = this.env.CLAUDE_CONFIG_DIR;
  }

  /** A path outside the working directory. */
  outside(name) {
    return join(this.#root, name);
  }

  write(file, text) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text));
    return file;
  }

  /** Everything of the PATH but these programs. */
  pathWithout(...names) {
    const bin = this.outside('bin');
    mkdirSync(bin);
    for (const folder of (process.env.PATH ?? '').split(':').filter(existsSync)) {
      for (const name of readdirSync(folder)) {
        if (!names.includes(name) && !existsSync(join(bin, name))) symlinkSync(join(folder, name), join(bin, name));
      }
    }
    return bin;
  }

  /**
   * One turn: the model calls each of `calls`, one after the other, then answers with text. `permission` gives the body
   * of its answer, `undefined` to deny, or `null` to give none.
   *
   * @param {{ args?: string[], calls?: [string, object][] | Function, initialize?: object, env?: object, permission?: Function,
   *   hook?: Function, mcp?: Function, message?: object, before?: Function, after?: Function, limitMs?: number,
   *   graceMs?: number }} turn
   */
  async play({
    args = [],
    calls = [],
    initialize = {},
    env = {},
    permission,
    hook,
    mcp,
    message,
    before,
    after,
    limitMs,
    graceMs,
  }) {
    const asked = [];
    const hooked = [];
    const turn = (request) => {
      const done = JSON.stringify(request.body.messages).match(/"type":"tool_result"/g)?.length ?? 0;
      const call = typeof calls === 'function' ? calls(request.body, done) : calls[done];
      return call === undefined ? 'Done.' : { blocks: [{ type: 'tool_use', name: call[0], input: call[1] }] };
    };
    const api = await this.tools.messagesApi({ turns: [], fallback: turn });
    const command = /\.[cm]?js$/.test(this.tools.cli) ? [process.execPath, this.tools.cli] : [this.tools.cli];
    const place = {
      cwd: this.work,
      env: { ...this.env, CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', ANTHROPIC_BASE_URL: api.url, ...env },
    };
    const session = new RawSession([...command, ...BASE, ...args], place, {
      can_use_tool: (request) => {
        asked.push(request);
        const answer = permission?.(request);
        if (answer === null) return undefined;
        return answer ?? { behavior: 'deny', message: 'Denied by the callback.' };
      },
      hook_callback: (request) => {
        hooked.push(request);
        return hook === undefined ? {} : hook(request);
      },
      mcp_message: mcp,
    });
    try {
      const answer = await session.request('initialize', initialize);
      await before?.(session);
      if (!session.hasEnded) session.say({ content: 'Go.', ...message });
      const result = await session.until(({ type }) => type === 'result', { limitMs });
      await after?.(session);
      session.ended = session.hasEnded;
      const bodies = api.requests.filter(({ kind }) => kind === 'main').map(({ body }) => body);
      const init = session.frames.find(({ type, subtype }) => type === 'system' && subtype === 'init');
      return { answer, asked, hooked, result, bodies, init, session };
    } finally {
      await session.close(graceMs);
      await api.close();
    }
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Why a run did not come to its result, in a few words that are the same for each run; `undefined` when it did. */
export function failure({ result, session, init }) {
  if (result?.subtype !== undefined && !(result.subtype === 'error_during_execution' && result.num_turns === 0)) return;
  if (!session.ended) return 'no result';
  const said = [...(result?.errors ?? []), ...session.stderr.split('\n')].find((each) => each.trim() !== '') ?? '';
  if (said.includes('unknown option')) return 'unknown flag';
  if (said.includes('Allowed choices')) return 'unknown value';
  const line = said
    .trim()
    .replace(/\/\S*\/(?=\S)/g, '')
    .replace(/[.:;].*/s, '');
  return `${init === undefined ? 'refuses to start' : 'ends'}: ${line.slice(0, 60)}`;
}
