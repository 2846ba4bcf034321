/** The official TypeScript SDK behind the driver protocol, for the programs that a `query()` can run. */
// @ts-expect-error plain JavaScript, without declarations
import { serveTypeScriptSdk } from '../../../../packages/conformance/drivers/kit/typescript-driver.mjs';
import type * as ours from '../../../../src/index.js';
import { enterHost, type Given, KINDS, promptThatThrows, watched } from './typescript-host.js';
import { serverMaker } from './typescript-servers.js';

const sdk: typeof ours = await import(process.env.PARITY_OFFICIAL ?? '');

await serveTypeScriptSdk(
  { driver: 'official', sdk: '@anthropic-ai/claude-agent-sdk', version: '', language: 'typescript', features: [] },
  {
    query: ({ prompt, options }: { prompt: string; options: Given }) => {
      enterHost(options.$hostEnv);
      return sdk.query({
        prompt: options.$promptThrows === true ? promptThatThrows() : prompt,
        options: watched(options),
      });
    },
    makeServer: serverMaker(sdk),
    functions: sdk,
    classify: (error: Error) => ({ kind: KINDS[String(Reflect.get(error, 'errorClass'))] ?? 'other' }),
  },
);
