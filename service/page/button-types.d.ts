/** The API's profiles, which are the buttons of the page. */

export type ProfileKind = 'feeder' | 'both_sides' | 'glass' | 'receipts' | 'card';

/** The settings of a scan. */
export interface ScanSettings {
  /** Null: the scanner's default. */
  source: string | null;
  /** Null if the source determines the sides. */
  sides?: 'one' | 'both' | null;
  mode: string;
  resolution: number;
  page_size: string | { width_mm: number; height_mm: number };
  page_grouping: string;
  remove_blank_pages: string;
  languages: string[];
}

/** A button saved on the page, as in the API. */
export interface SavedButton {
  based_on: string;
  label: string | Record<string, string>;
  icon?: string;
  settings?: Partial<ScanSettings>;
  tags?: string[];
  title?: string;
}

export interface ProfileSummary {
  name: string;
  label: string | Record<string, string> | null;
  description: string;
  /** Null for a saved button whose profile is missing or broken. */
  kind: ProfileKind | null;
  mode: string | null;
  resolution: number | null;
  /** False if the scanner does not support the profile. */
  usable: boolean;
  /** The destinations' addresses for browsers, in profile order. */
  public_urls: (string | null)[];
  /** The profile's settings, before any choice on the page. */
  settings?: ScanSettings | null;
  icon?: string | null;
  saved?: boolean;
  based_on?: string | null;
  revision?: string | null;
  own?: Omit<SavedButton, 'based_on'> | null;
}

/** Body of GET /profiles. */
export interface ProfilesBody {
  profiles: ProfileSummary[];
  problems: ProfileProblem[];
  /** Languages that the processor can recognize; null until known. */
  languages?: string[] | null;
  saving?: { possible: boolean; left: number };
}

/** What a scanner supports with one of its sources. */
export interface ScannerChoice {
  source: string | null;
  /** Null if the source determines the sides. */
  sides: 'one' | 'both' | null;
  kind: 'feeder' | 'both_sides' | 'glass';
  modes: { mode: string; kind: 'color' | 'gray' | 'black_and_white' }[];
  resolutions: number[];
  page_sizes: string[];
}

export interface ProfileProblem {
  file: string;
  field?: string | null;
  message: string;
}
