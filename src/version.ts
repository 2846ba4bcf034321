/** This package's version; `test/exports.test.ts` keeps it equal to package.json. */
export const VERSION = '0.1.0';

/** The version of `@anthropic-ai/claude-agent-sdk` whose names and behaviour this package has. */
export const OFFICIAL_VERSION = '0.3.330';
