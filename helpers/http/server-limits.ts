/** Times are in milliseconds; tests shorten them. */
export const SERVER_LIMITS = {
  /** LAN clients send their few headers at once; slower means an attack or a broken client. */
  headersMs: 5000,
  /** Time for a request with its body of at most 64 KB. Its response may take as long as a scan. */
  requestMs: 10_000,
  /** Time between requests. Browsers and probes send the next one within seconds, or reconnect. */
  keepAliveMs: 5000,
  /** How long a client may stop reading. A phone that changes access points is back sooner. */
  stalledMs: 60_000,
  /** Time for open responses at shutdown. Scans have already ended, so these are downloads. */
  closeMs: 10_000,
  checkIntervalMs: 1000,
  /** A younger connection may have an unread request, so it does not count as idle. */
  freshMs: 1000,
  /**
   * Each connection takes one of 1,024 file descriptors. A household has few clients and probes.
   */
  maxConnections: 400,
  /** Responses to a client that pipelines but never reads stay in memory: 20,000 took 185 MB. */
  maxRequestsPerConnection: 100,
  maxHeaderBytes: 8192,
};

export type ServerLimits = Readonly<Record<keyof typeof SERVER_LIMITS, number>>;
