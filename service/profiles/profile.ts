import type { PageSize, Sides } from '../../helpers/ipc/messages.ts';
import type { DocumentOptions, PageOptions } from '../../helpers/processor-contract.ts';
import type { Destination } from '../paperless/destination.ts';
import type { Trigger } from './trigger.ts';

/** A valid profile with defaults, frozen. `schema.ts` has the rules. */
export interface Profile {
  readonly name: string;
  readonly description: string;
  /** Display name, or one per language. */
  readonly label: string | Readonly<Record<string, string>> | undefined;
  readonly icon?: string | undefined;
  /** `auto`, an exact SANE device name, or part of a vendor or model name. */
  readonly device: string;
  /** In the scanner's spelling. Undefined for the scanner's default. */
  readonly source: string | undefined;
  /** Undefined if the source determines it. */
  readonly sides?: Sides | undefined;
  readonly mode: string;
  readonly resolution: number;
  /** `auto` detects the paper on each page. */
  readonly page_size: PageSize | 'auto';
  readonly max_pages: number;
  readonly scanner_options: Readonly<Record<string, string | number | boolean>>;
  readonly processing: Processing;
  readonly assembly: Assembly;
  readonly title: string;
  /** Time limit of the whole POST /scan call. */
  readonly timeout_seconds: number;
  readonly paths: { readonly output_dir: string };
  readonly destinations: readonly Destination[];
  /** Refuses to scan, instead of warning, if a destination does not work. */
  readonly require_destinations: boolean;
  readonly trigger?: Trigger | undefined;
}

/** The order of the backs when the stack is fed a second time (manual duplex). */
export type BacksOrder = 'reverse' | 'same';

export interface Processing
  extends
    Required<Pick<PageOptions, 'languages' | 'deskew' | 'rotate_pages' | 'optimize' | 'ocr'>>,
    Pick<DocumentOptions, 'output_type'> {
  /** In degrees, for feeders that scan backs upside down. */
  readonly rotate_backs: 0 | 180;
  /** In percent. Pages read with less confidence cause a warning. */
  readonly low_confidence: number;
}

export interface Assembly {
  readonly page_grouping:
    'combined' | 'per_page' | 'per_sheet' | 'separator' | 'blank_page' | 'card';
  /** Paper size of a `card` document. */
  readonly card_paper: 'a4' | 'letter';
  readonly remove_blank_pages: 'none' | 'backs' | 'all';
  readonly backs_order: BacksOrder;
  readonly barcodes: Barcodes | undefined;
}

/** The meaning of codes on the paper. The defaults are those of Paperless-ngx. */
export interface Barcodes {
  /** Codes with these texts mark separator pages. */
  readonly separator: readonly string[];
  readonly asn_prefix: string;
  readonly tag_prefix: string;
  /** Codes on separator pages may set tags, correspondent, type and title. */
  readonly metadata: boolean;
}
