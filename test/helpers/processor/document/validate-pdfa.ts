import path from 'node:path';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';

/** Where Debian keeps Java libraries. */
const JARS = '/usr/share/java';

/** PDFBox Preflight 2 and what it needs, of libpdfbox2-java, libjaxb-api-java and libactivation-java. */
const CLASS_PATH = [
  'preflight',
  'pdfbox2',
  'xmpbox',
  'fontbox2',
  'commons-io',
  'commons-logging',
  'javax.activation',
  'jaxb-api',
].map((name) => path.join(JARS, `${name}.jar`));

/** A Java machine starts in a second; a large page takes some more, on a machine that is busy with OCR. */
const VALIDATION_MS = 60_000;

/** What part 2 has, and part 1, which is all that the validator knows, has not. */
const ALLOWED_IN_PART_2 = [
  '1.4 : Trailer Syntax error, /XRef cross reference streams are not allowed',
  '7.11.2 : Error on MetaData, part must be 1',
];

/** What PDFBox Preflight, a validator by other people, has against a PDF/A-2b: its lines, none when it is a good one. */
export async function validatePdfA(pdf: string): Promise<string[]> {
  const args = ['-cp', CLASS_PATH.join(':'), 'org.apache.pdfbox.preflight.Validator_A1b', pdf];
  const program = { file: 'java', args, cwd: '/', env: programEnvironment() };
  const { stdout, stderr } = await runProgram(program, { timeoutMs: VALIDATION_MS });
  const lines = stdout.split('\n');
  if (!lines.some((line) => line.startsWith('The file '))) {
    throw new Error(`the validator did not come to an end: ${stdout}${stderr}`);
  }
  return lines.filter(
    (line) => /^\d+(?:\.\d+)* : /.test(line) && !ALLOWED_IN_PART_2.includes(line),
  );
}
