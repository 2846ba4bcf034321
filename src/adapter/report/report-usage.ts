import type { TokenUsage } from '../../parser/token-usage.js';
import type { ReportTokens } from './run-report.js';

/** Tokens as a report holds them: what nobody told is `null`. */
export function tokensOf({ inputTokens, outputTokens, cachedTokens }: TokenUsage): ReportTokens {
  return {
    inputTokens: inputTokens ?? null,
    outputTokens: outputTokens ?? null,
    cachedTokens: cachedTokens ?? null,
  };
}
