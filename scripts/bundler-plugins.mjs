/** Two things that rolldown does not do by itself. */
import { RolldownMagicString } from 'rolldown';

/** Every session calls most functions of these files before it starts the CLI. */
export const BEFORE_THE_CLI = [
  'control/envelope',
  'control/inbound-router',
  'query/launch/argv',
  'query/launch/callbacks',
  'query/launch/environment',
  'query/launch/initialize',
  'query/launch/plan-launch',
  'query/launch/policy',
  'query/launch/validate-options',
  'query/execute-plan',
  'query/initialize-check',
  'query/logging',
  'query/open-session',
  'query/prompt',
  'query/query',
  'transport/chunk-reader',
  'transport/command',
  'transport/command-host',
  'transport/subprocess',
  'util/deferred',
  'util/host-places',
  'util/json',
  'util/on-abort',
  'util/timer-limit',
];

/**
 * Puts the functions of those files in parentheses. V8 compiles such a function while it reads the file, any other one
 * when it is first called, which would be between `query()` and the start of the CLI. Names, lines and columns stay.
 */
export const compileEarly = {
  name: 'compile-early',
  transform: {
    filter: { id: new RegExp(`[\\\\/]src[\\\\/](?:${BEFORE_THE_CLI.join('|').replaceAll('/', '[\\\\/]')})\\.ts$`) },
    handler(code) {
      const edited = new RolldownMagicString(code);
      for (const statement of this.parse(code, { lang: 'ts' }).body) {
        const fn = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
        if (fn?.type !== 'FunctionDeclaration') continue;
        const keyword = code.slice(fn.start, fn.id.start).trimEnd();
        edited.overwrite(fn.start, fn.id.end, `const ${fn.id.name} = (${keyword}`);
        edited.overwrite(fn.end - 1, fn.end, '});');
        // A constant is there from its line on, a declared function from the first one.
        edited.move(statement.start, statement.end, 0);
      }
      return { code: edited.toString(), map: edited.generateMap({ hires: true }).toString() };
    },
  },
};

/** The helpers have no effect of their own, and esbuild warns its users of each import without a name. Lines stay. */
export const withoutBareRuntime = {
  name: 'without-bare-runtime',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    for (const chunk of chunks) chunk.code = chunk.code.replace(/^import "[^"]*rolldown-runtime[^"]*";$/m, '');
  },
};
