import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got from 'got';

/**
 * Got for requests that are sent once, each on a connection of its own: nothing is repeated, redirected or unpacked, and
 * every status is an answer. Got checks each option at each call: what is given here is checked once.
 */
export const singleRequest = got.extend({
  headers: { 'accept-encoding': 'identity', 'user-agent': 'scan-service' },
  agent: {
    http: new HttpAgent({ keepAlive: false }),
    https: new HttpsAgent({ keepAlive: false }),
  },
  followRedirect: false,
  retry: { limit: 0 },
  throwHttpErrors: false,
  decompress: false,
});
