/** The answers of the calls below `/set-up/profiles`; service/openapi.yaml describes them whole. */

export interface ProfileEntry {
  name: string;
  label: string | Record<string, string> | null;
  by: 'operator' | 'service' | 'product';
  /** The operator's file, if the profile cannot be changed here. */
  fixed_by: string | null;
  revision: string | null;
  removable: boolean;
  problems: { field: string | null; message: string }[];
  profile: ProfileForm | null;
}

/** The keys of a profile file that Settings can change. */
export interface ProfileForm {
  label: string | Record<string, string>;
  icon?: string;
  description?: string;
  source?: string;
  sides?: 'one' | 'both';
  mode?: string;
  resolution?: number;
  page_size?: string | { width_mm: number; height_mm: number };
  processing?: { languages?: string[] };
  assembly?: { page_grouping?: string; remove_blank_pages?: string };
  title?: string;
  destinations: Destination[];
  trigger?: Trigger;
}

export interface Destination {
  kind: 'dms';
  tags?: (string | number)[];
  correspondent?: string | number;
  document_type?: string | number;
  storage_path?: string | number;
  create_missing?: boolean;
}

export type Trigger = { button: string; function?: number } | { paper: true };

/** Body of GET /set-up/profiles. */
export interface ProfilesList {
  profiles: ProfileEntry[];
  left: number;
}
