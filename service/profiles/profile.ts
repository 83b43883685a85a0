import type { PageSize, Sides } from '../../helpers/ipc/messages.ts';
import type { DocumentOptions, PageOptions } from '../../helpers/processor-contract.ts';
import type { Destination } from '../paperless/destination.ts';
import type { Trigger } from './trigger.ts';

/** A validated scan profile with defaults, frozen. See `schema.ts` for the rules. */
export interface Profile {
  readonly name: string;
  readonly description: string;
  /** Display name: one text, or one per language. */
  readonly label: string | Readonly<Record<string, string>> | undefined;
  /** Name of the icon on its button. */
  readonly icon?: string | undefined;
  /** `auto`, an exact SANE device name, or part of a vendor or model name. */
  readonly device: string;
  /** In the scanner's spelling. Undefined for the scanner's default. */
  readonly source: string | undefined;
  /** Independent of the driver's spelling. Undefined if the source determines it. */
  readonly sides?: Sides | undefined;
  readonly mode: string;
  /** In dpi. */
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
  /** Refuses to feed if a destination does not work, instead of warning. */
  readonly require_destinations: boolean;
  /** Starts a scan at the scanner. Undefined for none. */
  readonly trigger?: Trigger | undefined;
}

/** The order of backs in manual duplex, after the stack is fed a second time. */
export type BacksOrder = 'reverse' | 'same';

export interface Processing
  extends
    Required<Pick<PageOptions, 'languages' | 'deskew' | 'rotate_pages' | 'optimize' | 'ocr'>>,
    Pick<DocumentOptions, 'output_type'> {
  /** Degrees by which backs are rotated, for feeders that scan them upside down. */
  readonly rotate_backs: 0 | 180;
  /** Pages with a lower mean confidence cause a warning, in percent. */
  readonly low_confidence: number;
}

export interface Assembly {
  readonly page_grouping:
    'combined' | 'per_page' | 'per_sheet' | 'separator' | 'blank_page' | 'card';
  /** The paper on which `card` puts the sides of a card. */
  readonly card_paper: 'a4' | 'letter';
  readonly remove_blank_pages: 'none' | 'backs' | 'all';
  readonly backs_order: BacksOrder;
  /** Undefined if codes are not read. */
  readonly barcodes: Barcodes | undefined;
}

/** The meaning of codes on the paper. Defaults are the conventions of Paperless-ngx. */
export interface Barcodes {
  /** Codes with these texts mark separator pages. */
  readonly separator: readonly string[];
  /** Prefix of a code with an archive serial number. */
  readonly asn_prefix: string;
  /** Prefix of a code with tags. */
  readonly tag_prefix: string;
  /** True if codes on separator pages set tags, correspondent, type and title. */
  readonly metadata: boolean;
}
