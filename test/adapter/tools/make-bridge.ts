import type { HookRun } from '../../../src/adapter/hooks/hook-run.js';
import type { AnyTool } from '../../../src/adapter/prompt/index.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import type { EvaluatingAdapter } from '../../../src/adapter/prompt/prompt-types.js';
import type { ServedResult, ToolServer } from '../../../src/adapter/runtime/agent-runtime.js';
import { ToolInvoked } from '../../../src/adapter/state/events.js';
import { createBridge } from '../../../src/adapter/tools/tool-bridge.js';
import type { JsonObject } from '../../../src/util/json.js';
import { makeRun, type TestRun } from '../hooks/make-run.js';

export interface TestBridge extends TestRun {
  readonly server: ToolServer | undefined;
  /** Visibility requests, and `stop` for a turn that was stopped. */
  readonly asked: unknown[];
  readonly prompt: Prompt<unknown>;
  readonly renderedPrompt: ReturnType<Prompt<unknown>['render']>;
  readonly adapter: EvaluatingAdapter;
  serve(
    name: string,
    args?: JsonObject,
    more?: { readonly meta?: JsonObject; readonly signal?: AbortSignal },
  ): Promise<ServedResult>;
  invoked(): readonly ToolInvoked[];
}

/** The bridge of a run, and a way to call its tools as the SDK does. */
export function makeBridge(tools: readonly unknown[], overrides: Partial<HookRun> = {}): TestBridge {
  const made = makeRun(overrides);
  const asked: unknown[] = [];
  const prompt: Prompt<unknown> = new Prompt({ ns: 'tests', key: 'one', sections: [] });
  const renderedPrompt = prompt.render({ session: made.session });
  const adapter: EvaluatingAdapter = {
    adapterName: 'claude_agent_sdk',
    evaluate: () => Promise.reject(new Error('not here')),
  };
  const server = createBridge({
    bridgeName: 'wink',
    // A tool of whatever parameters.
    tools: tools as readonly AnyTool[],
    run: made.run,
    prompt,
    renderedPrompt,
    adapter,
    onVisibilityRequest: (request) => void asked.push(request),
    stopTurn: () => void asked.push('stop'),
  });
  return {
    ...made,
    server,
    asked,
    prompt,
    renderedPrompt,
    adapter,
    serve: (name, args = {}, { meta, signal = new AbortController().signal } = {}) => {
      const tool = server?.tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`${name} is not served`);
      return tool.call(args, {
        signal,
        requestId: 1,
        ...(meta === undefined ? {} : { _meta: meta }),
        sendNotification: async () => {},
        sendRequest: () => Promise.reject(new Error('not here')),
      });
    },
    invoked: () => made.session.query(ToolInvoked).all(),
  };
}

/** The text of a result with one block. */
export function textOf({ content }: ServedResult): string | undefined {
  return content.length === 1 ? content[0]?.text : undefined;
}
