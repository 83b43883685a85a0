/** Browser and Emscripten types that zxing-wasm's types refer to. */

interface ImageData {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

interface EmscriptenModule {
  wasmBinary: ArrayBuffer;
  print: (text: string) => void;
  printErr: (text: string) => void;
}

type EmscriptenModuleFactory<Module extends EmscriptenModule> = (
  overrides?: Partial<Module>,
) => Promise<Module>;
