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
  /** The profile, with `settings` already applied. */
  readonly profile: Profile;
  /** The settings chosen for this scan, if any. */
  readonly settings?: ScanSettings;
  /** The metadata of the request; overrides the profile's. */
  readonly metadata: DocumentMetadata;
  /** Only feed and recognize; more paper may follow. */
  readonly hold?: boolean;
  /** The button or sensor that started the scan; not set for a request. */
  readonly trigger?: Trigger;
}

export interface AddedPaper extends Pick<ScanCall, 'hold'> {
  /** The new pages are the backs of the scan's sheets. */
  readonly side?: 'backs';
}

/** A page to scan again. */
export interface PageAgain {
  readonly replaces: number;
  /** For this page only. */
  readonly settings?: PageSettings;
}

/** Runs a stage and records its duration, even if it fails. */
export type StageClock = (stage: keyof StageTimings, run: () => Promise<void>) => Promise<void>;

export interface ScanParts {
  readonly scanner: ScannerClient;
  readonly processor: ProcessorClient;
  readonly dms: Dms;
  /** True if a silent processor may still be starting, and is waited for. Defaults to false. */
  readonly mayBeStarting?: () => boolean;
}

/** An open scan, as the stages use it. Its record contains the profile and the metadata. */
export interface Scan extends OpenScan {
  readonly id: string;
  readonly deadline: Deadline;
  /** Aborted with a Failure when the feeder should stop after the current sheet. */
  readonly stop: AbortSignal;
  readonly log: Log;
}
