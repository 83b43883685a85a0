/** The answers of the calls below `/set-up`; service/openapi.yaml describes them whole. */

import type { ProfileKind, ScannerChoice } from '../button-types.d.ts';

/** Body of GET /set-up. */
export interface SetUpState {
  state: 'new' | 'set' | 'closed' | 'unreadable' | 'off';
  logged_in: boolean;
  /** True if the session of this browser ended because the password was changed. */
  password_changed?: boolean;
  finished: boolean;
}

/** The steps with an answer, in their order. */
export type Answered = 'scanner' | 'paperless' | 'languages' | 'buttons' | 'house';

export type StepId = Answered | 'test';

export interface ButtonAnswer {
  name: string;
  label: string | Record<string, string> | null;
  kind: ProfileKind;
  /** Null if no scanner was chosen yet. */
  fits: boolean | null;
  shown: boolean;
}

export interface Answers {
  scanner: { device: string; name: string; kinds: ScannerChoice['kind'][] } | null;
  /** `token`: true if a token is stored. */
  paperless: { address: string | null; token: boolean };
  languages: string[] | null;
  /** Null: the time zone of the machine. */
  time_zone: string | null;
  buttons: ButtonAnswer[];
  house: 'password' | 'open' | null;
}

/** Body of GET /set-up/answers. */
export interface AnswersBody {
  answers: Answers;
  /** The name of the variable or secret by which the operator fixed the answer, else null. */
  fixed: {
    dms_url: string | null;
    dms_api_token: string | null;
    time_zone: string | null;
    scan_api_token: string | null;
    /** The operator's own profiles. */
    profiles: string[];
  };
  languages: {
    installed: string[] | null;
    offered: OfferedLanguage[];
    text: Record<'en' | 'de', string> | null;
  };
  to_do: Answered[];
}

export interface OfferedLanguage {
  /** The code that Tesseract uses, such as `deu`. */
  code: string;
  locale: string;
}

/** An entry of GET /set-up/scanners. */
export interface FoundScanner {
  name: string;
  vendor: string;
  model: string;
  problem: { error: string; message: string } | null;
  choices?: ScannerChoice[];
}
