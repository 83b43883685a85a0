import { deliverDocument, type DeliveryOptions } from './deliver-document.ts';
import type { Delivery, Destination, DocumentFile, DocumentMetadata } from './destination.ts';

export interface DocumentToDeliver {
  readonly document: DocumentFile;
  readonly metadata: DocumentMetadata;
}

export interface DocumentsDelivery extends DeliveryOptions {
  readonly documents: readonly DocumentToDeliver[];
  readonly destinations: readonly Destination[];
  /** Which uploads are to be made; all when left out. */
  readonly isWanted?: (place: DeliveryPlace) => boolean;
  /**
   * Called, and awaited, before the first upload, between two, and after the last; what is thrown ends the delivery and is
   * thrown on.
   */
  readonly onStep?: (step: DeliveryStep) => void | Promise<void>;
}

/** Places in `documents` and `destinations`, from 0. */
export interface DeliveryPlace {
  readonly documentIndex: number;
  readonly destinationIndex: number;
}

export interface FinishedDelivery extends DeliveryPlace {
  readonly delivery: Delivery;
}

/** What is known at the moment between two uploads. */
export interface DeliveryStep {
  /** The upload before; undefined before the first. */
  readonly finished: FinishedDelivery | undefined;
  /** The one that begins; undefined after the last. */
  readonly begins: DeliveryPlace | undefined;
}

/**
 * Delivers every document to every destination, strictly one after the other: each document in order, and each of its
 * destinations in order. A failed destination stops nothing. Once the signal is aborted no further upload begins.
 *
 * Gives a list for each document, with the deliveries made, in the order of the destinations; shorter where time ran out.
 */
export async function deliverDocuments(all: DocumentsDelivery): Promise<Delivery[][]> {
  const { documents, destinations, isWanted = () => true, onStep, ...options } = all;
  const deliveries: Delivery[][] = documents.map(() => []);
  let finished: FinishedDelivery | undefined;
  for (const [documentIndex, item] of documents.entries()) {
    for (const [destinationIndex, destination] of destinations.entries()) {
      const place = { documentIndex, destinationIndex };
      if (options.signal.aborted || !isWanted(place)) continue;
      const step = { finished, begins: place };
      await onStep?.(step);
      const delivery = await deliverDocument({ ...options, ...item, destination });
      deliveries[documentIndex]?.push(delivery);
      finished = { ...place, delivery };
    }
  }
  if (finished) await onStep?.({ finished, begins: undefined });
  return deliveries;
}
