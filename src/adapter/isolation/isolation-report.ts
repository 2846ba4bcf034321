/** What is known of an isolated run's limits. Nothing says "active": the CLI does not report whether its sandbox is in force. */
export interface IsolationReport {
  /** The sandbox was asked for. */
  readonly requested: boolean;
  /** The CLI named our settings as the ones in force. */
  readonly settingsConfirmed: boolean;
  /** A sandbox was really started on this machine before the run; `null` when that was not tried. */
  readonly probePassed: boolean | null;
  /** Sources of settings other than ours, such as `policySettings`. */
  readonly managedSources: readonly string[];
}
