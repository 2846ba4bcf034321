import { ACP_STORIES } from './acp-stories.js';
import type { Dependent, KnownDifference } from './dependent.js';
import { braintrustSpans } from './digests/braintrust.js';
import { datadogSpans } from './digests/datadog.js';
import { langsmithRuns } from './digests/langsmith.js';
import { otlpSpans } from './digests/otlp.js';
import { posthogEvents } from './digests/posthog.js';
import { SETTING } from './setting.js';
import { ALL_STORIES } from './stories.js';

const project = 'node-20';

/** Their rules ask for the official name and version, which a package of ours does not have. */
const NOT_TRACED: readonly KnownDifference[] = [
  {
    id: 'DEP-1',
    subject: 'claudewire',
    labels: ['span'],
    instead: [],
    reason:
      'under an override nothing is traced: the tracer asks for the official name or version, which only the twin has',
  },
];

const OPENINFERENCE: Omit<Dependent, 'program' | 'quick'> = {
  packageName: '@arizeai/openinference-instrumentation-claude-agent-sdk',
  project,
  env: (receiver) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver }),
  digest: otlpSpans,
  shows: ['span'],
  stories: ALL_STORIES,
  compared: 'the tree of spans with their attributes, events and status',
  reasons: ['openinference: of an exception the first line of its stack is compared, the frames are not'],
};

const BRAINTRUST: Omit<Dependent, 'program' | 'quick'> = {
  packageName: 'braintrust',
  project,
  env: (receiver) => ({ BRAINTRUST_API_KEY: 'fake', BRAINTRUST_APP_URL: receiver, BRAINTRUST_API_URL: receiver }),
  digest: braintrustSpans,
  shows: ['span'],
  stories: ALL_STORIES,
  compared: 'the tree of spans with inputs, outputs, metrics and errors',
};

/** Dependents that run on Node 20. */
export const NODE_20: readonly Dependent[] = [
  {
    packageName: 'langsmith',
    way: '`wrapClaudeAgentSDK()`',
    project,
    program: 'langsmith.mjs',
    env: (receiver) => ({
      LANGSMITH_TRACING: 'true',
      LANGSMITH_ENDPOINT: receiver,
      LANGSMITH_API_KEY: 'fake',
      LANGSMITH_PROJECT: 'drop-in',
    }),
    digest: langsmithRuns,
    shows: ['run'],
    stories: ALL_STORIES,
    quick: ['tool'],
    compared: 'the tree of runs with inputs, outputs, usage and errors',
  },
  {
    packageName: '@posthog/ai',
    way: '`instrument()`',
    project,
    program: 'posthog.mjs',
    env: (receiver) => ({ POSTHOG_HOST: receiver }),
    digest: posthogEvents,
    shows: ['event'],
    stories: ALL_STORIES,
    quick: ['tool'],
    compared: 'the events in order, with inputs, outputs, usage, cost and errors',
    reasons: ['`@posthog/ai`: of an error its name, message and class are compared; ours has more fields'],
  },
  { ...OPENINFERENCE, way: '`manuallyInstrument()`', program: 'openinference-manual.mjs', quick: ['tool'] },
  {
    ...OPENINFERENCE,
    way: 'automatic',
    program: 'openinference-auto.cjs',
    quick: ['tool', 'api-400'],
    differences: NOT_TRACED,
  },
  {
    ...BRAINTRUST,
    way: '`--import braintrust/hook.mjs`',
    program: 'braintrust-hook.mjs',
    nodeFlags: ['--import', '<project>/node_modules/braintrust/dist/auto-instrumentations/hook.mjs'],
    quick: ['tool', 'api-400'],
    differences: NOT_TRACED,
  },
  { ...BRAINTRUST, way: '`wrapClaudeAgentSDK()`', program: 'braintrust-wrap.mjs', quick: ['tool'] },
  {
    packageName: 'dd-trace',
    way: '`--import dd-trace/register.js`',
    project,
    program: 'plain.mjs',
    nodeFlags: [
      '--import',
      '<project>/node_modules/dd-trace/register.js',
      '--require',
      '<project>/node_modules/dd-trace/init.js',
    ],
    env: (receiver) => ({
      DD_TRACE_AGENT_URL: receiver,
      DD_LLMOBS_ENABLED: '1',
      DD_LLMOBS_ML_APP: 'drop-in',
      DD_LLMOBS_AGENTLESS_ENABLED: '0',
      DD_INSTRUMENTATION_TELEMETRY_ENABLED: '0',
      DD_REMOTE_CONFIGURATION_ENABLED: '0',
    }),
    digest: datadogSpans,
    shows: ['span'],
    stories: ALL_STORIES,
    quick: ['tool', 'api-400'],
    differences: NOT_TRACED,
    compared: 'the tree of LLM Observability spans with inputs, outputs, metrics and errors',
    reasons: ['dd-trace: of an error the first line of its stack is compared, the frames are not'],
  },
  {
    packageName: '@composio/claude-agent-sdk',
    way: '`wrapTools()`',
    project,
    program: 'composio.mjs',
    shows: ['wrapped'],
    stories: ALL_STORIES,
    quick: [],
    compared: 'the wrapped tools, and what reaches Composio of a call',
  },
  {
    packageName: '@zed-industries/claude-code-acp',
    way: 'an editor agent of the 0.2 line',
    project: 'acp-0.2',
    program: 'acp.mjs',
    // Its own release of the SDK brings an old CLI: all three subjects drive the current one.
    env: () => ({ ACP_AGENT: '@zed-industries/claude-code-acp/dist/index.js', CLAUDE_CODE_EXECUTABLE: SETTING.cli }),
    shows: ['answer: initialize', 'end'],
    stories: ACP_STORIES,
    quick: [],
    compared: 'every answer, update and question that reaches the editor; the official run is over SDK 0.2.44',
  },
];
