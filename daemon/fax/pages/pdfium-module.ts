/**
 * PDFium as a WebAssembly module: its C functions by name (fpdfview.h and its sister headers), its memory, and functions of ours that it
 * calls. Handles and pointers are numbers; 0 is none.
 */
import { PDFiumModule } from '@hyzyla/pdfium'

interface WasmMemory {
  grow(pages: number): number
}

/** What Node's WebAssembly has and the types of Node 22 do not. */
interface WasmEngine {
  readonly Memory: { readonly prototype: WasmMemory }
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> }
}

const { WebAssembly: engine } = globalThis as unknown as { WebAssembly: WasmEngine }

type CFunction = (...values: number[]) => number

interface LoadedModule {
  readonly [name: `_F${string}`]: CFunction
  readonly wasmExports: {
    malloc(bytes: number): number
    free(pointer: number): void
    readonly __indirect_function_table: { set(index: number, made: unknown): void }
  }
  /** Replaced when the memory grows: never kept. */
  readonly HEAPU8: Uint8Array
}

let memoryRefused = false

/** PDFium leaves out what it has no memory for and says nothing: a page without its picture must not pass for the page. */
function watchMemory(): void {
  const memory = engine.Memory.prototype
  const grow = memory.grow
  memory.grow = function (pages) {
    try {
      return grow.call(this, pages)
    } catch (error) {
      memoryRefused = true
      throw error
    }
  }
}

/** A module of one imported function of 32-bit numbers that exports it: what a table of functions takes. */
function trampoline(made: CFunction, parameters: number): unknown {
  const i32 = 0x7f
  const type = [0x60, parameters, ...Array.from({ length: parameters }, () => i32), 1, i32]
  const name = (letter: string): number[] => [1, letter.charCodeAt(0)]
  const section = (id: number, content: readonly number[]): number[] => [id, content.length, ...content]
  const bytes = Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...type]),
    ...section(2, [1, ...name('m'), ...name('f'), 0, 0]),
    ...section(7, [1, ...name('f'), 0, 0]),
  )
  return new engine.Instance(new engine.Module(bytes), { m: { f: made } }).exports['f']
}

export class Pdfium {
  readonly #module: LoadedModule
  readonly #places: number[]
  /** The function that writes copies, and where they go. */
  #write: number | undefined
  #written: (part: Buffer) => void = () => {}

  private constructor(module: LoadedModule) {
    this.#module = module
    this.call('FPDF_InitLibrary')
    this.#places = this.#spareFunctions()
  }

  static async start(): Promise<Pdfium> {
    watchMemory()
    return new Pdfium((await PDFiumModule({})) as unknown as LoadedModule)
  }

  /** Whether memory was refused since the last question. */
  get ranShort(): boolean {
    const refused = memoryRefused
    memoryRefused = false
    return refused
  }

  call(name: `F${string}`, ...values: number[]): number {
    return this.#module[`_${name}` as `_F${string}`]!(...values)
  }

  get bytes(): Uint8Array {
    return this.#module.HEAPU8
  }

  view(): DataView {
    return new DataView(this.bytes.buffer)
  }

  /** Throws Error where there is no memory left. Of what lies there before nothing is said. */
  allocate(bytes: number): number {
    const pointer = this.#module.wasmExports.malloc(bytes)
    if (pointer !== 0) return pointer
    memoryRefused = true
    throw new Error('no memory')
  }

  free(pointer: number): void {
    this.#module.wasmExports.free(pointer)
  }

  /** Memory for the time of `use`. */
  with<T>(bytes: number, use: (pointer: number) => T): T {
    const pointer = this.allocate(bytes)
    try {
      return use(pointer)
    } finally {
      this.free(pointer)
    }
  }

  /** A pointer to a function for PDFium, for as long as the module lives; of `parameters` numbers, and giving one. A handful can be had. */
  callback(parameters: number, made: CFunction): number {
    const place = this.#places.pop()
    if (place === undefined) throw new Error('no place for a function is left')
    this.#module.wasmExports.__indirect_function_table.set(place, trampoline(made, parameters))
    return place
  }

  /**
   * The table of functions cannot grow, so ours take the places of those that look for fonts in files: here are none. The eight
   * members of FPDF_SYSFONTINFO behind its version (fpdf_sysfontinfo.h).
   */
  #spareFunctions(): number[] {
    const info = this.call('FPDF_GetDefaultSystemFontInfo')
    const view = this.view()
    const places = Array.from({ length: 8 }, (_, index) => view.getUint32(info + 4 + index * 4, true))
    this.call('FPDF_FreeDefaultSystemFontInfo', info)
    return places.filter((place) => place !== 0)
  }

  /** A copy ended by a zero, as UTF-8 or as UTF-16 (FPDF_WIDESTRING). */
  withText<T>(text: string, encoding: 'utf8' | 'utf16le', use: (pointer: number) => T): T {
    const encoded = Buffer.from(`${text}\0`, encoding)
    return this.with(encoded.length, (pointer) => {
      this.bytes.set(encoded, pointer)
      return use(pointer)
    })
  }

  /** Writes the document as a new file (FPDF_SaveAsCopy, fpdf_save.h). */
  copyOf(document: number, flags: number): Buffer {
    const parts: Buffer[] = []
    this.#write ??= this.callback(3, (_, from = 0, length = 0) => {
      this.#written(Buffer.from(this.bytes.slice(from, from + length)))
      return 1
    })
    this.#written = (part) => void parts.push(part)
    this.with(8, (writer) => {
      const view = this.view()
      view.setUint32(writer, 1, true)
      view.setUint32(writer + 4, this.#write!, true)
      this.call('FPDF_SaveAsCopy', document, writer, flags)
    })
    return Buffer.concat(parts)
  }

  /** What functions give that fill a buffer with UTF-16 and say its length in bytes, the zero at the end included. */
  textFrom(ask: (buffer: number, bytes: number) => number): string {
    const length = ask(0, 0)
    if (length <= 2) return ''
    return this.with(length, (buffer) => {
      ask(buffer, length)
      return Buffer.from(this.bytes.subarray(buffer, buffer + length - 2)).toString('utf16le')
    })
  }

  /** `count` floats (4 bytes) that a function writes, each to a pointer of its own or all to one array; undefined where it gives 0. */
  floats(count: number, ask: (pointers: number[]) => number): number[] | undefined {
    return this.with(count * 4, (start) => {
      const pointers = Array.from({ length: count }, (_, index) => start + index * 4)
      if (ask(pointers) === 0) return undefined
      const view = this.view()
      return pointers.map((pointer) => view.getFloat32(pointer, true))
    })
  }
}
