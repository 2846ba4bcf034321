/** The official TypeScript SDK behind the driver protocol, for the programs that a `query()` can run. */

import { z } from 'zod';
// @ts-expect-error plain JavaScript, without declarations
import { serveTypeScriptSdk } from '../../../../packages/conformance/drivers/official-surface/serve-typescript-sdk.mjs';
import type * as ours from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { enterHost, type Given, KINDS, promptThatThrows, watched } from './typescript-host.js';
import { serverMaker } from './typescript-servers.js';

/** Its tools take zod shapes, and no JSON Schema. */
function asShape({ properties, required }: JsonObject): unknown {
  const fields = Object.entries((properties ?? {}) as Record<string, JsonObject>);
  return Object.fromEntries(
    fields.map(([name, schema]) => {
      const type = z.fromJSONSchema(schema);
      return [name, Array.isArray(required) && required.includes(name) ? type : type.optional()];
    }),
  );
}

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
    makeServer: serverMaker(sdk, asShape),
    functions: sdk,
    classify: (error: Error) => ({ kind: KINDS[String(Reflect.get(error, 'errorClass'))] ?? 'other' }),
  },
);
