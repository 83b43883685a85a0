/** The image files of a sheet's sides. A side without a file is white. */
export interface Sheet {
  readonly front: string;
  readonly back?: string;
}

/**
 * A plain file name is one side: a simplex scan feeds a sheet for each, and a duplex scan takes two
 * consecutive ones as a sheet. A `Sheet` is one sheet in both cases; a simplex scan does not see
 * its back.
 */
export type Paper = string | Sheet;

/** The input tray of the document feeder, and the glass. */
export class Feeder {
  #tray: Paper[] = [];
  #glass: string | undefined;

  /** Replaces the paper in the tray. The first page is also put on the glass, and stays there. */
  load(papers: readonly Paper[]): void {
    this.#tray = [...papers];
    const [first] = papers;
    this.#glass = typeof first === 'string' ? first : first?.front;
  }

  get isEmpty(): boolean {
    return this.#tray.length === 0;
  }

  get glass(): string | undefined {
    return this.#glass;
  }

  sheetsLeft(duplex: boolean): number {
    const tray = [...this.#tray];
    let sheets = 0;
    while (take(tray, duplex)) sheets += 1;
    return sheets;
  }

  peek(duplex: boolean): Sheet | undefined {
    return take([...this.#tray], duplex);
  }

  feed(duplex: boolean): Sheet | undefined {
    return take(this.#tray, duplex);
  }
}

function take(tray: Paper[], duplex: boolean): Sheet | undefined {
  const paper = tray.shift();
  if (typeof paper !== 'string') return paper;
  const next = duplex && typeof tray[0] === 'string' ? tray.shift() : undefined;
  return typeof next === 'string' ? { front: paper, back: next } : { front: paper };
}
