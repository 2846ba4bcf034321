import { createSdkMcpServer, tool } from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { answered, EOF, mcp, RESULT, rpc, USER } from '../../../helpers/session-case/steps.js';
import type { ParityRow } from '../harness/parity-case.js';
import { besideSubject } from '../harness/subject.js';
import { failureText, noCli, rpcResult, silent } from './support.js';

const { z } = await besideSubject<{ z: typeof import('zod').z }>('zod/v4');
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const call = (params: JsonObject) => mcp('call', 'one', rpc('call', 'tools/call', params));

export const mcpCallRows: readonly ParityRow[] = [
  {
    ids: ['TS-138'],
    name: 'a call without arguments runs a tool that needs none',
    differs: 'D-51',
    options: () => ({
      mcpServers: {
        one: createSdkMcpServer({
          name: 'one',
          tools: [tool('say', '', { who: z.string().optional() }, async () => text('ran'))],
        }),
      },
    }),
    cli: [USER, call({ name: 'say' }), answered('call'), RESULT, EOF],
    expect: { answers: { call: rpcResult('call', text('ran')) } },
  },
  {
    ids: ['TS-139'],
    name: 'the extra of a tool has only keys that have a value',
    differs: 'D-53',
    options: (stage) => ({
      mcpServers: {
        one: createSdkMcpServer({
          name: 'one',
          tools: [
            tool('say', '', {}, async (_, extra) => {
              for (const [key, value] of Object.entries(extra as object)) {
                if (value === undefined) stage.note(key);
              }
              return text('ran');
            }),
          ],
        }),
      },
    }),
    cli: [USER, call({ name: 'say', arguments: {} }), answered('call'), RESULT, EOF],
    expect: { notes: [], answers: { call: rpcResult('call', text('ran')) } },
  },
  {
    ids: ['TS-100'],
    name: 'mcpServerStatus() without a body in the answer fails with an error that says so',
    differs: 'D-20',
    prompt: silent,
    cli: [
      { in: { type: 'control_request', request_id: '$id', request: { subtype: 'mcp_status' } } },
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$id' } } },
      EOF,
    ],
    program: async (stage) => {
      const failed: unknown = await stage.query.mcpServerStatus().catch((error: unknown) => error);
      stage.query.close();
      await stage.drain();
      return failed instanceof TypeError;
    },
    expect: { value: false },
  },
  {
    ids: ['TS-148'],
    name: 'a server and a tool without a name are refused',
    differs: 'D-52',
    ...noCli,
    program: async () => {
      const attempts = [
        () => createSdkMcpServer({} as never),
        () => createSdkMcpServer({ name: 'n', tools: [tool('', '', {}, async () => text(''))] }),
      ];
      const failures = await Promise.all(attempts.map(failureText));
      return failures.map((failure) => failure !== 'nothing');
    },
    expect: { ...noCli.expect, value: [true, true] },
  },
];
