/** A place where a call waits until the test lets it go on. */
export interface Gate {
  /** For the call. */
  pass(): Promise<void>;
  /** Resolves when a call is at it. */
  readonly reached: Promise<void>;
  open(): void;
}

export function newGate(): Gate {
  let reach = (): void => {};
  let open = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pass = async (): Promise<void> => {
    reach();
    await opened;
  };
  return { pass, reached, open: () => open() };
}
