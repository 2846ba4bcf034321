/** What bounds one proxy. Times in milliseconds. */
export interface ProxyLimits {
  /** To the end of the request's head, or of the SOCKS handshake. @defaultValue 10_000 */
  readonly handshakeMs: number;
  /** To resolve a name, and again to connect. @defaultValue 30_000 */
  readonly connectMs: number;
  /** Without a byte, once one side of a tunnel has ended. @defaultValue 30_000 */
  readonly halfClosedMs: number;
  /** Clients at a time; more are dropped. @defaultValue 256 */
  readonly maxConnections: number;
  /** Of one request's head. @defaultValue 16_384 */
  readonly maxHeaderBytes: number;
  /** Different refusals that are listed. @defaultValue 100 */
  readonly maxRefusals: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  handshakeMs: 10_000,
  connectMs: 30_000,
  halfClosedMs: 30_000,
  maxConnections: 256,
  maxHeaderBytes: 16_384,
  maxRefusals: 100,
};
