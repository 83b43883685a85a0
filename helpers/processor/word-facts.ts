/** What the words that Tesseract found on a page say about the page. */
export interface WordFacts {
  /** Characters of all words. */
  readonly characters: number;
  /** Mean confidence of the words, weighted by their length, 0 to 100. */
  readonly confidence: number;
  /** Most words run up or down the page. */
  readonly sideways: boolean;
  /** There is something on the page that is text beyond doubt. */
  readonly convincing: boolean;
}

/** Columns of Tesseract's TSV (tesseract.1): level, page, block, paragraph, line, word, box, confidence, text. */
const LEVEL = 0;
const WIDTH = 8;
const HEIGHT = 9;
const CONFIDENCE = 10;
const TEXT = 11;
const WORD_LEVEL = '5';

/** Shorter words are as high as they are wide, and noise is often read as them. */
const LONG_WORD_CHARACTERS = 3;
/** A long word of which Tesseract is this sure is text: it was at most 50 for dust and for print that shone through. */
const CONVINCING_CONFIDENCE = 60;
/** As many characters are not found in dust: it was at most 80. */
const CONVINCING_CHARACTERS = 100;
/** Share of the long words that are higher than wide: above 0.8 on pages that lie on their side, below 0.15 on others. */
const SIDEWAYS_SHARE = 0.6;

interface Word {
  readonly characters: number;
  readonly confidence: number;
  readonly isTall: boolean;
}

/** Reads the TSV that Tesseract made of one page. Lines that are cut off are left out. */
export function readWordFacts(tsv: string): WordFacts {
  const words = tsv.split('\n').flatMap(readWord);
  const characters = words.reduce((sum, word) => sum + word.characters, 0);
  const weighted = words.reduce((sum, word) => sum + word.characters * word.confidence, 0);
  const long = words.filter((word) => word.characters >= LONG_WORD_CHARACTERS);
  const tall = long.filter((word) => word.isTall);
  return {
    characters,
    confidence: characters === 0 ? 0 : weighted / characters,
    sideways: long.length > 0 && tall.length / long.length >= SIDEWAYS_SHARE,
    convincing:
      characters >= CONVINCING_CHARACTERS ||
      long.some((word) => word.confidence >= CONVINCING_CONFIDENCE),
  };
}

function readWord(line: string): Word[] {
  const columns = line.split('\t');
  const text = columns[TEXT]?.trim() ?? '';
  const confidence = Number(columns[CONFIDENCE]);
  if (columns[LEVEL] !== WORD_LEVEL || text === '' || !Number.isFinite(confidence)) return [];
  return [
    {
      characters: text.length,
      confidence,
      isTall: Number(columns[HEIGHT]) > Number(columns[WIDTH]),
    },
  ];
}
