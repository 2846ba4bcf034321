import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { toUSVString } from 'node:util';
import type { Options } from 'claudewire';
import { HostError } from '../errors.js';
import { settled } from '../stores/time-limit.js';

/** Options that belong to the host: it decides which session runs, who is asked, and when a process ends. */
const HOST_OPTIONS = [
  'abortController',
  'canUseTool',
  'continue',
  'deadlineMs',
  'forkSession',
  'permissionPromptToolName',
  'resume',
  'resumeSessionAt',
  'sessionId',
  'sessionStore',
] as const satisfies readonly (keyof Options)[];

/** Options of a tenant's processes. `env.CLAUDE_CONFIG_DIR` is the tenant's own home of Claude Code. */
export type TenantOptions = Omit<Options, (typeof HOST_OPTIONS)[number] | 'env'> & {
  readonly env: NonNullable<Options['env']> & { readonly CLAUDE_CONFIG_DIR: string };
};

export type OptionsFor = (tenant: string) => TenantOptions | Promise<TenantOptions>;

/** Asks the caller for a tenant's options, and refuses those with which two tenants would share a home. */
export class TenantHomes {
  readonly #optionsFor: OptionsFor;
  readonly #limitMs: number;
  readonly #tenants = new Map<string, string>();

  constructor(optionsFor: OptionsFor, limitMs: number) {
    this.#optionsFor = optionsFor;
    this.#limitMs = limitMs;
  }

  /** @throws HostError `start_failed`: there are none, or they cannot be used. That is for the host's log alone. */
  async optionsOf(tenant: string): Promise<TenantOptions> {
    const options = await this.#ask(tenant);
    if (typeof options !== 'object' || options === null) {
      throw unfit(`optionsFor() must return the options of a tenant, got ${typeOf(options)}.`);
    }
    const taken = HOST_OPTIONS.filter((name) => name in options);
    if (taken.length > 0) throw unfit(`Options that the host sets itself: ${taken.join(', ')}.`);
    const home = options.env?.CLAUDE_CONFIG_DIR;
    if (typeof home !== 'string' || !isAbsolute(home)) {
      throw unfit('optionsFor() must set `env.CLAUDE_CONFIG_DIR` to an absolute path.');
    }
    const real = realPath(home);
    for (const [taken, owner] of this.#tenants) {
      if (owner === tenant || !(isWithin(real, taken) || isWithin(taken, real))) continue;
      const how = 'the same `env.CLAUDE_CONFIG_DIR`, or one within the other';
      throw unfit(`optionsFor() gave two tenants ${how}.`);
    }
    this.#tenants.set(real, tenant);
    return options;
  }

  async #ask(tenant: string): Promise<TenantOptions> {
    try {
      return await settled(this.#limitMs, 'optionsFor()', async () => this.#optionsFor(tenant));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new HostError('start_failed', `There are no options for this tenant: ${reason}`, { cause: error });
    }
  }
}

/** A mistake of the program, and no user's. */
function unfit(message: string): HostError {
  return new HostError('start_failed', message);
}

/** With links followed, as far as it exists. Halves of surrogate pairs are all the same character to a file system. */
function realPath(path: string): string {
  const full = toUSVString(resolve(path));
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(realPath(parent), basename(full));
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
