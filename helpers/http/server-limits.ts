/** What the HTTP server lets callers use up. Every time is in milliseconds; a test shortens what it looks at. */
export const SERVER_LIMITS = {
  /** A caller on the LAN sends its few headers at once; slower is an attack or a broken client. */
  headersMs: 5000,
  /** For the whole request, body included; bodies are at most 64 KB. The answer may take as long as the scan. */
  requestMs: 10_000,
  /** Between two requests: browsers and probes ask again within seconds, or on a new connection. */
  keepAliveMs: 5000,
  /** How long a caller may read nothing of an answer. A phone that changes its access point is back sooner. */
  stalledMs: 60_000,
  /** What answers that are under way get when the service stops; scans are over by then, so these are downloads. */
  closeMs: 10_000,
  /** How often connections are compared with these times. */
  checkIntervalMs: 1000,
  /** A connection younger than this may have sent a request that has not been read yet: it is not dropped as idle. */
  freshMs: 1000,
  /** A household has a few callers and some probes. Each connection is a file descriptor, of which there are 1,024 or more. */
  maxConnections: 400,
  /** A caller that pipelines requests and reads no answer makes us keep them all: 185 MB were seen for 20,000. */
  maxRequestsPerConnection: 100,
  maxHeaderBytes: 8192,
};

export type ServerLimits = Readonly<Record<keyof typeof SERVER_LIMITS, number>>;
