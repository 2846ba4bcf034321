/**
 * What the objects of a package can do at run time, whatever its declarations say: the names of all methods and accessors
 * of a query, of what `startup()` and `prewarm()` give, of an MCP server, and of every exported class.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers every request, and leaves at the end of its input. */
const FAKE_CLI = `#!${process.execPath}
const { createInterface } = require('node:readline');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, request_id } = JSON.parse(line);
  if (type !== 'control_request') return;
  const response = { subtype: 'success', request_id, response: {} };
  console.log(JSON.stringify({ type: 'control_response', response }));
});
`;

/** Official methods that the package itself calls, and that ours does in other places. */
const INTERNAL = {
  query:
    'addCleanupCallback afterInitialize armRunEndCeiling awaitControlResponse buildInitializeRequest captureSdkMcpServerManifests ' +
    'claimSession cleanup clearRunEndCeiling connectSdkMcpServer disconnectSdkMcpServer dropHookMatchers dropUnreadHookProgress ' +
    'endRun handleControlCancelRequest handleControlRequest handleHookCallbacks handleMcpControlRequest hasBidirectionalNeeds ' +
    'hasHookSetToBlock initialize markInitializeWritten performCleanup processControlRequest processPendingPermissionRequests ' +
    'processPendingUserDialogRequests readMessages readSdkMessages reportMirrorError sendMcpServerMessageToCli sendsLaunchFields ' +
    'setError setFrameObserver setIsSingleUserTurn setTranscriptMirrorBatcher setUiHost startupMarkReached waitForRunEnd ' +
    'writeBehindPromptHold writePrompt writeStreamMessage',
  // Told of `commands_changed`; `supportedCommands()` of the claimed query follows them.
  'spare process': 'onCommands',
  // These need hosted sessions, and throw here when they are made.
  'class DirectConnectTransport':
    'close emitTelemetry endInput failInit getSessionId getWorkDir initialize isReady readMessages ready write Symbol(nodejs.dispose)',
  'class CommandMatcher': 'search',
  'class FileIndex': 'buildAsync buildIndex loadFromFileList loadFromFileListAsync reset search',
  'class InMemorySessionStore': 'keyToString',
};

/** Names by object. */
export async function methodsOf(sdk) {
  const folder = mkdtempSync(join(tmpdir(), 'methods-'));
  const cli = join(folder, 'cli.cjs');
  writeFileSync(cli, FAKE_CLI);
  chmodSync(cli, 0o755);
  const options = { pathToClaudeCodeExecutable: cli };
  const query = sdk.query({ prompt: forever(), options });
  const warm = await sdk.startup({ options });
  const spare = await sdk.prewarm({ options });
  const server = sdk.createSdkMcpServer({ name: 'server', tools: [] });
  const found = {
    query: namesOf(query),
    'warm query': namesOf(warm),
    'spare process': namesOf(spare),
    server: namesOf(server),
    'server instance': namesOf(server.instance),
    'an AbortError': namesOf(new sdk.AbortError('a')),
  };
  for (const [name, value] of Object.entries(sdk)) {
    if (typeof value === 'function' && /^[A-Z][a-z]/.test(name)) found[`class ${name}`] = namesOf(value.prototype);
  }
  for (const each of [query, warm, spare]) each.close();
  await query[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return found;
}

/** What is official, missing here and not internal; and what is listed as internal for no reason. */
export function missingMethods(theirs, ours) {
  return Object.entries(theirs).flatMap(([what, names]) => {
    const internal = (INTERNAL[what] ?? '').split(' ').filter((name) => name !== '');
    const missing = names.filter((name) => !ours[what]?.includes(name));
    return [
      ...missing.filter((name) => !internal.includes(name)).map((name) => `${what}: no ${name}`),
      ...internal.filter((name) => !missing.includes(name)).map((name) => `${what}: ${name} is listed for no reason`),
    ];
  });
}

/** Methods and accessors, inherited ones too. */
function namesOf(object) {
  const names = new Set();
  for (let each = object; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    for (const key of Reflect.ownKeys(each)) {
      const { value, get } = Object.getOwnPropertyDescriptor(each, key);
      if (typeof (value ?? get) === 'function') names.add(String(key));
    }
  }
  return [...names].sort();
}

async function* forever() {
  await new Promise(() => {});
}
