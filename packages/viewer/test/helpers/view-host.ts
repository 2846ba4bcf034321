import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { runView, type ViewArguments } from '../../src/command/index.js';
import { template } from './template.js';

/** A folder that is gone when the test is over. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-view-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ran {
  readonly stdin: PassThrough;
  readonly out: () => string;
  readonly err: () => string;
  readonly code: Promise<number>;
  readonly stop: () => void;
}

/** `claudewire view` in this process. */
export async function run(args: Partial<ViewArguments> & { readonly source: string }): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const stdin = new PassThrough();
  const abort = new AbortController();
  const code = runView(
    { open: false, ...args },
    {
      ...{ stdin, env: {}, signal: abort.signal, template: await template() },
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
    },
  );
  // A test that fails earlier must not leave a rejection behind.
  code.catch(() => {});
  return { stdin, out: () => out.join(''), err: () => err.join(''), code, stop: () => abort.abort() };
}
