import type { PageSize, Sides } from '../../helpers/ipc/messages.ts';
import type { DocumentOptions, PageOptions } from '../../helpers/processor-contract.ts';
import type { Destination } from '../paperless/destination.ts';
import type { Trigger } from './trigger.ts';

/** A scan profile as it is used inside: checked, defaults filled in, frozen. See `schema.ts` for the rules. */
export interface Profile {
  readonly name: string;
  readonly description: string;
  /** What people call it: one text, or one per language. */
  readonly label: string | Readonly<Record<string, string>> | undefined;
  /** Name of a picture for its button. */
  readonly icon?: string | undefined;
  /** `auto`, an exact SANE device name, or part of a vendor or model name. */
  readonly device: string;
  /** The scanner's own spelling; undefined leaves the scanner's default. */
  readonly source: string | undefined;
  /** Whichever way the driver spells it; undefined leaves it to the source. */
  readonly sides?: Sides | undefined;
  readonly mode: string;
  /** In dpi. */
  readonly resolution: number;
  /** `auto` finds the paper on each page. */
  readonly page_size: PageSize | 'auto';
  readonly max_pages: number;
  readonly scanner_options: Readonly<Record<string, string | number | boolean>>;
  readonly processing: Processing;
  readonly assembly: Assembly;
  /** Template of the title that documents get; see `title-template.ts`. */
  readonly title: string;
  /** Time budget of the whole POST /scan call. */
  readonly timeout_seconds: number;
  readonly paths: { readonly output_dir: string };
  readonly destinations: readonly Destination[];
  /** A destination that does not work before paper moves is a reason not to feed, and no warning. */
  readonly require_destinations: boolean;
  /** What at the scanner starts a scan; undefined is nothing. */
  readonly trigger?: Trigger | undefined;
}

/** How the second sides of a stack come out of the feeder that scanned the first ones. */
export type BacksOrder = 'reverse' | 'same';

export interface Processing
  extends
    Required<Pick<PageOptions, 'languages' | 'deskew' | 'rotate_pages' | 'optimize' | 'ocr'>>,
    Pick<DocumentOptions, 'output_type'> {
  /** Degrees by which the backs of sheets are turned, for feeders that scan them upside down. */
  readonly rotate_backs: 0 | 180;
  /** Pages below this mean confidence are named in a warning, in percent. */
  readonly low_confidence: number;
}

export interface Assembly {
  readonly page_grouping: 'combined' | 'per_page' | 'per_sheet' | 'separator' | 'blank_page';
  readonly remove_blank_pages: 'none' | 'backs' | 'all';
  /** For manual duplex. */
  readonly backs_order: BacksOrder;
  /** Undefined where no codes are read. */
  readonly barcodes: Barcodes | undefined;
}

/** What codes on the paper mean. The defaults are the conventions of Paperless-ngx. */
export interface Barcodes {
  /** Texts of the codes that make a page a separator. */
  readonly separator: readonly string[];
  /** Begins a code with an archive serial number. */
  readonly asn_prefix: string;
  /** Begins a code with tags. */
  readonly tag_prefix: string;
  /** Whether the codes of separators set tags, correspondent, type and title. */
  readonly metadata: boolean;
}
