/** What is known of an isolated run's limits. Nothing says "active": the CLI does not report whether its sandbox is in force. */
export interface IsolationReport {
  /** The sandbox was asked for. */
  readonly requested: boolean;
  /** The CLI named our settings as the ones in force. */
  readonly settingsConfirmed: boolean;
  /** A sandbox was really started on this machine before the run, and a command in it could not leave it; `null` when that was not tried. */
  readonly probePassed: boolean | null;
  /** What a command in that sandbox could still do, such as `kernel settings in /proc/sys`. Empty when it passed or was not tried. */
  readonly openings: readonly string[];
  /** What an administrator adds: sources of settings, such as `policySettings`, and paths of managed texts (memory, skills). */
  readonly managedSources: readonly string[];
}

/** How a connection was asked for. */
export type ProxyForm = 'http' | 'connect' | 'socks';

/** What the proxy did not let through. Equal ones are counted. */
export interface RefusedConnection {
  readonly form: ProxyForm;
  /** As asked for; `''` when it could not be read. */
  readonly host: string;
  /** `0` when it could not be read. */
  readonly port: number;
  readonly reason: string;
  readonly count: number;
}
