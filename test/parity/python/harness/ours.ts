/** Our package behind the driver protocol, with what only the comparison needs: warnings, and the base classes of errors. */
// @ts-expect-error plain JavaScript, without declarations
import { serveTypeScriptSdk } from '../../../../packages/conformance/drivers/official-surface/serve-typescript-sdk.mjs';
import * as sdk from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { find } from './find-on-windows.js';
import { enterHost, type Given, KINDS, promptThatThrows, watched } from './typescript-host.js';
import { serverMaker } from './typescript-servers.js';

/** The classes both packages have. */
const CLASSES = [
  sdk.CLINotFoundError,
  sdk.CLIConnectionError,
  sdk.ResultError,
  sdk.ProcessError,
  sdk.CLIJSONDecodeError,
  sdk.MessageParseError,
  sdk.ClaudeSDKError,
];

function makeClient(options: Given): object {
  enterHost(options.$hostEnv);
  const client = new sdk.ClaudeClient(watched(options));
  // Only made: nothing is started.
  if (options.$construct === true) {
    return { find, connect: async () => {}, receiveMessages: async function* () {}, disconnect: async () => {} };
  }
  return Object.assign(client, {
    // The Python client returns the whole answer.
    get_mcp_status: () => client.request('mcp_status'),
    exit: () => process.exit(0),
  });
}

function classify(error: Error): { kind: string } & JsonObject {
  const field = (name: string): unknown => Reflect.get(error, name);
  return {
    kind: KINDS[String(field('errorClass'))] ?? 'other',
    classes: CLASSES.filter((known) => error instanceof known).map(({ name }) => name),
    ...(typeof field('exitCode') === 'number' ? { exit_code: field('exitCode') } : {}),
    ...(typeof field('signal') === 'string' ? { signal: field('signal') } : {}),
    ...(typeof field('option') === 'string' ? { option: field('option') } : {}),
    ...(error instanceof sdk.CLIJSONDecodeError ? { line: error.line } : {}),
    ...(error instanceof sdk.ResultError
      ? {
          fields: {
            subtype: error.subtype ?? null,
            errors: error.errors ?? null,
            result: error.result ?? null,
            api_error_status: error.apiErrorStatus ?? null,
            terminal_reason: error.terminalReason ?? null,
            session_id: error.sessionId ?? null,
          },
        }
      : {}),
  };
}

await serveTypeScriptSdk(
  { driver: 'ours', sdk: 'claudewire', version: sdk.VERSION, language: 'typescript', features: [] },
  {
    query: ({ prompt, options }: { prompt: string; options: Given }) => {
      enterHost(options.$hostEnv);
      return sdk.query({
        prompt: options.$promptThrows === true ? promptThatThrows() : prompt,
        options: watched(options),
      });
    },
    makeClient,
    clientNames: { initializationResult: 'getServerInfo' },
    makeServer: serverMaker(sdk),
    functions: sdk as unknown as Record<string, (...args: unknown[]) => unknown>,
    classify,
  },
);
