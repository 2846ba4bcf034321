type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Releases of the CLI run `git status` when they start, and git runs the program that a repository's own configuration names as
 * its file monitor. What these variables say goes before any file.
 */
export function withoutFileMonitor<Env extends Variables>(env: Env): Env {
  const count = Number(env.GIT_CONFIG_COUNT ?? 0);
  const at = Number.isSafeInteger(count) && count > 0 ? count : 0;
  return {
    ...env,
    GIT_CONFIG_COUNT: `${at + 1}`,
    [`GIT_CONFIG_KEY_${at}`]: 'core.fsmonitor',
    [`GIT_CONFIG_VALUE_${at}`]: 'false',
  };
}
