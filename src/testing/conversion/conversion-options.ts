/** How a recording becomes a scenario. */
export interface ConversionOptions {
  /** Flags that the recording does not have must not be given in the replay. @defaultValue false */
  readonly strictArgv?: boolean;
  /** Frames may have no further keys, and no other requests may come. @defaultValue true, false for frames by hand */
  readonly exact?: boolean;
  /** Shorten lists that only tell what a CLI has: tools, commands, models. @defaultValue false */
  readonly trim?: boolean;
}
