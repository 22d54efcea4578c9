/**
 * The parser of Node's own HTTP, llhttp, strict, as the WebAssembly that undici brings. One instance serves all connections: what a
 * connection sent is copied into a place of 64 KB, and a connection in the middle of a request has 80 bytes more of its memory.
 */
// @ts-expect-error no types of its own
import code from 'undici/lib/llhttp/llhttp-wasm.js'

interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer }
  malloc(bytes: number): number
  llhttp_alloc(type: number): number
  llhttp_reset(parser: number): void
  llhttp_execute(parser: number, at: number, length: number): number
  llhttp_get_error_pos(parser: number): number
  llhttp_get_method(parser: number): number
  llhttp_get_http_major(parser: number): number
  llhttp_get_http_minor(parser: number): number
  llhttp_method_name(method: number): number
}

/** What Node's WebAssembly has and the types of Node 22 do not. */
interface WasmEngine {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

const { WebAssembly: engine } = globalThis as unknown as { WebAssembly: WasmEngine }

/** Of llhttp: the type of parser, and what a callback or an execution may give back. */
const ofRequests = 1
const goOn = 0
const paused = 21
const refusedByUs = 24

/** No more is parsed at once. */
export const mostAtOnce = 64 * 1024
const mostHeaders = 200
const mostTextBytes = 2048
/** What may come of a body that is none of it: the extensions of a chunk, trailers. */
const mostBetween = 16 * 1024

export interface Head {
  readonly method: string
  /** As it was sent. */
  readonly target: string
  /** Names in lower case; values of repeated ones joined with ', '. */
  readonly headers: Map<string, string>
  /** Of HTTP/1.1: what is said without a length comes in chunks. */
  readonly chunks: boolean
  /** What the client wants after the answer, and can have. */
  readonly keepAlive: boolean
}

let parsing: RequestParser

const llhttp = new engine.Instance(new engine.Module(code as Uint8Array), {
  env: {
    wasm_on_message_begin: () => goOn,
    wasm_on_status: () => goOn,
    wasm_on_url: (_: number, at: number, length: number) => parsing.onTarget(at, length),
    wasm_on_header_field: (_: number, at: number, length: number) => parsing.onName(at, length),
    wasm_on_header_value: (_: number, at: number, length: number) => parsing.onValue(at, length),
    wasm_on_headers_complete: (_: number, _status: number, upgrade: number, keepAlive: number) =>
      parsing.onHead(upgrade !== 0, keepAlive !== 0),
    wasm_on_body: (_: number, at: number, length: number) => parsing.onBody(at, length),
    wasm_on_message_complete: () => parsing.onComplete(),
  },
}).exports as Llhttp

const place = llhttp.malloc(mostAtOnce)
let memory = memoryNow()

/** `latin1Slice` is what `toString('latin1')` calls. */
function memoryNow(): Buffer & { latin1Slice(from: number, to: number): string } {
  return Buffer.from(llhttp.memory.buffer) as ReturnType<typeof memoryNow>
}

/** Of its memory, for all connections. */
export function wasmBytes(): number {
  return llhttp.memory.buffer.byteLength
}

function allocated(): number {
  const parser = llhttp.llhttp_alloc(ofRequests)
  if (parser === 0) throw new Error('there is no memory for one more request')
  // A memory that has grown is another one.
  if (memory.buffer !== llhttp.memory.buffer) memory = memoryNow()
  return parser
}

const methods: string[] = []

function methodName(method: number): string {
  const known = methods[method]
  if (known !== undefined) return known
  const at = llhttp.llhttp_method_name(method)
  return (methods[method] = memory.toString('latin1', at, memory.indexOf(0, at)))
}

/** Names as they were written, and in lower case: nearly all requests have the same. */
const names = new Map<string, string>()
const mostNames = 256
const longestName = 40

function lowerCase(written: string): string {
  let name = names.get(written)
  if (name === undefined) {
    name = written.toLowerCase()
    if (names.size < mostNames && written.length <= longestName) names.set(written, name)
  }
  return name
}

/** Of which there is one: most requests bring one piece or none. */
const noPieces: Buffer<ArrayBuffer>[] = []

/** Those that no connection needs now. */
const free: RequestParser[] = []

/** One request, as it arrives. To be given back when it is complete, or will not be. */
export class RequestParser {
  readonly #parser = allocated()
  #mostBytes = 0
  /** What was read: of the head, or since the last piece of the body. */
  #bytes = 0
  #source: Buffer<ArrayBuffer> | undefined
  /** What is executed, once a part of it was needed as text: to make one of it all costs as much as of one header. */
  #text = ''
  #target = ''
  #name = ''
  #value = ''
  /** Whether a value was begun: it may come in pieces, and so may a name. */
  #inValue = false
  #count = 0
  #headers = new Map<string, string>()
  /** Once it is complete. */
  head: Head | undefined
  /** Of the body, out of what was executed last; in memory of their own. */
  pieces = noPieces
  complete = false
  /** The status with which it is refused. */
  refused: 400 | 431 | undefined

  /** `mostBytes`: of a head. */
  static take(mostBytes: number): RequestParser {
    const parser = free.pop() ?? new RequestParser()
    parser.#mostBytes = mostBytes
    return parser
  }

  giveBack(): void {
    this.#bytes = this.#count = 0
    this.#target = this.#name = this.#value = this.#text = ''
    this.#inValue = this.complete = false
    this.#headers = new Map()
    this.#source = undefined
    this.head = this.refused = undefined
    this.pieces = noPieces
    llhttp.llhttp_reset(this.#parser)
    free.push(this)
  }

  /** Reads on to the end of the request; how many bytes were of it. At most `mostAtOnce`, whose memory is not needed afterwards. */
  execute(chunk: Buffer<ArrayBuffer>): number {
    this.#source = chunk
    this.#text = ''
    this.pieces = noPieces
    chunk.copy(memory, place)
    parsing = this
    const result = llhttp.llhttp_execute(this.#parser, place, chunk.length)
    if (result === paused && this.complete) return llhttp.llhttp_get_error_pos(this.#parser) - place
    this.#bytes = this.pieces.length > 0 ? 0 : this.#bytes + chunk.length
    if (this.head === undefined && this.#bytes > this.#mostBytes) this.refused ??= 431
    if (result !== goOn || (this.head !== undefined && this.#bytes > mostBetween)) this.refused ??= 400
    return chunk.length
  }

  onTarget(at: number, length: number): number {
    this.#target += this.#textAt(at, length)
    return this.#limited(at + length)
  }

  onName(at: number, length: number): number {
    if (this.head !== undefined) return goOn
    if (this.#inValue) this.#add()
    this.#name += this.#textAt(at, length)
    return this.#limited(at + length)
  }

  onValue(at: number, length: number): number {
    if (this.head !== undefined) return goOn
    this.#inValue = true
    this.#value += this.#textAt(at, length)
    return this.#limited(at + length)
  }

  onHead(upgrade: boolean, keepAlive: boolean): number {
    if (this.#inValue) this.#add()
    const chunks = llhttp.llhttp_get_http_major(this.#parser) === 1 && llhttp.llhttp_get_http_minor(this.#parser) === 1
    // RFC 9112 section 3.2.
    if (chunks && !this.#headers.has('host')) this.refused = 400
    if (this.refused !== undefined) return refusedByUs
    const method = methodName(llhttp.llhttp_get_method(this.#parser))
    // Another protocol is not spoken here; what follows such a wish is not looked at.
    this.head = { method, target: this.#target, headers: this.#headers, chunks, keepAlive: keepAlive && !upgrade }
    this.#bytes = 0
    return goOn
  }

  onBody(at: number, length: number): number {
    const piece = Buffer.allocUnsafe(length) as Buffer<ArrayBuffer>
    this.#source!.copy(piece, 0, at - place, at - place + length)
    if (this.pieces.length === 0) this.pieces = [piece]
    else this.pieces.push(piece)
    return goOn
  }

  onComplete(): number {
    this.complete = true
    return paused
  }

  #add(): void {
    const name = lowerCase(this.#name)
    const before = this.#headers.get(name)
    if (before !== undefined && name === 'host') this.refused = 400
    this.#headers.set(name, before === undefined ? this.#value : `${before}, ${this.#value}`)
    this.#count += 1
    this.#name = this.#value = ''
    this.#inValue = false
  }

  #textAt(at: number, length: number): string {
    const { length: bytes } = this.#source!
    // Parts of a text keep all of it.
    if (bytes > mostTextBytes) return memory.latin1Slice(at, at + length)
    if (this.#text === '') this.#text = memory.latin1Slice(place, place + bytes)
    return this.#text.slice(at - place, at - place + length)
  }

  /** `end`: how far the head has been read. */
  #limited(end: number): number {
    if (this.#bytes + end - place <= this.#mostBytes && this.#count < mostHeaders) return goOn
    this.refused = 431
    return refusedByUs
  }
}
