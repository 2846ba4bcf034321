import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Diagnostic } from '../../../src/diagnostics.js';
import type { Options } from '../../../src/index.js';
import { projectKeyForDirectory } from '../../../src/transcripts/files/project-folder.js';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../../../src/transcripts/store/session-store.js';
import { fixturePath } from '../../transport/support.js';

export const ID = '11111111-1111-4111-8111-111111111111';
export const OTHER_ID = '22222222-2222-4222-8222-222222222222';

/** What the fixture CLI says of its start. */
export interface Launch {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly mode: number;
  readonly files: Readonly<Record<string, { readonly mode: string; readonly text?: string }>>;
}

export interface ResumeStage {
  /** The user's configuration folder, empty. */
  readonly config: string;
  readonly cwd: string;
  readonly projectKey: string;
  readonly diagnostics: Diagnostic[];
  options(more: Options): Options;
  /** Folders of ours that are left in the temporary directory. */
  left(): readonly string[];
}

/** A throw-away machine for one test, with a fixture CLI that reports what it finds. */
export function setResumeStage(directory = 'work'): ResumeStage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'claudewire-test-resume-')));
  const [temp = '', config = '', cwd = ''] = ['tmp', 'config', directory].map((name) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  });
  vi.stubEnv('TMPDIR', temp);
  vi.stubEnv('TEMP', temp);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const projectKey = projectKeyForDirectory(cwd);
  const diagnostics: Diagnostic[] = [];
  return {
    config,
    cwd,
    projectKey,
    diagnostics,
    options: (more) => ({
      pathToClaudeCodeExecutable: fixturePath('remembers'),
      executable: 'node',
      cwd,
      env: { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: config, REMEMBERS: `${projectKey}/${ID}.jsonl` },
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      ...more,
    }),
    left: () => readdirSync(temp),
  };
}

/** Every call to a store, as `load main`, `append main`. */
export interface SpiedStore extends SessionStore {
  readonly calls: string[];
  readonly appended: SessionStoreEntry[];
}

/** A store that answers as told and notes what it was asked. */
export function spiedStore(answers: {
  readonly load?: (key: SessionKey) => unknown;
  readonly listSessions?: () => unknown;
  readonly listSubkeys?: () => unknown;
  readonly listSessionSummaries?: () => unknown;
}): SpiedStore {
  const calls: string[] = [];
  const appended: SessionStoreEntry[] = [];
  const note = (method: string, key: SessionKey): void => {
    calls.push(`${method} ${key.sessionId.slice(0, 4)} ${key.subpath ?? 'main'}`);
  };
  // The answers are of any kind: that is what the tests are about.
  return {
    calls,
    appended,
    append: async (key, entries) => {
      note('append', key);
      appended.push(...entries);
    },
    load: async (key) => {
      note('load', key);
      return ((await answers.load?.(key)) ?? null) as SessionStoreEntry[] | null;
    },
    ...(answers.listSessions && {
      listSessions: async () => {
        calls.push('listSessions');
        return (await answers.listSessions?.()) as { sessionId: string; mtime: number }[];
      },
    }),
    ...(answers.listSessionSummaries && {
      listSessionSummaries: async () => {
        calls.push('listSessionSummaries');
        return (await answers.listSessionSummaries?.()) as SessionSummaryEntry[];
      },
    }),
    ...(answers.listSubkeys && {
      listSubkeys: async () => {
        calls.push('listSubkeys');
        return (await answers.listSubkeys?.()) as string[];
      },
    }),
  };
}

export function entry(n: number, over: object = {}): SessionStoreEntry {
  return { type: 'user', uuid: `u${n}`, n, ...over };
}
