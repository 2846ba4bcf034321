import type { TokenUsage } from '../../parser/token-usage.js';
import type { IsolationReport } from '../isolation/isolation-report.js';
import type { RunReport } from '../report/run-report.js';

/** What an evaluation gives. */
export interface PromptResponse<T> {
  readonly promptName: string;
  /** The final text; `null` when there is none. */
  readonly text: string | null;
  /** The typed output; `null` when none was declared, or only text came. */
  readonly output: T | null;
  readonly usage: TokenUsage;
  /** To resume with. */
  readonly cliSessionId: string | undefined;
  readonly stopReason: string | undefined;
  /** Only of isolated runs. */
  readonly isolation: IsolationReport | undefined;
  readonly report: RunReport;
}
