import { type Options, query, type SDKMessage } from '../../../../src/index.js';
import { isJsonObject, type JsonObject } from '../../../../src/util/json.js';
import type { Answer } from '../../../helpers/session-case/session-case.js';
import { type Stage, until } from '../../../helpers/session-case/session-stage.js';

/** For rows that start what they need by themselves: the stage's own CLI is not started. */
export const noCli = { cli: [], expect: { exitCode: undefined } } as const;

/** One whole run to its end. */
export async function takeTurn(options: Options): Promise<readonly SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: 'Hi', options })) messages.push(message);
  return messages;
}

/** A prompt that says nothing and keeps the input open until the row opens `end of prompt`. */
export async function* silent(stage: Stage): AsyncGenerator<JsonObject, void> {
  await stage.opened('end of prompt');
  yield* [];
}

/** The control answer that carries this JSON-RPC result. */
export function rpcResult(id: string | number, result: JsonObject): Answer {
  return { ok: { mcp_response: { jsonrpc: '2.0', id, result } } };
}

/** Resolves when the process of the stage has ended, and has written down how. */
export async function cliGone({ cli }: Stage): Promise<void> {
  await until(() => {
    const [run] = cli.logs();
    return run?.exitCode !== undefined && !isAlive(run.pid);
  }, 'the CLI has ended');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What was thrown or rejected, as text; `nothing` when nothing was. */
export async function failureText(what: () => unknown): Promise<string> {
  try {
    await what();
    return 'nothing';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The request of a control request frame. */
export function requestOf(line: string): JsonObject {
  const frame = JSON.parse(line) as JsonObject;
  return isJsonObject(frame.request) ? frame.request : frame;
}
