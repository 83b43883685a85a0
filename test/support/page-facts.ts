import type { PageFacts } from '../../helpers/page-facts.ts';

export const PAGE_FACTS: PageFacts = {
  turned: 0,
  cropped: null,
  skew: null,
  words: 10,
  characters: 50,
  confidence: 90,
  blank: null,
  codes: [],
  left_out: null,
};
