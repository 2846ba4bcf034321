/** A program that traces with openinference, which wraps a module that it is handed. */
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { play } from './play.mjs';

const tracerProvider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
tracerProvider.register();
const instrumentation = new ClaudeAgentSDKInstrumentation({ tracerProvider });
await play(process.argv[2], instrumentation.manuallyInstrument(sdk));
await tracerProvider.shutdown();
