/** A CommonJS program that traces with openinference, which patches the module when it is required. */
const { ClaudeAgentSDKInstrumentation } = require('@arizeai/openinference-instrumentation-claude-agent-sdk');
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http');
const { BatchSpanProcessor, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');

const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
provider.register();
new ClaudeAgentSDKInstrumentation().setTracerProvider(provider);

main();

async function main() {
  const sdk = require('@anthropic-ai/claude-agent-sdk');
  const { play } = await import('./play.mjs');
  await play(process.argv[2], sdk);
  await provider.shutdown();
}
