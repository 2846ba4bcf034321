import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';

export const SESSION = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export type Entry = Record<string, unknown>;

/** A configuration folder of its own for each test. */
export class SessionFolder {
  /** A place outside of the configuration folder. */
  base = '';

  get config(): string {
    return join(this.base, 'config');
  }

  path(id = SESSION, project = '-w'): string {
    return join(this.config, 'projects', project, `${id}.jsonl`);
  }

  put(lines: readonly (Entry | string)[] | string | Buffer, id = SESSION, project = '-w'): string {
    const path = this.path(id, project);
    mkdirSync(dirname(path), { recursive: true });
    const isWhole = typeof lines === 'string' || Buffer.isBuffer(lines);
    writeFileSync(path, isWhole ? lines : lines.map(lineOf).join(''));
    return path;
  }

  lines(path = this.path()): Entry[] {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Entry);
  }
}

function lineOf(line: Entry | string): string {
  return `${typeof line === 'string' ? line : JSON.stringify(line)}\n`;
}

export function useSessionFolder(): SessionFolder {
  const folder = new SessionFolder();
  beforeEach(() => {
    folder.base = realpathSync(mkdtempSync(join(tmpdir(), 'sessions-')));
    mkdirSync(join(folder.config, 'projects'), { recursive: true });
    vi.stubEnv('CLAUDE_CONFIG_DIR', folder.config);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder.base, { recursive: true, force: true });
  });
  return folder;
}

export function user(n: number, parent: number | null, content: unknown, fields: Entry = {}): Entry {
  return linked('user', n, parent, { message: { role: 'user', content }, ...fields });
}

export function assistant(n: number, parent: number | null, text: string, fields: Entry = {}): Entry {
  const message = { id: `msg_${n}`, role: 'assistant', content: [{ type: 'text', text }] };
  return linked('assistant', n, parent, { message, ...fields });
}

export function linked(type: string, n: number, parent: number | null, fields: Entry): Entry {
  return {
    type,
    uuid: uuid(n),
    parentUuid: parent === null ? null : uuid(parent),
    sessionId: SESSION,
    timestamp: `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.000Z`,
    isSidechain: false,
    ...fields,
  };
}

/** The numbers behind {@link uuid}. */
export function numbers(messages: readonly { readonly uuid: string }[]): number[] {
  return messages.map((message) => Number(message.uuid.slice(-12)));
}
