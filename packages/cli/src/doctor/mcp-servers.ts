import { join } from 'node:path';
import { replaceSecrets } from 'claudewire/testing';
import { configLocation } from '../../../../src/util/config-folder.js';
import { errorText } from '../../../../src/util/error-text.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../../src/util/json.js';
import { isFound } from '../find-program.js';
import { type Finding, warned } from './finding.js';
import { guardServer } from './guard-server.js';
import { readRegularFile } from './read-file.js';

export interface McpOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Starts every server, or connects to it, and asks for its tools. */
  readonly probe: boolean;
  /** Milliseconds for each answer of a server. @defaultValue 10_000 */
  readonly probeMs?: number;
  /** Ends every server that was started, and asks no further. */
  readonly signal?: AbortSignal;
}

interface Server {
  readonly where: string;
  readonly config: JsonObject;
}

const PROBE_MS = 10_000;
/** Bounded, so that a file of nothing but beginnings costs little. */
const VARIABLE = /\$\{(\w{1,200})(:-[^}]{0,1000})?\}/g;

/** The MCP servers that the CLI finds in its files. Starts nothing unless `probe` is set. */
export async function mcpFindings(options: McpOptions): Promise<readonly Finding[]> {
  const { env, cwd, probe } = options;
  const { servers, findings } = configuredServers(env, cwd);
  const about = await Promise.all(
    servers.map(async (server): Promise<readonly Finding[]> => {
      const problems = staticProblems(server, options);
      if (!probe) return problems;
      // What cannot be started was asked about too.
      if (problems.length > 0) return problems.map((each) => ({ ...each, status: 'failed' }));
      return [await probed(server, options)];
    }),
  );
  const all = [...findings, ...about.flat()];
  return probe && all.length === 0 ? [noServers(env, cwd)] : all;
}

function noServers(env: McpOptions['env'], cwd: string): Finding {
  const where = `${join(cwd, '.mcp.json')}, ${configLocation(env, cwd).globalFile}`;
  return { name: 'mcp', status: 'passed', where, found: 'They configure no MCP server.', fix: undefined };
}

function configuredServers(
  env: McpOptions['env'],
  cwd: string,
): { readonly servers: readonly Server[]; readonly findings: readonly Finding[] } {
  const { globalFile } = configLocation(env, cwd);
  const findings: Finding[] = [];
  const read = (file: string): JsonObject => {
    const { text, code } = readRegularFile(file);
    if (text === undefined) {
      if (code !== 'ENOENT') findings.push(warned('mcp', file, `It cannot be read: ${code}.`, 'Correct or remove it.'));
      return {};
    }
    // The CLI reads files with a byte order mark.
    const content = parseJsonObject(text.replace(/^\uFEFF/, ''));
    if (content === undefined) findings.push(warned('mcp', file, 'It is no JSON object.', 'Correct the file.'));
    return content ?? {};
  };
  const [project, global] = [join(cwd, '.mcp.json'), globalFile].map((file) => ({ file, content: read(file) }));
  const local = isJsonObject(global?.content.projects) ? global.content.projects[cwd] : undefined;
  const lists = [
    ...[project, global].map((each) => ({ file: each?.file ?? '', list: each?.content.mcpServers })),
    { file: globalFile, list: isJsonObject(local) ? local.mcpServers : undefined },
  ];
  const servers = lists.flatMap(({ file, list }) =>
    Object.entries(isJsonObject(list) ? list : {}).map(([name, config]) => ({
      where: `${name} in ${file}`,
      config: isJsonObject(config) ? config : {},
    })),
  );
  return { servers, findings };
}

function staticProblems({ where, config }: Server, { env, cwd }: McpOptions): readonly Finding[] {
  const unset = [...JSON.stringify(config).matchAll(VARIABLE)]
    .filter(([, name = '', fallback]) => fallback === undefined && env[name] === undefined)
    .map(([, name]) => name);
  if (unset.length > 0) {
    const names = [...new Set(unset)].join(', ');
    return [warned('mcp', where, `It uses ${names}, which the environment does not have.`, `Set ${names}.`)];
  }
  const command = expand(config.command, env);
  if (command === '' && typeof config.url !== 'string') {
    return [warned('mcp', where, 'It has no `command` and no `url`.', 'Add one of them.')];
  }
  if (command !== '' && !isFound(command, env, cwd)) {
    // As the file has it: a variable's value may be a secret.
    const found = `Its command ${String(config.command)} was not found.`;
    return [warned('mcp', where, found, 'Install it, or give its whole path.')];
  }
  const url = expand(config.url, env);
  if (url !== '' && !URL.canParse(url)) return [warned('mcp', where, 'Its `url` is no address.', 'Correct it.')];
  return [];
}

function expand(value: unknown, env: McpOptions['env']): string {
  if (typeof value !== 'string') return '';
  return value.replace(VARIABLE, (_all, name: string, fallback?: string) => env[name] ?? fallback?.slice(2) ?? '');
}

/** Connects as the CLI would, within a bound. Whatever it has started is gone afterwards. */
async function probed({ where, config }: Server, options: McpOptions): Promise<Finding> {
  const { env, probeMs = PROBE_MS, signal } = options;
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client({ name: 'claudewire-doctor', version: '1.0.0' });
  const startedAt = performance.now();
  let said = '';
  let close = async (): Promise<void> => {};
  try {
    const transport = await transportOf(config, options, (text) => {
      said = `${said}${text}`.slice(-500);
    });
    // The client starts to close it by itself after a failure, and does not wait for the end of the process.
    const closeOnce = transport.close.bind(transport);
    let closing: Promise<void> | undefined;
    close = () => {
      closing ??= closeOnce();
      return closing;
    };
    transport.close = close;
    const ask = async () => {
      await client.connect(transport, { timeout: probeMs });
      return client.getServerCapabilities()?.tools ? client.listTools({}, { timeout: probeMs }) : { tools: [] };
    };
    signal?.throwIfAborted();
    const { tools } = await Promise.race([ask(), rejectOnAbort(signal)]);
    const ms = Math.round(performance.now() - startedAt);
    return {
      name: 'mcp',
      status: 'passed',
      where,
      found: `It started in ${ms} ms and has ${tools.length} tools.`,
      fix: undefined,
    };
  } catch (error) {
    const why = [errorText(error), said.trim().split('\n').at(-1) ?? ''].filter((each) => each !== '').join('; ');
    const found = `It did not start: ${replaceSecrets(withoutValues(why, config, env), '[secret]').slice(0, 300)}`;
    return { name: 'mcp', status: 'failed', where, found, fix: 'Start it by hand to see more, or remove it.' };
  } finally {
    await close().catch(() => {});
  }
}

function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Shorter values are words, and no secrets. */
const SECRET_CHARS = 6;

/** A server may echo what it was given: the values of its headers and variables, and what `${NAME}` expands to. */
function withoutValues(text: string, config: JsonObject, env: McpOptions['env']): string {
  const given = [config.env, config.headers].flatMap((each) => (isJsonObject(each) ? Object.values(each) : []));
  const named = [...JSON.stringify(config).matchAll(VARIABLE)].map(([, name = '']) => env[name] ?? '');
  const values = [...given.map((each) => expand(each, env)), ...named].filter(({ length }) => length >= SECRET_CHARS);
  // The longest first: one may be a part of another.
  values.sort((a, b) => b.length - a.length);
  return values.reduce((shown, value) => shown.replaceAll(value, '[secret]'), text);
}

async function transportOf(config: JsonObject, { env, cwd, signal }: McpOptions, onStderr: (text: string) => void) {
  const texts = (value: unknown): Record<string, string> =>
    Object.fromEntries(
      Object.entries(isJsonObject(value) ? value : {}).map(([name, each]) => [name, expand(each, env)]),
    );
  const command = expand(config.command, env);
  if (command !== '') {
    const args = (Array.isArray(config.args) ? config.args : []).map((each) => expand(each, env));
    const inherited = Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined);
    const place = { command, args, cwd, env: { ...Object.fromEntries(inherited), ...texts(config.env) } };
    if (process.platform !== 'win32') {
      const { StdioServer } = await import('./stdio-server.js');
      return new StdioServer({ ...place, onStderr, signal });
    }
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const transport = new StdioClientTransport({ ...place, stderr: 'pipe' });
    guardServer(transport, signal);
    transport.stderr?.on('data', (chunk: Buffer) => onStderr(chunk.toString()));
    return transport;
  }
  const url = new URL(expand(config.url, env));
  const init = { requestInit: { headers: texts(config.headers) } };
  if (config.type === 'sse') {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    return new SSEClientTransport(url, init);
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  return new StreamableHTTPClientTransport(url, init);
}
