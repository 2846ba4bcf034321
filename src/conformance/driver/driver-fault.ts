/** The driver broke the protocol, or could not be started: nothing is known about the SDK behind it. */
export class DriverFault extends Error {
  override name = 'DriverFault';
}
