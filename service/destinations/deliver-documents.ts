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
  /** Called, and awaited, before each upload; what it throws ends the delivery and is thrown on. */
  readonly onBegin?: (place: DeliveryPlace) => void | Promise<void>;
  /** Called, and awaited, after each upload; what it throws ends the delivery and is thrown on. */
  readonly onEntry?: (finished: FinishedDelivery) => void | Promise<void>;
}

/** Places in `documents` and `destinations`, from 0. */
export interface DeliveryPlace {
  readonly documentIndex: number;
  readonly destinationIndex: number;
}

export interface FinishedDelivery extends DeliveryPlace {
  readonly delivery: Delivery;
}

/**
 * Delivers every document to every destination, strictly one after the other: each document in order, and each of its
 * destinations in order. A failed destination stops nothing. Once the signal is aborted no further upload begins.
 *
 * Gives a list for each document, with the deliveries made, in the order of the destinations; shorter where time ran out.
 */
export async function deliverDocuments(all: DocumentsDelivery): Promise<Delivery[][]> {
  const { documents, destinations, isWanted, onBegin, onEntry, ...options } = all;
  const deliveries: Delivery[][] = documents.map(() => []);
  for (const [documentIndex, item] of documents.entries()) {
    for (const [destinationIndex, destination] of destinations.entries()) {
      if (options.signal.aborted) return deliveries;
      if (isWanted && !isWanted({ documentIndex, destinationIndex })) continue;
      await onBegin?.({ documentIndex, destinationIndex });
      const delivery = await deliverDocument({ ...options, ...item, destination });
      deliveries[documentIndex]?.push(delivery);
      await onEntry?.({ documentIndex, destinationIndex, delivery });
    }
  }
  return deliveries;
}
