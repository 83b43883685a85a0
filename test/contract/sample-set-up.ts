import type { ScannerList } from '../../service/scanner/scanner-list.ts';
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
          modes: ['Gray'],
          resolutions: { min: 50, max: 600 },
          max_page: { width_mm: 216, height_mm: 356 },
          options: ['mode'],
        },
        { source: null, modes: [], resolutions: [300], max_page: null, options: [] },
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

/** What a search for scanners may end with. */
export const SEARCH_FAILURES = [
  'scanner_busy',
  'scanner_error',
  'scanner_runtime_unreachable',
  'timeout',
] as const;
