import { connect } from '../../helpers/ipc/transport.ts';

/**
 * Health check of the scanner runtime's container: asks it over its socket, as the service does. Exits 0 when it answers,
 * and says on stdout why not when it does not: `docker inspect` shows it. It runs every few seconds, and therefore loads
 * as little as it can.
 */
const ANSWER_MS = 4000;

const given = process.env['SCANNER_SOCKET'] ?? '';
const socket = given === '' ? '/run/scan-service/scanner.sock' : given;
let problem = `nobody can be reached at ${socket}`;
setTimeout(() => fail(), ANSWER_MS);
const connection = connect(socket, {
  onConnect: () => {
    problem = `no answer within ${ANSWER_MS} ms`;
    connection.send('health', { id: 'health-check' });
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
