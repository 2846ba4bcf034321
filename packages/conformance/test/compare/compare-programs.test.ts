import { describe, expect, test } from 'vitest';
import { comparePrograms, type Side } from '../../src/compare/compare-programs.js';
import type { ObservedProcess } from '../../src/compare/observation.js';

const HOST = { PATH: '/bin', HOME: '/home/x', LANG: 'C' };

function side(language: Side['language'], process: Partial<ObservedProcess>): Side {
  const whole = { argv: {}, env: HOST, frames: {}, ...process };
  return { language, observation: { processes: [whole], messages: [], error: { end: 'exit code 0' } } };
}
const initialize = (request: object) => ({ initialize: { type: 'control_request', request } });

/** Places that count, and those that do not. */
function places(python: Partial<ObservedProcess>, typescript: Partial<ObservedProcess>) {
  const both = [side('python', python), side('javascript', typescript)] as const;
  const shown = (areas: ReturnType<typeof comparePrograms>) => ({
    counts: areas.flatMap(({ differences }) => differences.map(({ path }) => path.join('/'))),
    byDesign: areas.flatMap(({ byDesign }) => byDesign.map(({ path, known }) => `${path.join('/')} ${known?.id}`)),
  });
  const result = shown(comparePrograms(...both));
  // Whichever comes first.
  expect(shown(comparePrograms(both[1], both[0]))).toEqual(result);
  return result;
}

describe('what differs between the languages by design does not count', () => {
  test.for<[name: string, python: Partial<ObservedProcess>, typescript: Partial<ObservedProcess>, byDesign: string[]]>([
    [
      'a system prompt',
      { argv: { '--system-prompt': 'A' } },
      { frames: initialize({ systemPrompt: ['A'] }) },
      ['--system-prompt D-61'],
    ],
    ['no system prompt', { argv: { '--system-prompt': '' } }, {}, ['--system-prompt D-61']],
    [
      'servers of the program',
      { argv: { '--mcp-config': { mcpServers: { x: { type: 'sdk', name: 'x' } } } } },
      { frames: initialize({ sdkMcpServers: ['x'] }) },
      ['--mcp-config D-64'],
    ],
    ['names', { env: { ...HOST, CLAUDE_CODE_ENTRYPOINT: 'sdk-py' } }, {}, ['CLAUDE_CODE_ENTRYPOINT D-69']],
    ['the directory', { env: { ...HOST, PWD: '/x' } }, {}, ['PWD D-69']],
  ])('%s', ([, python, typescript, byDesign]) => {
    const found = places(python, typescript);
    expect(found.byDesign).toEqual(byDesign);
    expect(found.counts.filter((each) => each !== 'initialize')).toEqual([]);
  });

  test.for<[name: string, python: unknown, typescript: unknown, byDesign: string[]]>([
    ['hooks that are not given', { hooks: null }, {}, ['initialize/request/hooks D-73']],
    [
      'a matcher that is not given',
      { hooks: { Stop: [{ matcher: null, hookCallbackIds: ['hook_0'] }] } },
      { hooks: { Stop: [{ hookCallbackIds: ['hook_0'] }] } },
      ['initialize/request/hooks/Stop/1/matcher D-73'],
    ],
  ])('%s', ([, python, typescript, byDesign]) => {
    const frames = (request: unknown) => ({ frames: initialize(Object(request)) });
    expect(places(frames(python), frames(typescript))).toEqual({ counts: [], byDesign });
  });

  test('what the MCP SDK of each language says of a server and its tools', () => {
    expect(places(mcpAnswer(PYTHON_TOOLS), mcpAnswer(ZOD_TOOLS))).toEqual({
      counts: [],
      byDesign: [
        `${MCP_RESULT}/capabilities/tools/listChanged TS-135`,
        `${MCP_RESULT}/tools/1/inputSchema/properties/count/minimum TS-135`,
        `${MCP_RESULT}/tools/1/inputSchema/properties/count/maximum TS-135`,
        `${MCP_RESULT}/tools/1/inputSchema/$schema TS-135`,
        `${MCP_RESULT}/tools/1/execution TS-135`,
        `${MCP_RESULT}/isError TS-136`,
      ],
    });
  });
});

const MCP_RESULT = 'answer to mcp-1/response/response/mcp_response/result';
const mcpAnswer = (result: object) => ({
  frames: { 'answer to mcp-1': { response: { response: { mcp_response: { result } } } } },
});
const PYTHON_TOOLS = {
  capabilities: { tools: { listChanged: false } },
  tools: [{ name: 'lookup', description: 'A', inputSchema: { properties: { count: { type: 'integer' } } } }],
  isError: false,
};
const ZOD_COUNT = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const ZOD_TOOLS = {
  capabilities: { tools: { listChanged: true } },
  tools: [
    {
      name: 'lookup',
      description: 'A',
      inputSchema: { properties: { count: ZOD_COUNT }, $schema: 'http://json-schema.org/draft-07/schema#' },
      execution: { taskSupport: 'forbidden' },
    },
  ],
};

describe('it counts', () => {
  test('when the system prompt is another one', () => {
    const found = places(
      { argv: { '--system-prompt': 'A' }, frames: initialize({}) },
      { frames: initialize({ systemPrompt: ['B'] }) },
    );
    expect(found).toEqual({ counts: ['--system-prompt', 'initialize/request/systemPrompt'], byDesign: [] });
  });

  test('when a server is missing', () => {
    const config = { mcpServers: { x: { type: 'sdk' }, y: { type: 'sdk' } } };
    const found = places(
      { argv: { '--mcp-config': config }, frames: initialize({}) },
      { frames: initialize({ sdkMcpServers: ['x'] }) },
    );
    expect(found.byDesign).toEqual([]);
  });

  test('when a tool has another description, range or result', () => {
    const typescript = {
      capabilities: {},
      tools: [
        { name: 'lookup', description: 'B', inputSchema: { properties: { count: { type: 'integer', minimum: 1 } } } },
      ],
      isError: true,
    };
    expect(places(mcpAnswer(PYTHON_TOOLS), mcpAnswer(typescript))).toEqual({
      counts: [
        `${MCP_RESULT}/capabilities/tools`,
        `${MCP_RESULT}/tools/1/description`,
        `${MCP_RESULT}/tools/1/inputSchema/properties/count/minimum`,
        `${MCP_RESULT}/isError`,
      ],
      byDesign: [],
    });
  });

  test('when hooks are missing', () => {
    const frames = initialize({ hooks: { Stop: [{ hookCallbackIds: ['hook_0'] }] } });
    expect(places({ frames }, { frames: initialize({}) }).counts).toEqual(['initialize/request/hooks']);
  });

  test('when the prompt is another one', () => {
    const of = (content: unknown) => ({ frames: { 'user message': { message: { content } } } });
    const found = places(of('Hi.'), of([{ type: 'text', text: 'Ho.' }]));
    expect(found.counts).toEqual(['user message/message/content']);
    expect(places(of('Hi.'), of([{ type: 'text', text: 'Hi.' }])).counts).toEqual([]);
  });

  test('when `env` has replaced the environment, and the reason is said', () => {
    const areas = comparePrograms(side('python', {}), side('javascript', { env: { LANG: 'C' } }));
    const [first] = areas.flatMap(({ differences }) => differences);
    expect(first).toMatchObject({ path: ['PATH'], known: { id: 'D-68', isToMend: true } });
  });

  test('between two programs of one language', () => {
    const [a, b] = [side('python', { env: { ...HOST, PWD: '/x' } }), side('python', {})];
    const found = comparePrograms(a, b).flatMap(({ differences }) => differences.map(({ path }) => path.join('/')));
    expect(found).toEqual(['PWD']);
  });
});

describe('the order of printed lines', () => {
  const printed = (messages: readonly unknown[], asked = true): Side => ({
    language: 'javascript',
    observation: {
      processes: [{ argv: {}, env: HOST, frames: asked ? { 'answer to q-1': { type: 'control_response' } } : {} }],
      messages,
      error: { end: 'exit code 0' },
    },
  });
  const found = (left: Side, right: Side) =>
    comparePrograms(left, right).flatMap(({ differences }) =>
      differences.map((each) => [each.path.join('/'), each.left, each.right]),
    );

  test.for<[name: string, left: unknown[], right: unknown[], differences: unknown[]]>([
    ['a callback before or after a message', ['text', 'asked', 'done'], ['asked', 'text', 'done'], []],
    ['the same line twice', ['x', 'asked', 'x'], ['x', 'x', 'asked'], []],
    ['a line that one has not', ['text', 'asked', 'done'], ['asked', 'text'], [['3', 'done', undefined]]],
    ['a line with another value', ['text', 'asked', { n: 1 }], ['asked', 'text', { n: 2 }], [['3/n', 1, 2]]],
    ['a line more', ['text'], ['text', 'text'], [['2', undefined, 'text']]],
  ])('does not count around a question: %s', ([, left, right, differences]) => {
    expect(found(printed(left), printed(right))).toEqual(differences);
  });

  test('counts where the CLI asked nothing', () => {
    expect(found(printed(['a', 'b'], false), printed(['b', 'a'], false))).toHaveLength(2);
  });
});
