import type { Manifest } from '../manifest.ts';

export interface ScanLook {
  /** Brightness of ink and paper, 0 to 255. */
  readonly ink?: number;
  readonly paper?: number;
  /** Clockwise, in degrees. */
  readonly turn?: number;
  readonly color?: boolean;
  /** JPEG quality, or `lineart` for a PNG in pure black and white. */
  readonly quality?: number;
  readonly lineart?: boolean;
  /** Paper size in millimetres. Default: A4 portrait. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** `source` is an HTML file in `sources`; a page without one is blank. */
export interface PageSource {
  readonly name: string;
  readonly language?: 'eng' | 'deu';
  readonly tags: readonly string[];
  readonly look?: ScanLook;
  /** For a blank back: the page whose print shows through, and the number of dust specks. */
  readonly blank?: { readonly showsThrough?: string; readonly specks: number };
}

const LANDSCAPE = { width: 297, height: 210 } as const;
const TILL_ROLL = { width: 80, height: 180 } as const;

export const PAGE_LIST: readonly PageSource[] = [
  { name: 'letter-insurance', tags: ['clean', 'letter'] },
  { name: 'letter-landlord', tags: ['clean', 'letter'] },
  { name: 'letter-school', tags: ['clean', 'letter'], look: { ink: 52 } },
  { name: 'letter-bank', tags: ['clean', 'letter'] },
  { name: 'invoice', tags: ['clean', 'table'] },
  { name: 'article-one', tags: ['clean', 'columns'] },
  { name: 'article-two', tags: ['clean', 'columns'] },
  { name: 'minutes', tags: ['clean'], look: { paper: 239 } },
  { name: 'report', tags: ['clean', 'table'] },
  { name: 'manual', tags: ['clean', 'table'] },
  { name: 'letter-skewed', tags: ['skewed', 'letter'], look: { turn: 2.4 } },
  { name: 'estimate-upside-down', tags: ['upside-down', 'table'], look: { turn: 180 } },
  {
    name: 'roster-landscape',
    tags: ['rotated-90', 'table'],
    look: { turn: 90, size: LANDSCAPE },
  },
  { name: 'small-print', tags: ['small-print', 'columns'] },
  { name: 'letter-german', language: 'deu', tags: ['german', 'letter'] },
  { name: 'receipt', tags: ['receipt', 'small-paper'], look: { ink: 92, size: TILL_ROLL } },
  { name: 'form', tags: ['form', 'lineart'], look: { lineart: true } },
  { name: 'brochure-color', tags: ['color', 'picture'], look: { color: true, quality: 62 } },
  { name: 'blank-back-plain', tags: ['blank'], blank: { specks: 0 } },
  { name: 'blank-back-dust', tags: ['blank'], blank: { specks: 14 } },
  {
    name: 'blank-back-shine',
    tags: ['blank'],
    blank: { specks: 5, showsThrough: 'letter-landlord' },
  },
];

export const STACKS: Manifest['stacks'] = {
  demo: [
    'letter-insurance',
    'invoice',
    'article-one',
    'article-two',
    'letter-school',
    'brochure-color',
  ],
  ten: [
    'letter-insurance',
    'letter-landlord',
    'letter-school',
    'letter-bank',
    'invoice',
    'article-one',
    'article-two',
    'minutes',
    'report',
    'manual',
  ],
  duplex: [
    { front: 'letter-landlord', back: 'blank-back-shine' },
    { front: 'article-one', back: 'article-two' },
    { front: 'minutes', back: 'blank-back-plain' },
    { front: 'invoice', back: 'blank-back-dust' },
  ],
  difficult: [
    'letter-skewed',
    'estimate-upside-down',
    'roster-landscape',
    'small-print',
    'receipt',
    'form',
  ],
};
