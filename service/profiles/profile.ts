import type { PageSize, Sides } from '../../helpers/ipc/messages.ts';
import type { DocumentOptions, PageOptions } from '../../helpers/processor-contract.ts';
import type { Destination } from '../paperless/destination.ts';
import type { Trigger } from './trigger.ts';

/** A valid profile with defaults, frozen. See `schema.ts` for the rules. */
export interface Profile {
  readonly name: string;
  readonly description: string;
  /** The displayed name, or one per language. */
  readonly label: string | Readonly<Record<string, string>> | undefined;
  readonly icon?: string | undefined;
  /** `auto`, an exact SANE device name, or part of a vendor or model name. */
  readonly device: string;
  /** Spelled as by the scanner. Undefined for the scanner's default source. */
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
  /** Time limit of a whole call. */
  readonly timeout_seconds: number;
  readonly paths: { readonly output_dir: string };
  readonly destinations: readonly Destination[];
  /** If a destination does not work, refuses the scan instead of warning. */
  readonly require_destinations: boolean;
  readonly trigger?: Trigger | undefined;
}

/** The order of the backs, if a person turns the stack over and feeds it again. */
export type BacksOrder = 'reverse' | 'same';

export interface Processing
  extends
    Required<Pick<PageOptions, 'languages' | 'deskew' | 'rotate_pages' | 'optimize' | 'ocr'>>,
    Pick<DocumentOptions, 'output_type'> {
  /** In degrees, for feeders that scan backs upside down. */
  readonly rotate_backs: 0 | 180;
  /** In percent. A page recognized with less confidence causes a warning. */
  readonly low_confidence: number;
}

export interface Assembly {
  readonly page_grouping:
    'combined' | 'per_page' | 'per_sheet' | 'separator' | 'blank_page' | 'card';
  /** The paper size of a document with `page_grouping: card`. */
  readonly card_paper: 'a4' | 'letter';
  readonly remove_blank_pages: 'none' | 'backs' | 'all';
  readonly backs_order: BacksOrder;
  /** Undefined if codes are not read. */
  readonly barcodes: Barcodes | undefined;
}

/** How codes on the paper are understood. The defaults are those of Paperless-ngx. */
export interface Barcodes {
  /** Texts of codes that mark separator pages. */
  readonly separator: readonly string[];
  readonly asn_prefix: string;
  readonly tag_prefix: string;
  /** True if codes on separator pages set tags, correspondent, type and title. */
  readonly metadata: boolean;
}
