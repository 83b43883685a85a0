import type { ScanResult } from '../../service/archive/scan-view.ts';
import type { ScannerList } from '../../service/scanner/scanner-list.ts';
import type { ListedForm } from '../../service/set-up/profiles/listed-forms.ts';
import type { SetUpAnswers } from '../../service/set-up/steps/answers.ts';
import type { SelfTestResult } from '../../service/self-test/self-test.ts';

export const SELF_TEST: SelfTestResult = {
  status: 'problems',
  looked_at: '2026-11-22T10:00:00.000Z',
  duration_ms: 90,
  checks: [
    {
      id: 'dms.token',
      subject: 'http://a',
      status: 'fail',
      found: '401',
      expected: null,
      message: 'It is wrong.',
      remedy: 'Correct it.',
    },
  ],
};

export const SCANNERS: ScannerList = {
  looked_at: '2026-11-22T10:00:00.000Z',
  scanners: [
    {
      name: 'fake:0',
      vendor: 'ACME',
      model: 'Feeder',
      type: 'scanner',
      sources: [
        {
          source: 'ADF',
          feeder: true,
          sides: ['one', 'both'],
          modes: ['Gray'],
          resolutions: { min: 50, max: 600 },
          max_page: { width_mm: 216, height_mm: 356 },
          options: ['mode'],
        },
        {
          source: null,
          feeder: false,
          sides: ['one'],
          modes: [],
          resolutions: [300],
          max_page: null,
          options: [],
        },
      ],
      problem: null,
    },
    {
      name: 'fake:1',
      vendor: '',
      model: '',
      type: '',
      sources: [],
      problem: { error: 'no_scanner_detected', message: 'It is off. Switch it on.' },
    },
  ],
};

export const TAGS = [{ id: 1, name: 'Inbox', data_type: 'of no interest' }];

export const RESULT: ScanResult = {
  scan_id: '20261121T063000Z-8f3a1c',
  profile: 'default',
  state: 'finished',
  page_count: 2,
  pages: ['page-0001.tif', 'page-0002.tif'],
  duration_ms: 10,
  timings_ms: { scan: 5, process: 3, deliver: 2 },
  warnings: ['page 2: looks empty', 'Page 2 is nearly blank (score 1.2). It was kept.'],
  warning_details: [null, { code: 'nearly_blank', facts: { page: 2, score: 1.2 } }],
  dropped_pages: [{ page: 2, reason: 'blank', score: 0.02 }],
  documents: [
    {
      filename: 'document-0001.pdf',
      title: 'Scan',
      pages: [1, 2],
      page_count: 2,
      bytes: 100,
      sha256: 'ab',
      confidence: 93,
      no_text: [2],
      destinations: [
        { status: 'submitted', task_id: 'x' },
        { status: 'failed', error: 'y' },
      ],
      outcomes: ['accepted', 'refused'],
      causes: [null, { code: 'cut_off', facts: {} }],
    },
  ],
};

export const ANSWERS: SetUpAnswers = {
  answers: {
    scanner: { device: 'fake:0', name: 'ACME Feeder', kinds: ['feeder', 'glass'] },
    paperless: { address: 'http://a', token: true },
    languages: ['deu', 'eng'],
    time_zone: null,
    buttons: [
      {
        name: 'default',
        label: { en: 'Letters', de: 'Briefe' },
        kind: 'feeder',
        fits: true,
        shown: true,
      },
      { name: 'receipts', label: null, kind: 'receipts', fits: null, shown: false },
    ],
    house: null,
  },
  fixed: {
    dms_url: 'DMS_URL',
    dms_api_token: null,
    time_zone: null,
    scan_api_token: null,
    profiles: ['invoices'],
  },
  languages: { installed: ['eng'], offered: [{ code: 'deu', locale: 'de' }], text: null },
  to_do: ['house'],
  finished_at: null,
};

export const ENTRY: ListedForm = {
  name: 'default',
  label: { en: 'Letters', de: 'Briefe' },
  by: 'service',
  fixed_by: null,
  revision: '0123456789abcdef',
  removable: true,
  problems: [{ field: 'processing.languages', message: 'It is missing.' }],
  profile: {
    label: { en: 'Letters', de: 'Briefe' },
    icon: 'letter',
    source: 'ADF',
    sides: 'one',
    mode: 'Gray',
    resolution: 300,
    page_size: 'a4',
    processing: { languages: ['deu'] },
    assembly: { page_grouping: 'per_page', remove_blank_pages: 'all' },
    title: '{first_line}',
    destinations: [{ kind: 'dms', tags: [1, 'Inbox'], create_missing: true }],
    trigger: { button: 'scan', function: 2 },
  },
};

export const PROFILE_ENTRIES: readonly ListedForm[] = [
  ENTRY,
  {
    ...ENTRY,
    name: 'glass',
    profile: { label: 'Glass', destinations: [], trigger: { paper: true } },
  },
  {
    ...ENTRY,
    name: 'invoices',
    label: null,
    by: 'operator',
    fixed_by: 'invoices.yaml',
    revision: null,
    removable: false,
    problems: [],
    profile: null,
  },
];
