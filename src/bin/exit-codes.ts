/** What `claudewire` exits with. */
export const ExitCode = {
  /** The run completed. */
  ok: 0,
  /** The run failed, or was interrupted: the last lines say why. */
  failed: 1,
  /** The arguments cannot be used; nothing was started. */
  usage: 2,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;
