/** Limits of the HTTP server. Times are in milliseconds; tests shorten them. */
export const SERVER_LIMITS = {
  /** LAN clients send their few headers immediately; slower means an attack or a broken client. */
  headersMs: 5000,
  /** For the request with a body of at most 64 KB. The response may take as long as the scan. */
  requestMs: 10_000,
  /** Between requests: browsers and probes return within seconds or reconnect. */
  keepAliveMs: 5000,
  /**
   * How long a client may stop reading a response. A phone changing access points is back sooner.
   */
  stalledMs: 60_000,
  /** Time for pending responses at shutdown. Scans have ended by then, so these are downloads. */
  closeMs: 10_000,
  /** How often connections are checked. */
  checkIntervalMs: 1000,
  /** A younger connection may have an unread request, so it is not idle. */
  freshMs: 1000,
  /** A household has a few clients and probes. Each takes one of 1,024 file descriptors. */
  maxConnections: 400,
  /** Responses to a pipelining client that never reads stay in memory: 20,000 took 185 MB. */
  maxRequestsPerConnection: 100,
  maxHeaderBytes: 8192,
};

export type ServerLimits = Readonly<Record<keyof typeof SERVER_LIMITS, number>>;
