/** One request and its answer as the server hands them over; node-wire.ts makes them on node:http. */

/** Valid only until the handler that received it returns: everything needed must be copied before. */
export interface WireRequest {
  getUrl(): string
  getQuery(): string | undefined
  getCaseSensitiveMethod(): string
  /** Names arrive in lower case. */
  forEach(visit: (name: string, value: string) => void): void
}

/** Throws when it is touched after the answer is complete or after the client went away. */
export interface WireResponse {
  writeStatus(status: string): this
  /** Values are written as they are: the caller refuses control characters. */
  writeHeader(name: string, value: string): this
  /** False: it is kept in memory until the socket takes more. */
  write(chunk: string): boolean
  end(body?: string | Uint8Array, closeConnection?: boolean): this
  endWithoutBody(): this
  /** Sends what the socket takes; `totalSize` becomes Content-Length. What was not sent has to be offered again. */
  tryEnd(chunk: ArrayBufferView, totalSize: number): [ok: boolean, done: boolean]
  getWriteOffset(): number
  onWritable(handler: (offset: number) => boolean): this
  onAborted(handler: () => void): this
  /** The chunk is taken back when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this
  /** No more of the body for now. */
  pause(): void
  resume(): void
  cork(work: () => void): this
  close(): this
  /** None of a unix socket. */
  getRemoteAddress(): ArrayBuffer
}

export type Accept = (res: WireResponse, req: WireRequest) => void

/** A port, or a unix socket, that is open. */
export interface Listener {
  /** 0 of a unix socket. */
  readonly port: number
  /** Takes no more connections. */
  stop(): void
  /** Cuts what is left. */
  close(): void
}

/** Names of PEM files. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** Of TLS 1.2: forward secrecy and authenticated encryption only. Those of TLS 1.3 have both. */
export const tlsCiphers = 'ECDHE+AESGCM:ECDHE+CHACHA20'
