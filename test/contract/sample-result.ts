import type { ScanResult } from '../../service/archive/scan-view.ts';

/** A result in which every field has a value. */
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
