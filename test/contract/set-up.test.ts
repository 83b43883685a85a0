import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../helpers/failure.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { startTestApp } from '../support/test-app.ts';
import { SEARCH_FAILURES } from './sample-set-up.ts';

const test = suite('what a search for scanners answers');

const described = describedResponses(await readOpenApi('1.2.3'));

for (const code of SEARCH_FAILURES) {
  test(`GET /scanners that fails with ${code} is answered as described`, async () => {
    const fails = (): Promise<never> => Promise.reject(new Failure(code, 'what happened'));
    const app = await startTestApp({ scannerList: fails });
    const answer = await app.send({ path: '/scanners' });
    await app.close();
    const response = described.find(
      (one) => one.path === '/scanners' && one.status === answer.status,
    );
    assert.is(answer.json?.['error'], code);
    assert.is(response?.check(answer.json), undefined);
    assert.match(response?.description ?? '', `\`${code}\``);
  });
}

test.run();
