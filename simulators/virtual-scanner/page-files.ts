import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';

/** The page images of a directory, in name order. */
export async function pageFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  const images = names.filter((name) => /\.(?:png|jpe?g|tiff?)$/u.test(name)).toSorted();
  return images.map((name) => path.join(directory, name));
}

/**
 * The file of a page image, whose name is relative to `directory`. Throws if it is no readable
 * image, which would look like the end of the stack.
 */
export async function readableImage(name: string, directory: string): Promise<string> {
  const file = path.resolve(directory, name);
  try {
    await sharp(file).metadata();
    return file;
  } catch (cause) {
    const there = (await pageFiles(directory)).map((image) => path.basename(image));
    const what = `"${name}" is not a readable page image.`;
    throw new Error(`${what} ${directory} has: ${there.join(', ')}.`, { cause });
  }
}
