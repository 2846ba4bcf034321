/** Runs a scripted CLI, and prints the spans of the run as a tree and what it cost. Needs no key and no network. */
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { summaryOf } from 'claudewire';
import { scriptedCli } from 'claudewire/testing';
import { instrumentClaudewire } from 'claudewire-otel';
import { CostLedger, recordRuns } from 'claudewire-otel/ledger';

export async function main(print = (line) => process.stdout.write(`${line}\n`)) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const instrumentation = instrumentClaudewire({ tracerProvider });
  const ledger = new CostLedger();
  const stop = recordRuns(ledger);

  const cli = scriptedCli(
    ({ prompt, init, toolUse, permission, toolResult, assistantText, result }) => [
      prompt(),
      init(),
      toolUse('Bash', { command: 'rm -r build' }),
      permission(),
      toolResult('Not here.', { isError: true }),
      assistantText('I may not do that.'),
      result('I may not do that.'),
    ],
    { inProcess: true },
  );
  const run = cli.query({
    prompt: 'Tidy up.',
    options: { canUseTool: async () => ({ behavior: 'deny', message: 'Not here.' }) },
  });
  await summaryOf(run);
  printTree(exporter.getFinishedSpans(), print);
  print(ledger.toCsv());
  stop();
  instrumentation.dispose();
  await cli.close();
}

function printTree(spans, print, parent = undefined, indent = '') {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)) {
    const end = span.attributes['error.type'] ?? span.attributes['claudewire.outcome'];
    print(`${indent}${span.name}${end === undefined ? '' : ` (${end})`}`);
    for (const { name, attributes } of span.events)
      print(`${indent}  * ${name} ${attributes?.['claudewire.decision'] ?? ''}`.trimEnd());
    printTree(spans, print, span.spanContext().spanId, `${indent}  `);
  }
}

if (process.argv[1] === import.meta.filename) await main();
