import type { Log } from '../../helpers/log.ts';
import type { OpenScan } from '../archive/open-scan.ts';
import type { StageTimings } from '../archive/scan-event.ts';
import type { DocumentMetadata } from '../paperless/destination.ts';
import type { Dms } from '../paperless/dms.ts';
import type { ProcessorClient } from '../processor/processor-client.ts';
import type { Profile } from '../profiles/profile.ts';
import type { PageSettings, ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import type { Deadline } from './deadline.ts';

export interface ScanCall {
  /** The profile's settings, changed by `settings`. */
  readonly profile: Profile;
  readonly settings?: ScanSettings;
  /** Overrides the profile's metadata. */
  readonly metadata: DocumentMetadata;
  /** Stops after recognition, because more paper may follow. */
  readonly hold?: boolean;
  /** The button or sensor that started the scan. Not set for an API request. */
  readonly trigger?: Trigger;
}

export interface AddedPaper extends Pick<ScanCall, 'hold'> {
  readonly side?: 'backs';
}

export interface PageRescan {
  readonly replaces: number;
  readonly settings?: PageSettings;
}

/** Runs a stage and records its duration, even if it fails. */
export type StageClock = (stage: keyof StageTimings, run: () => Promise<void>) => Promise<void>;

export interface ScanParts {
  readonly scanner: ScannerClient;
  readonly processor: ProcessorClient;
  readonly dms: Dms;
  readonly mayBeStarting?: () => boolean;
}

export interface Scan extends OpenScan {
  readonly id: string;
  readonly deadline: Deadline;
  /** Aborts with a Failure to stop the feeder after the current sheet. */
  readonly stop: AbortSignal;
  readonly log: Log;
}
