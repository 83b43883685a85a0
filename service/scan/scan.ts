import type { Log } from '../../helpers/log.ts';
import type { OpenScan } from '../archive/open-scan.ts';
import type { StageTimings } from '../archive/scan-event.ts';
import type { DocumentMetadata } from '../paperless/destination.ts';
import type { Dms } from '../paperless/dms.ts';
import type { ProcessorClient } from '../processor/processor-client.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import type { Deadline } from './deadline.ts';

/** What a caller asked for, checked. */
export interface ScanCall {
  /** With the settings below in place of its own. */
  readonly profile: Profile;
  /** Chosen for this scan; left out where nothing was. */
  readonly settings?: ScanSettings;
  /** From the request; overrides the profile's. */
  readonly metadata: DocumentMetadata;
  /** Feed and recognise only; more paper may come. */
  readonly hold?: boolean;
  /** What at the scanner began it; left out where a request did. */
  readonly trigger?: Trigger;
}

/** How paper is added to a scan. */
export interface AddedPaper extends Pick<ScanCall, 'hold'> {
  /** Its pages are the second sides of the sheets that the scan has. */
  readonly side?: 'backs';
}

/** Runs a stage and notes how long it took, however it ends. */
export type StageClock = (stage: keyof StageTimings, run: () => Promise<void>) => Promise<void>;

/** The parts that a scan goes through. */
export interface ScanParts {
  readonly scanner: ScannerClient;
  readonly processor: ProcessorClient;
  readonly dms: Dms;
  /** Whether a processor that does not answer may still be starting, and is waited for; never when left out. */
  readonly mayBeStarting?: () => boolean;
}

/** A scan under way: what every stage needs of it. Its record names the profile and the metadata. */
export interface Scan extends OpenScan {
  readonly id: string;
  readonly deadline: Deadline;
  /** Aborted, with a Failure, when the feeder should stop after the sheet under way. */
  readonly stop: AbortSignal;
  readonly log: Log;
}
