import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Script } from '../../../src/testing/index.js';
import { bundleAdapter } from '../support/bundle-adapter.js';
import { play, type Stage } from '../support/play.js';

const root = join(import.meta.dirname, '..', '..', '..');
/** Holds a build of the door and the examples, which import it. */
let folder = '';

beforeAll(async () => {
  folder = await bundleAdapter('stories');
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
});

const NOTHING_LISTED = {
  permissions: { deny: ['WebFetch', 'WebSearch'] },
  sandbox: { network: { allowedDomains: [], strictAllowlist: true } },
};
const FILE_TOOLS_STAY = {
  permissions: { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true },
};
const SANDBOX = {
  sandbox: {
    enabled: true,
    failIfUnavailable: true,
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    network: { strictAllowlist: true },
  },
};

interface Story {
  readonly name: string;
  readonly prints: string;
  readonly settings: readonly object[];
  /** Keys that must not be there, as dotted paths. */
  readonly absent: readonly string[];
  /** What its own text and its part of docs/adapter/stories.md have to say. */
  readonly says: readonly RegExp[];
}

const stories: readonly Story[] = [
  {
    name: 'secure-review',
    prints: 'low    project/machine.mjs:8  A path comes from the environment.\n1 finding(s)\n',
    settings: [NOTHING_LISTED, FILE_TOOLS_STAY, SANDBOX],
    absent: ['skipWebFetchPreflight', 'sandbox.excludedCommands', 'sandbox.filesystem.allowWrite'],
    says: [
      /No tool reaches a host/,
      /CLI itself still reaches the API/,
      /WebFetch and WebSearch are gone from the tools/,
    ],
  },
  {
    name: 'documentation-assistant',
    prints: 'refused: WebFetch, The network policy does not list the host blog.example.com\n',
    settings: [
      FILE_TOOLS_STAY,
      SANDBOX,
      { skipWebFetchPreflight: true, sandbox: { network: { allowedDomains: ['nodejs.org', 'docs.python.org'] } } },
    ],
    absent: ['permissions.deny'],
    says: [
      /WebFetch first asks a host of the vendor about the domain, and without an answer it fetches nothing/,
      /our hook holds it to the list/,
    ],
  },
  {
    name: 'local-development',
    prints: 'changed: NOTES.md (Write)\n',
    settings: [{ sandbox: { enabled: false, network: { allowedDomains: ['*'] } } }],
    absent: ['permissions', 'sandbox.failIfUnavailable', 'sandbox.filesystem'],
    says: [
      /Only your configuration is protected/,
      /Without `outsideWorkspacePaths: 'allow'` the file tools and many shell commands would stay in the workspace/,
    ],
  },
  {
    name: 'ci-agent',
    prints: 'passed: Every file belongs here.\n0.001 USD, timed\n',
    settings: [
      NOTHING_LISTED,
      FILE_TOOLS_STAY,
      SANDBOX,
      { sandbox: { filesystem: { allowWrite: [expect.stringMatching(/work[\\/]ci-report$/)] } } },
      { sandbox: { credentials: { envVars: [{ name: 'ANTHROPIC_API_KEY', mode: 'deny' }] } } },
    ],
    absent: ['skipWebFetchPreflight'],
    says: [
      /output folder must exist or be relative/,
      /As root in a container the child needs `IS_SANDBOX`, and the container must allow `bwrap`/,
    ],
  },
  {
    name: 'multi-service',
    prints: 'up   http://127.0.0.1:8080/\n',
    settings: [
      FILE_TOOLS_STAY,
      SANDBOX,
      {
        sandbox: {
          excludedCommands: ['docker:*'],
          network: {
            allowedDomains: ['orders.example.com', '*.billing.example.com', 'localhost', '127.0.0.1'],
            allowLocalBinding: true,
          },
        },
      },
    ],
    absent: ['permissions.deny'],
    says: [
      /`docker` runs outside the sandbox/,
      /On Linux a plain client inside it does not reach 127\.0\.0\.1, only one that uses the proxy does/,
      /Lists of sockets and local binding are for macOS/,
    ],
  },
  {
    name: 'offline',
    prints: 'A program whose tools reach no host.\n',
    settings: [NOTHING_LISTED, FILE_TOOLS_STAY, SANDBOX],
    absent: ['skipWebFetchPreflight', 'sandbox.excludedCommands', 'sandbox.filesystem.allowWrite'],
    says: [/The API endpoint is still needed/],
  },
];

describe.each(stories)('the story $name', ({ name, prints, settings, absent, says }) => {
  test('it runs on the fake CLI, with the settings that its table row says (AD-255)', async () => {
    const { default: script, recordings } = await scriptOf(name);
    await using stage = play(script, { recordings });
    const { stdout, stderr, status, written } = await run(name, stage);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout).toContain(prints);
    for (const part of settings) expect(written).toMatchObject(part);
    for (const path of absent) expect([path, at(written, path)]).toEqual([path, undefined]);

    const env = stage.runs[0]?.env ?? {};
    const hostEnv = name === 'local-development' ? 'of the host' : undefined;
    expect(env.HOST_CANARY).toBe(hostEnv);
    expect(env.HOST_SECRET_TOKEN).toBeUndefined();
    expect(env.ANTHROPIC_API_KEY).toBe('test-key');
    expect(env.HOME).not.toBe(stage.hostHome);
    // Homes, workspaces and folders are gone; the user's configuration is as it was.
    expect(readdirSync(stage.tempRoot)).toEqual([]);
    expect(readdirSync(stage.hostHome)).toEqual([]);
    expect(existsSync(join(stage.root, 'work', 'ci-report'))).toBe(name === 'ci-agent');
  });

  test.each(says)('its text and its page say %s (AD-255)', (statement) => {
    const source = readFileSync(join(root, 'examples', 'adapter', `${name}.mjs`), 'utf8');
    const comment = /^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1]?.replace(/^ \* ?/gm, '') ?? '';
    expect(oneLine(comment)).toMatch(statement);
    const page = readFileSync(join(root, 'docs', 'adapter', 'stories.md'), 'utf8');
    const part = page.split(/^## /m).find((each) => each.includes(`](../../examples/adapter/${name}.mjs)`));
    expect(oneLine(part ?? '')).toMatch(statement);
  });
});

interface StoryScript {
  readonly default: Script;
  readonly recordings: readonly string[];
}

async function scriptOf(name: string): Promise<StoryScript> {
  const file = join(folder, 'examples', 'scripts', 'adapter', `${name}.mjs`);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as StoryScript;
}

/** Runs the example as a user does, with a launcher that keeps the settings file. */
async function run(name: string, stage: Stage) {
  const bin = join(stage.root, 'bin');
  const kept = join(stage.root, 'settings.json');
  const work = join(stage.root, 'work');
  for (const each of [bin, work]) mkdirSync(each);
  const write = (file: string, text: string) => writeFileSync(join(bin, file), text, { mode: 0o700 });
  write(
    'claude.mjs',
    `#!${process.execPath}
import { copyFileSync } from 'node:fs';
const path = process.argv.find((arg) => arg.startsWith('--settings'));
const file = path.includes('=') ? path.slice(path.indexOf('=') + 1) : process.argv[process.argv.indexOf(path) + 1];
copyFileSync(file, ${JSON.stringify(kept)});
await import(${JSON.stringify(pathToFileURL(stage.path ?? '').href)});
`,
  );
  // Whether this machine has a sandbox does not matter here.
  write('bwrap', '#!/bin/sh\necho "net:[1]"\necho "pid:[2]"\n');
  write('socat', '#!/bin/sh\n');
  const takesFolder = ['local-development', 'ci-agent'].includes(name);
  const program = join(folder, 'examples', 'adapter', `${name}.mjs`);
  const {
    stdout,
    stderr,
    exitCode: status,
  } = await execa(process.execPath, [program, ...(takesFolder ? [work] : [])], {
    cwd: work,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    extendEnv: false,
    env: {
      ...stage.machine.hostEnv,
      PATH: `${bin}${delimiter}${stage.machine.hostEnv.PATH}`,
      TMPDIR: stage.tempRoot,
      IS_SANDBOX: '1',
      HOST_CANARY: 'of the host',
      HOST_SECRET_TOKEN: 'of the host',
      CLAUDE_CODE_EXECUTABLE: join(bin, 'claude.mjs'),
    },
  });
  const written: unknown = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : undefined;
  return { stdout, stderr, status, written };
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((each, key) => (each as Record<string, unknown> | undefined)?.[key], value);
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
