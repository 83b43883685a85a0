import { connect } from '../../helpers/ipc/transport.ts';

/**
 * Health check of the scanner runtime's container. Exits with 0 if the runtime responds on its
 * socket; otherwise prints the cause for `docker inspect`. Runs every few seconds, so it imports
 * little.
 */
const ANSWER_MS = 4000;

const given = process.env['SCANNER_SOCKET'] ?? '';
const socket = given === '' ? '/run/scan-service/scanner.sock' : given;
let problem = `The scanner runtime cannot be reached at ${socket}.`;
setTimeout(() => fail(), ANSWER_MS);
const connection = connect(socket, {
  onConnect: () => {
    problem = `The scanner runtime did not respond within ${ANSWER_MS} ms.`;
    connection.send('health', { id: 'health-check', ask: {} });
  },
  onLost: () => {},
  onReply: (event, payload) => {
    if (event === 'result') process.exit(0);
    problem = `${event}: ${JSON.stringify(payload)}`;
    if (event === 'failed') fail();
  },
});

function fail(): never {
  console.log(problem);
  process.exit(1);
}
