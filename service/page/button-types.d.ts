/** What the service says of its profiles, which are the buttons of the page. */

export type ProfileKind = 'feeder' | 'both_sides' | 'glass' | 'receipts' | 'card';

/** What a scan is made with. */
export interface ScanSettings {
  /** Null leaves the choice to the scanner. */
  source: string | null;
  /** Null where the source decides. */
  sides?: 'one' | 'both' | null;
  mode: string;
  resolution: number;
  page_size: string | { width_mm: number; height_mm: number };
  page_grouping: string;
  remove_blank_pages: string;
  languages: string[];
}

/** A button that was saved on the page, as it is sent and answered. */
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
  /** False where the scanner cannot do it. */
  usable: boolean;
  /** Of each destination: where a browser finds it. */
  public_urls: (string | null)[];
  /** What it does without any choice. */
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
  /** What the processor reads; null while that is not known. */
  languages?: string[] | null;
  saving?: { possible: boolean; left: number };
}

/** What a scanner can do from one of its sources. */
export interface ScannerChoice {
  source: string | null;
  /** Null where the source decides. */
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
