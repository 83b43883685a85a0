import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const IMAGES = ['service', 'scanner', 'processor'];

/** Files of the checkout that a Dockerfile copies for its last stage, relative to the checkout. */
function copiedInto(dockerfile: string): Set<string> {
  const sources = /^FROM \S+ AS sources$.*?^FROM /msu.exec(dockerfile)?.[0] ?? '';
  const files = [...sources.matchAll(/^COPY (?!--)(.+) \S+$/gmu)].flatMap(([, sources = '']) =>
    sources.split(' ').flatMap((source) => globSync(source, { cwd: ROOT })),
  );
  return new Set(files.flatMap(below));
}

function below(name: string): string[] {
  const found = path.join(ROOT, name);
  if (!statSync(found).isDirectory()) return [name];
  return globSync('**/*', { cwd: found }).map((inside) => path.join(name, inside));
}

/** Programs that a Dockerfile starts: by its command, its health check and the scripts that it writes. */
function startedBy(dockerfile: string): string[] {
  const programs = dockerfile.matchAll(/"([\w./-]+\.ts)"|node \/app\/([\w./-]+\.ts)/gu);
  return [...programs].map(([, program, script = '']) => program ?? script);
}

/** The modules that a program loads, itself included, with all that they load. Types are not loaded. */
function loadedBy(program: string, seen = new Set<string>()): Set<string> {
  if (seen.has(program)) return seen;
  seen.add(program);
  const text = readFileSync(path.join(ROOT, program), 'utf8');
  const imports = /^(?:import|export) (?!type )(?:[^;'"]*from )?'(\.[^']+)'/gmu;
  for (const [, name = ''] of text.matchAll(imports)) {
    loadedBy(path.join(path.dirname(program), name), seen);
  }
  return seen;
}

const test = suite('the files of each image');

for (const image of IMAGES) {
  const dockerfile = readFileSync(path.join(ROOT, `Dockerfile.${image}`), 'utf8');

  test(`${image}: every module that its programs load is copied`, () => {
    const programs = startedBy(dockerfile);
    const copied = copiedInto(dockerfile);
    assert.ok(programs.length > 0);
    for (const program of programs) {
      assert.ok(existsSync(path.join(ROOT, program)), program);
      const missing = [...loadedBy(program)].filter((module) => !copied.has(module));
      assert.equal(missing, [], `${program} loads what is not copied`);
    }
  });
}

test.run();
