/** Something about this machine that a run would meet. */
export interface Finding {
  readonly name: 'node' | 'gateway' | 'proxy' | 'certificate' | 'nested' | 'settings' | 'callbacks' | 'mcp';
  /** `failed` only for what was tried out on request. */
  readonly status: 'passed' | 'warning' | 'failed';
  /** Variables, a file, a server. */
  readonly where: string;
  /** One sentence or two. Never the value of a variable or a header. */
  readonly found: string;
  /** What to try. `undefined` when it passed. */
  readonly fix: string | undefined;
}

export function warned(name: Finding['name'], where: string, found: string, fix: string): Finding {
  return { name, status: 'warning', where, found, fix };
}
