import type { BrowserContextOptions, Page } from 'playwright-core';
import type { AnswersBody, FoundScanner, SetUpState } from '../../service/page/set-up/types.d.ts';
import type { PageBench } from './page-bench.ts';

export const KINDS = ['feeder', 'both_sides', 'glass'] as const;

export const SCANNERS: FoundScanner[] = [
  {
    name: 'airscan:e0:HP',
    vendor: 'HP',
    model: 'OfficeJet 8020',
    problem: null,
    choices: KINDS.map((kind) => ({
      source: null,
      sides: null,
      kind,
      modes: [{ mode: 'Color', kind: 'color' }],
      resolutions: [300, 600],
      page_sizes: ['a4'],
    })),
  },
  {
    name: 'airscan:e1:Canon',
    vendor: 'Canon',
    model: 'LiDE 400',
    problem: { error: 'scanner_busy_elsewhere', message: 'Busy.' },
  },
];

const button = { kind: 'feeder', fits: true, shown: true } as const;

const NOTHING: AnswersBody = {
  answers: {
    scanner: null,
    paperless: { address: 'http://paperless:8000', token: false },
    languages: null,
    time_zone: null,
    buttons: [
      { ...button, name: 'default', label: { en: 'Letters', de: 'Briefe' } },
      { ...button, name: 'receipts', label: { en: 'Receipts', de: 'Belege' }, kind: 'receipts' },
      { ...button, name: 'card', label: { en: 'Card', de: 'Karte' }, kind: 'card', fits: false },
    ],
    house: null,
  },
  fixed: {
    dms_url: null,
    dms_api_token: null,
    time_zone: null,
    scan_api_token: null,
    profiles: [],
  },
  languages: {
    installed: ['deu', 'eng'],
    offered: [
      { code: 'deu', locale: 'de' },
      { code: 'eng', locale: 'en' },
      { code: 'fra', locale: 'fr' },
    ],
    text: null,
  },
  to_do: ['scanner', 'paperless', 'languages', 'buttons', 'house'],
};

/** The service's answers, which a test may change. */
interface Service {
  state: SetUpState;
  answers: AnswersBody;
  scanners: FoundScanner[];
  /** Answers to the calls that store something, by path. */
  stored: Record<string, { status?: number; json?: object }>;
  /** The calls that were answered from `stored` so far, with their bodies. */
  sent: [path: string, body: unknown][];
  selfTest: object;
}

export async function opened(
  { app, open }: PageBench,
  context: BrowserContextOptions = {},
  changes: Partial<Service> = {},
): Promise<{ page: Page; service: Service; show: (hash: string) => Promise<void> }> {
  const service: Service = {
    state: { state: 'set', logged_in: true, finished: false },
    answers: structuredClone(NOTHING),
    scanners: SCANNERS,
    stored: {},
    sent: [],
    selfTest: SELF_TEST,
    ...changes,
  };
  const page = await open('about:blank', context);
  await page.route(/:\d+\/set-up(?:\/.*)?$/, (route) => {
    const request = route.request();
    const path = new URL(request.url()).pathname;
    const reads: Record<string, object> = {
      '/set-up': service.state,
      '/set-up/answers': service.answers,
      '/set-up/scanners': { scanners: service.scanners },
      '/set-up/self-test': service.selfTest,
    };
    if (request.method() === 'GET') return route.fulfill({ json: reads[path] ?? {} });
    service.sent.push([path, request.postDataJSON()]);
    return route.fulfill({ json: {}, ...service.stored[path] });
  });
  const address = `http://127.0.0.1:${app.port}/`;
  await page.goto(address);
  const show = async (hash: string): Promise<void> => {
    await page.goto(`${address}health`);
    await page.goto(`${address}#set-up${hash}`);
    await page.locator('#set-up-title').waitFor();
  };
  return { page, service, show };
}

export function selfTestCheck(id: string, status: string, en: string, de: string): object {
  return { id, status, title: { en: `The ${id}`, de: `Das ${id}` }, text: { en, de } };
}

const SELF_TEST = {
  status: 'problems',
  looked_at: '2026-11-27T10:00:00.000Z',
  checks: [
    selfTestCheck('scanner', 'ok', 'It answers.', 'Er antwortet.'),
    selfTestCheck('dms.tcp', 'fail', 'No answer. Start it.', 'Keine Antwort. Starten Sie es.'),
    selfTestCheck('dms.token', 'skipped', 'Not checked.', 'Nicht geprüft.'),
  ],
};
