/** What is known about the limits of an isolated run. The CLI does not report whether its sandbox is active. */
export interface IsolationReport {
  /** The configuration enables the sandbox. */
  readonly requested: boolean;
  /** The CLI confirmed our settings as the ones in force. */
  readonly settingsConfirmed: boolean;
  /** A trial sandbox started on this machine, and a command could not leave it. `null` when it was not tried. */
  readonly probePassed: boolean | null;
  /** What a command could do in the trial sandbox, such as `kernel settings in /proc/sys`. Empty when it passed. */
  readonly openings: readonly string[];
  /**
   * Additions of an administrator: settings sources such as `policySettings`, paths of managed texts (memory,
   * skills).
   */
  readonly managedSources: readonly string[];
}

/** The protocol of a client's request. */
export type ProxyForm = 'http' | 'connect' | 'socks';

/** A kind of connection that the proxy refused, with its count. */
export interface RefusedConnection {
  readonly form: ProxyForm;
  /** As requested. `''` when it could not be read. */
  readonly host: string;
  /** `0` when it could not be read. */
  readonly port: number;
  readonly reason: string;
  readonly count: number;
}
