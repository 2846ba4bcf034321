import { until } from '../../../helpers/session-case/session-stage.js';
import { EOF, RESULT } from '../../../helpers/session-case/steps.js';
import { errorAsData } from '../harness/as-data.js';
import type { ParityRow } from '../harness/parity-case.js';
import { claimAnswer, INITIALIZE, prewarm, silent, startup } from './startup.js';
import { cliGone } from './support.js';

const ABORTED = {
  isError: true,
  message: 'Operation aborted: Claude Code process aborted by user',
  isAbortError: true,
  errorClass: 'aborted',
};

/** An abort while a process is being warmed, or as it is claimed. */
export const startupAbortRows: readonly ParityRow[] = [
  {
    ids: ['TS-175'],
    name: 'an abort while startup() waits for initialize ends the wait',
    differs: 'D-128',
    header: silent,
    cli: [
      INITIALIZE,
      { delayMs: 300 },
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$init', response: {} } } },
      EOF,
    ],
    program: async (stage) => {
      const started = startup({ options: stage.options });
      await until(() => (stage.cli.logs()[0]?.frames.length ?? 0) > 0, 'initialize was read');
      stage.abortController.abort();
      const end: unknown = await started.catch((error: unknown) => error);
      if (!(end instanceof Error)) (end as Awaited<typeof started>).close();
      await cliGone(stage);
      return end instanceof Error ? errorAsData(end) : 'resolved';
    },
    expect: { value: ABORTED, written: [] },
  },
  {
    ids: ['TS-177'],
    name: 'an abort in the tick of claim(): nothing is delivered, and the claim rejects',
    differs: 'D-129',
    cli: [claimAnswer, RESULT, EOF],
    program: async (stage) => {
      const spare = await prewarm({ options: stage.options });
      const query = spare.claim({ prompt: 'Hi', options: { cwd: '/work' } });
      stage.abortController.abort();
      const end = spare.claimed.then(
        () => 'claimed',
        (error: unknown) => errorAsData(error),
      );
      await stage.drain(undefined, query);
      await cliGone(stage);
      stage.note(await end);
    },
    expect: { notes: [ABORTED], messages: [], error: { name: 'AbortError', message: ABORTED.message } },
  },
];
